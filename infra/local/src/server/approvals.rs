//! Lists and decides approvals, with the same checks as a click on a card.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::pending;
use alfred_agent::model::Question;
use alfred_agent::slack::{show, written};
use alfred_core::{ApprovalId, Taint, text};
use anyhow::{anyhow, bail};

use super::{answer, person};
use crate::api::{ANSWER_ON_CARD, Answer, Approvals, Decide, Request};
use crate::app::LocalApp;
use crate::exit::Usage;
use crate::terminal::made;

impl Request for Approvals {
    const PATH: &'static str = "/local/approvals";
    type Answer = String;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<String> {
        let (team, user) = person::registered(app, &self.user).await?;
        let waiting = pending::pending(&*app.ports.store, &team, &user.slack_user_id).await?;
        let text = || {
            if waiting.is_empty() {
                return text::NOTHING_WAITS.to_owned();
            }
            let in_full = |one| answer::shown(one).in_full(&self.alfred);
            waiting.iter().map(in_full).collect::<Vec<_>>().join("\n\n")
        };
        Ok(made(self.json, &waiting, text)?)
    }
}

impl Request for Decide {
    const PATH: &'static str = "/local/decide";
    type Answer = Answer;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Answer> {
        let (team, user) = person::registered(app, &self.user).await?;
        let ports = &app.ports;
        let id = ApprovalId::from(self.approval.as_str());
        let stored = pending::load(&*ports.store, &team, &id).await?;
        let unknown = || anyhow!("there is no approval {id}; `alfred approvals list` shows all");
        let (approval, _) = stored.ok_or_else(unknown)?;
        if approval.owner == user.slack_user_id && approval.question == Question::DidItHappen {
            return Err(Usage::error(ANSWER_ON_CARD));
        }
        let arguments =
            (!self.texts.is_empty()).then(|| written::rewritten(&approval, &self.texts));
        let decision = Decision {
            team: team.clone(),
            by: Some(user.slack_user_id),
            approval: id,
            revision: approval.revision,
            verdict: self.verdict,
            arguments,
            note: self.reason.clone(),
            trigger: format!("terminal:{}", self.id),
            opened_home: user.opened_home,
            taint: Taint::default(),
        };
        let outcome = decide(ports, &decision).await?;
        if let Some(words) = show::settle(ports, outcome, None).await? {
            bail!(words);
        }
        // A team only reports to the run that asked for it; the person waits for that one's answer.
        let asker = ports.journal().load(&team, &approval.run).await?;
        let run = asker.and_then(|asker| asker.run.parent);
        let run = run.unwrap_or(approval.run);
        let loaded = answer::in_time(answer::rest_of(app, &team, &run)).await?;
        answer::answer(app, &loaded).await
    }
}
