//! Waits for a run and builds its answer.

use alfred_agent::approval::{Approval, Question, card, edit, pending};
use alfred_agent::claim::{self, Served};
use alfred_agent::run::{RunState, StepKind};
use alfred_agent::{LoadedRun, Work, respond};
use alfred_core::{RunId, TeamId, TraceId};
use anyhow::{Context, anyhow};
use std::time::Duration;

use crate::api::{Answer, Waiting};
use crate::app::LocalApp;

pub const LOOK_EVERY: Duration = Duration::from_millis(15);
/// Longest wait. The run continues in the background.
const LONGEST: Duration = Duration::from_secs(900);

pub async fn in_time<T>(wait: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let ended = tokio::time::timeout(LONGEST, wait).await;
    ended.context("no answer yet; the request goes on in the background")?
}

/// The run, once it has ended or waits for its owner. `None` if a notice was the answer.
pub async fn end_of(
    app: &LocalApp,
    team: &TeamId,
    trace: &TraceId,
) -> anyhow::Result<Option<LoadedRun>> {
    loop {
        match claim::served(&*app.ports.store, team, trace).await? {
            Served::Run(id) => return rest_of(app, team, &id).await.map(Some),
            Served::Notice => return Ok(None),
            Served::No => {}
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The run, once it has ended or waits for its owner.
pub async fn rest_of(app: &LocalApp, team: &TeamId, run: &RunId) -> anyhow::Result<LoadedRun> {
    let journal = app.ports.journal();
    loop {
        let loaded = journal.load(team, run).await?;
        if let Some(loaded) = loaded.filter(|loaded| rests(&loaded.run.state)) {
            return Ok(loaded);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether the run needs something from outside to continue.
fn rests(state: &RunState) -> bool {
    matches!(
        state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    )
}

pub async fn answer(app: &LocalApp, loaded: &LoadedRun) -> anyhow::Result<Answer> {
    let output = loaded.outcome();
    let output = output.ok_or_else(|| anyhow!("the run has no outcome"))?;
    let waiting = match output.requires_approval {
        true => waiting(app, loaded).await?,
        false => Vec::new(),
    };
    Ok(Answer {
        output,
        model: answered_by(loaded).unwrap_or_else(|| app.model.clone()),
        run: Some(loaded.run.id.0.clone()),
        data: None,
        waiting,
        days: respond::pictures::timelines(&loaded.steps)
            .iter()
            .map(alfred_timeline::text)
            .collect(),
    })
}

/// The model of the last turn, since a program's files may name one.
fn answered_by(loaded: &LoadedRun) -> Option<String> {
    let Work::Program { .. } = loaded.run.work else {
        return None;
    };
    let mut last = loaded
        .steps
        .iter()
        .rev()
        .filter_map(|step| match &step.did {
            StepKind::Turn(turn) => Some(turn.model.clone()),
            _ => None,
        });
    last.next()
}

async fn waiting(app: &LocalApp, loaded: &LoadedRun) -> anyhow::Result<Vec<Waiting>> {
    let run = &loaded.run;
    let mut waiting = pending::pending(&*app.ports.store, &run.team, &run.user).await?;
    waiting.retain(|approval| approval.run == run.id);
    Ok(waiting.iter().map(shown).collect())
}

pub fn shown(approval: &Approval) -> Waiting {
    let until = approval.expires_at.strftime("%Y-%m-%d %H:%M UTC");
    let until = format!("You can decide until {until}.");
    Waiting {
        id: approval.id.0.clone(),
        text: format!("{}\n{until}", card::as_text(approval)),
        yes_or_no: approval.question == Question::MayItRun,
        written: edit::written(approval),
        takes_words: approval.is_proposal(),
        can_be_remembered: approval.can_be_remembered(),
    }
}
