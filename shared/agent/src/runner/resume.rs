//! Handles a queue message about a run: continues the run, or repeats the follow-up work of an ended one.

use alfred_core::{Classified, Deadline, Failure, Result, RunId, TeamId, text};
use std::sync::Arc;

use crate::calls::context::RunContext;
use crate::model::{NewStep, Run, RunState, StepKind};
use crate::runner::{finish, park, turns};
use crate::store::dispatch;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::tool::program::Program;

/// Loads the run of a message. Fails with `Bug` if it doesn't exist.
pub async fn load(ports: &Ports, team: &TeamId, run: &RunId, hops: u16) -> Result<LoadedRun> {
    let loaded = ports.journal().load(team, run).await?;
    let loaded = loaded.ok_or_else(|| Failure::bug(format!("there is no run {run}")))?;
    Ok(LoadedRun { hops, ..loaded })
}

/// `program` is a `Reject`, with words for the person, if the run's agents were removed.
/// After a bug the person is notified, and the message fails on every delivery until it is in the dead letter queue.
pub async fn resume(
    ports: &Ports,
    program: Result<Arc<Program>>,
    mut loaded: LoadedRun,
    classified: Option<Classified>,
    deadline: Deadline,
) -> Result<()> {
    let first = classified.filter(|_| loaded.steps.is_empty()).map(|found| {
        let ms = found.ms;
        StepKind::Classified(found).took(ms)
    });
    let cx = RunContext::new(ports, &mut loaded, deadline);
    let outcome = go_on(cx, program, Vec::from_iter(first)).await;
    match (outcome, &loaded.run.progress.defect) {
        (Ok(()), Some(detail)) => Err(Failure::bug(detail)),
        (Err(Failure::Bug { detail }), _) => {
            Err(Box::pin(defect(ports, loaded, detail, deadline)).await)
        }
        (outcome, _) => outcome,
    }
}

async fn go_on(
    mut cx: RunContext<'_>,
    program: Result<Arc<Program>>,
    first: Vec<NewStep>,
) -> Result<()> {
    match (&cx.run().state, program) {
        (RunState::Replying { .. }, _) => finish::reply_and_close(&mut cx, false).await,
        (RunState::Done { .. }, _) => {
            cx.live.remove_left().await;
            dispatch::follow_up(cx.ports, cx.run()).await
        }
        (RunState::Asking { shown: true } | RunState::Queued | RunState::Waiting, _) => {
            tracing::info!(run.id = %cx.run().id, "a run that waits was sent to a worker; left alone");
            cx.live.remove_left().await;
            Ok(())
        }
        (_, Err(Failure::Reject { user_message })) => {
            tracing::warn!(run.id = %cx.run().id, "the agents of a run are gone; what is left of it isn't done");
            finish::fail(&mut cx, user_message).await
        }
        (_, Err(failure)) => Err(failure),
        (RunState::Asking { shown: false }, Ok(_)) => park::show_cards(&mut cx, None).await,
        (RunState::Ready, Ok(_)) if cx.loaded.hops > alfred_core::envelope::MAX_HOPS => {
            Err(Failure::bug("the request went round too often"))
        }
        (RunState::Ready, Ok(program)) => Box::pin(turns::work(cx, &program, first)).await,
    }
}

/// Ends a run after a bug. Returns the failure that moves the queue message to the dead letter queue.
pub(crate) async fn defect(
    ports: &Ports,
    loaded: LoadedRun,
    detail: String,
    deadline: Deadline,
) -> Failure {
    tracing::error!(run.id = %loaded.run.id, error = detail, "a defect ended a run");
    let (team, id) = (&loaded.run.team, &loaded.run.id);
    // The failed attempt may have left changes in memory that aren't stored.
    let mut loaded = match ports.journal().load(team, id).await {
        Ok(Some(stored)) if stored.run.output().is_none() => stored,
        Ok(_) => return Failure::Bug { detail },
        Err(failure) => return failure,
    };
    let mut cx = RunContext::new(ports, &mut loaded, deadline);
    let known = detail.clone();
    let mark = |run: &mut Run| run.progress.defect = Some(known);
    if let Err(error) = cx.commit(vec![], vec![], mark).await {
        return error.into();
    }
    cx.live.suspect();
    let failed = finish::fail(&mut cx, text::UNEXPECTED).await;
    failed.err().unwrap_or(Failure::Bug { detail })
}
