//! `alfred approvals`: what waits for its owner, shown and decided in the
//! terminal, under the very same checks as a click on its card.

use alfred_agent::Ports;
use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{Approval, Question, Verdict, card, park, pending, show};
use alfred_agent::users;
use alfred_core::ports::{Ids, SystemIds};
use alfred_core::{ApprovalId, Taint, TeamId, UserId, text};
use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use crate::answer;
use crate::ask::{self, LONGEST};
use crate::cli::{ApprovalsCommand, Cli};
use crate::exit::{Exit, Usage};
use crate::local_api::{APPROVALS_PATH, Answer, Approvals, DECIDE_PATH, Decide};
use crate::local_app::LocalApp;
use crate::owner::{self, Owner};
use crate::people;
use crate::terminal::{say_json, say_made};

/// An approval that waits, as the terminal shows it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Waiting {
    pub id: String,
    /// Everything that would run, why it is asked, and until when.
    pub text: String,
    /// Whether a yes or a no answers it.
    pub yes_or_no: bool,
}

/// Lists approvals, or decides one.
pub async fn approvals(cli: &Cli, command: &ApprovalsCommand) -> anyhow::Result<Exit> {
    let (approval, verdict, reason) = match command {
        ApprovalsCommand::List => return list(cli).await,
        ApprovalsCommand::Approve { id } => (id, Verdict::Approve, None),
        ApprovalsCommand::Reject { id, reason } => (id, Verdict::Reject, reason.clone()),
    };
    let asked = Decide {
        user: cli.user.clone(),
        approval: approval.clone(),
        verdict,
        reason,
        id: hex::encode(SystemIds.uuid().as_bytes()),
    };
    let answer = owner::answer(cli, DECIDE_PATH, &asked, decide_here).await?;
    if cli.json {
        say_json(&answer.output)?;
    } else {
        answer::print(&answer);
    }
    // A no that was taken is what was wanted, whatever the run says of it.
    let taken = verdict == Verdict::Reject && !answer.output.requires_approval;
    Ok(if taken {
        Exit::Done
    } else {
        answer::exit(&answer)
    })
}

async fn list(cli: &Cli) -> anyhow::Result<Exit> {
    let asked = Approvals {
        user: cli.user.clone(),
        json: cli.json,
    };
    let text = match owner::owner(cli).await? {
        Owner::Us(app) => list_here(&app, &asked).await?,
        Owner::Other(process) => process.post(APPROVALS_PATH, &asked).await?,
    };
    say_made(cli.json, &text);
    Ok(Exit::Done)
}

/// What waits for a person, as text or JSON.
pub async fn list_here(app: &LocalApp, asked: &Approvals) -> anyhow::Result<String> {
    let (team, user) = known(app, &asked.user).await?;
    let waiting = pending::pending(&*app.ports.store, &team, &user).await?;
    if asked.json {
        return Ok(serde_json::to_string_pretty(&waiting)?);
    }
    if waiting.is_empty() {
        return Ok(text::nothing_waits());
    }
    let shown: Vec<String> = waiting.iter().map(|one| shown(one).in_full()).collect();
    Ok(shown.join("\n\n"))
}

/// Decides in this process, and waits for what comes of it. The same id is the same decision.
pub async fn decide_here(app: &LocalApp, asked: &Decide) -> anyhow::Result<Answer> {
    let (team, user) = known(app, &asked.user).await?;
    let ports = &app.ports;
    let id = ApprovalId::from(asked.approval.as_str());
    let stored = park::load(&*ports.store, &team, &id).await?;
    let (approval, _) = stored.ok_or_else(|| anyhow!(text::no_such_approval()))?;
    if approval.owner == user && approval.question == Question::DidItHappen {
        return Err(Usage::error(text::answer_on_card()));
    }
    let decision = Decision {
        team: team.clone(),
        by: Some(user),
        approval: id,
        revision: approval.revision,
        verdict: asked.verdict,
        arguments: None,
        note: asked.reason.clone(),
        trigger: format!("terminal:{}", asked.id),
        taint: Taint::default(),
    };
    let outcome = decide(ports, &decision).await?;
    if let Some(words) = show::settle(ports, outcome, None).await? {
        bail!(words);
    }
    let rests = ask::rest_of(app, &team, &approval.run);
    let loaded = tokio::time::timeout(LONGEST, rests)
        .await
        .context("no answer yet; the run goes on in the background")??;
    answer::answer(app, &loaded).await
}

/// Whoever is named, if they are registered and active.
async fn known(app: &LocalApp, wanted: &str) -> anyhow::Result<(TeamId, UserId)> {
    let team = app.team().await?;
    let id = people::id_of(app, wanted)?;
    let stored = users::get(&*app.ports.store, &team, &id).await?;
    if stored.is_some_and(|stored| stored.user.is_active) {
        return Ok((team, id));
    }
    Err(Usage::error(format!(
        "--user: {id} isn't registered; `alfred users add {id}` does it"
    )))
}

/// The approvals of a run that wait.
pub async fn of_run(ports: &Ports, run: &alfred_agent::Run) -> anyhow::Result<Vec<Waiting>> {
    let mut waiting = pending::pending(&*ports.store, &run.team, &run.user).await?;
    waiting.retain(|approval| approval.run == run.id);
    Ok(waiting.iter().map(shown).collect())
}

fn shown(approval: &Approval) -> Waiting {
    let until = approval.expires_at.strftime("%Y-%m-%d %H:%M UTC");
    let until = text::open_until(&until.to_string());
    Waiting {
        id: approval.id.0.clone(),
        text: format!("{}\n{until}", card::as_text(approval)),
        yes_or_no: approval.question == Question::MayItRun,
    }
}

impl Waiting {
    /// The card, and how to answer it.
    pub fn in_full(&self) -> String {
        let (text, id) = (&self.text, &self.id);
        if self.yes_or_no {
            format!("{text}\nYes: alfred approvals approve {id}\nNo:  alfred approvals reject {id}")
        } else {
            format!("{text}\n{} ({id})", text::answer_on_card())
        }
    }
}
