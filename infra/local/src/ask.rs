//! `alfred ask`: a direct message to Alfred from the terminal, all the way
//! through the local Slack, and its answer.

use alfred_agent::admit;
use alfred_agent::run::{Run, RunState};
use alfred_core::{TeamId, TraceId};
use alfred_embedded::FolderError;
use alfred_slack_local::{Person, SlackLocal};
use anyhow::{Context, anyhow, bail};
use std::time::Duration;

use crate::cli::Cli;
use crate::exit::{Exit, say};
use crate::house::{DEMO, House};
use crate::local_api::{ASK_PATH, Answer, Ask};
use crate::owner::Process;
use crate::serve;

/// Between two looks at the run.
const LOOK_EVERY: Duration = Duration::from_millis(15);
/// An answer that takes longer isn't waited for; the run goes on.
const LONGEST: Duration = Duration::from_secs(900);

/// Asks the process that owns the data folder, or starts one for the question.
pub async fn ask(cli: &Cli, request: &str) -> anyhow::Result<Exit> {
    let answer = match serve::open(cli, 0).await {
        Ok(open) => here(&open.house, &cli.user, request).await?,
        Err(error) => {
            let process = Process::of(error.downcast::<FolderError>()?)?;
            let asked = Ask {
                user: cli.user.clone(),
                request: request.into(),
            };
            serde_json::from_str(&process.post(ASK_PATH, &asked).await?)?
        }
    };
    if cli.json {
        say(&serde_json::to_string_pretty(&answer.output)?);
    } else {
        say(&in_words(&answer));
    }
    Ok(
        match (&answer.output.success, answer.output.requires_approval) {
            (_, true) => Exit::Waiting,
            (true, false) => Exit::Done,
            (false, false) => Exit::Failed,
        },
    )
}

/// Asks in this process.
pub async fn here(house: &House, user: &str, request: &str) -> anyhow::Result<Answer> {
    let Some(slack) = &house.slack else {
        bail!("a real Slack is configured; write to Alfred there, or unset SLACK_BOT_TOKEN");
    };
    let person = person(slack, user)?;
    let message = slack.dm_as(&person.id, request)?;
    let team = TeamId::from(slack.seed().team_id.as_str());
    let identity = format!("msg:{}:{}", message.channel, message.ts);
    let trace = TraceId::of(&team, &identity);
    let ended = tokio::time::timeout(LONGEST, run_of(house, &team, &trace)).await;
    let run = ended.context("no answer yet; the request goes on in the background")??;
    let output = run
        .output()
        .cloned()
        .ok_or_else(|| anyhow!("the run has no outcome"))?;
    Ok(Answer {
        output,
        model: house.model.clone(),
        run: run.id.0,
    })
}

async fn run_of(house: &House, team: &TeamId, trace: &TraceId) -> anyhow::Result<Run> {
    let journal = house.ports.journal();
    loop {
        if let Some(id) = admit::run_of_trace(&*house.ports.store, team, trace).await? {
            let loaded = journal.load(team, &id).await?;
            let run = loaded.map(|loaded| loaded.run);
            if let Some(run) = run.filter(|run| matches!(run.state, RunState::Done { .. })) {
                return Ok(run);
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A person by id, handle, name or e-mail address.
fn person(slack: &SlackLocal, wanted: &str) -> anyhow::Result<Person> {
    let people: Vec<Person> = slack
        .people()?
        .into_iter()
        .filter(|person| !person.is_bot)
        .collect();
    let wanted_lower = wanted.trim_start_matches('@').to_lowercase();
    let found = people.iter().find(|person| {
        [&person.id, &person.username, &person.name, &person.email]
            .iter()
            .any(|name| name.to_lowercase() == wanted_lower)
    });
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = people
            .iter()
            .map(|person| person.username.as_str())
            .collect();
        anyhow!(
            "--user: nobody is called \"{wanted}\"; there are {}",
            names.join(", ")
        )
    })
}

fn in_words(answer: &Answer) -> String {
    let output = &answer.output;
    let said = output.result.as_ref().or(output.error.as_ref());
    let mut lines = vec![said.cloned().unwrap_or_default()];
    if !output.actions_taken.is_empty() {
        lines.push(String::new());
        lines.extend(
            output
                .actions_taken
                .iter()
                .map(|action| format!("✓ {action}")),
        );
    }
    if answer.model == DEMO {
        lines.push(String::new());
        lines.push("(demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)".into());
    }
    lines.join("\n")
}
