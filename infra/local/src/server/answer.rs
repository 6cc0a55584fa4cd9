//! Waits for a run and builds its answer.

use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Question};
use alfred_agent::slack::{card, respond, written};
use alfred_agent::store::claim::{self, Served};
use alfred_agent::{LoadedRun, Run, RunState, Step, Work};
use alfred_core::{RunId, TeamId, TraceId, WorkerOutput};
use alfred_teams::children;
use anyhow::Context;
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

/// The run once it has ended, or it or its teams wait for its owner; `None` when a notice was the answer.
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

pub async fn rest_of(app: &LocalApp, team: &TeamId, run: &RunId) -> anyhow::Result<LoadedRun> {
    let journal = app.ports.journal();
    loop {
        if let Some(loaded) = journal.load(team, run).await?
            && rests(app, &loaded.run).await?
        {
            return Ok(loaded);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether nothing more happens by itself: the run has ended, or it or its teams wait for its owner.
async fn rests(app: &LocalApp, run: &Run) -> anyhow::Result<bool> {
    let rests = matches!(
        run.state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    );
    Ok(rests || children::only_ask(&app.ports, run).await?)
}

pub async fn answer(app: &LocalApp, loaded: &LoadedRun) -> anyhow::Result<Answer> {
    let output = outcome(app, loaded).await?;
    let waiting = if output.requires_approval {
        waiting(app, loaded).await?
    } else {
        Vec::new()
    };
    let days = respond::pictures::timelines(&loaded.steps);
    Ok(Answer {
        reply: respond::for_terminal(&loaded.run, &output),
        output,
        model: answered_by(loaded).unwrap_or_else(|| app.model.clone()),
        run: Some(loaded.run.id.0.clone()),
        data: None,
        waiting,
        days: days.iter().map(alfred_timeline::text).collect(),
    })
}

/// The outcome of a run, or of its teams together while they wait for its owner.
async fn outcome(app: &LocalApp, loaded: &LoadedRun) -> anyhow::Result<WorkerOutput> {
    if let Some(output) = loaded.outcome() {
        return Ok(output);
    }
    let mut parts = Vec::new();
    for id in loaded.run.children() {
        let team = app.ports.journal().load(&loaded.run.team, id).await?;
        parts.extend(team.and_then(|team| team.outcome()));
    }
    // The outcome of a team that asks says so.
    parts.sort_by_key(|part| !part.requires_approval);
    let mut parts = parts.into_iter();
    let mut output = parts.next().context("the run has no outcome")?;
    output.effects.extend(parts.flat_map(|part| part.effects));
    Ok(output)
}

/// The model of the last turn, since a program's files may name one.
fn answered_by(loaded: &LoadedRun) -> Option<String> {
    let Work::Program { .. } = loaded.run.work else {
        return None;
    };
    let turn = loaded.steps.iter().rev().find_map(Step::turn);
    turn.map(|turn| turn.model.clone())
}

async fn waiting(app: &LocalApp, loaded: &LoadedRun) -> anyhow::Result<Vec<Waiting>> {
    let run = &loaded.run;
    let mut waiting = pending::pending(&*app.ports.store, &run.team, &run.user).await?;
    let is_part = |id: &RunId| *id == run.id || run.children().any(|child| child == id);
    waiting.retain(|approval| is_part(&approval.run));
    Ok(waiting.iter().map(shown).collect())
}

pub fn shown(approval: &Approval) -> Waiting {
    let until = approval.expires_at.strftime("%a %-d %b, %H:%M UTC");
    let until = format!("You can decide until {until}.");
    Waiting {
        id: approval.id.0.clone(),
        text: format!("{}\n{until}", card::as_text(approval)),
        yes_or_no: approval.question == Question::MayItRun,
        written: written::written(approval),
        can_be_remembered: approval.can_be_remembered(),
    }
}
