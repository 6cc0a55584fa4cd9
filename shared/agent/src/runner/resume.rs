//! Handles a queue message about a run: loads the run and continues it, or repeats the follow-up
//! work of an ended one.

use alfred_core::{Classified, Deadline, Failure, RunId, TeamId, text};

use crate::calls::context::RunContext;
use crate::model::run::RunState;
use crate::model::step::{NewStep, StepKind};
use crate::runner::{finish, park, turns};
use crate::store::dispatch;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::tool::program::Program;

/// Loads the run of a message. Fails with `Bug` if it doesn't exist.
pub async fn load(
    ports: &Ports,
    team: &TeamId,
    run: &RunId,
    hops: u16,
) -> Result<LoadedRun, Failure> {
    match ports.journal().load(team, run).await? {
        Some(mut loaded) => {
            loaded.hops = hops;
            Ok(loaded)
        }
        None => Err(Failure::bug(format!("there is no run {run}"))),
    }
}

/// Continues a run from its current state. After a bug the person is notified, and the message fails on every
/// delivery until it is in the dead letter queue.
pub async fn resume(
    ports: &Ports,
    program: &Program,
    mut loaded: LoadedRun,
    classified: Option<Classified>,
    deadline: Deadline,
) -> Result<(), Failure> {
    let outcome = go_on(ports, program, &mut loaded, classified, deadline).await;
    match (outcome, &loaded.run.progress.defect) {
        (Ok(()), Some(detail)) => Err(Failure::bug(detail)),
        (Err(Failure::Bug { detail }), None) => {
            Err(Box::pin(defect(ports, loaded, detail, deadline)).await)
        }
        (outcome, _) => outcome,
    }
}

async fn go_on(
    ports: &Ports,
    program: &Program,
    loaded: &mut LoadedRun,
    classified: Option<Classified>,
    deadline: Deadline,
) -> Result<(), Failure> {
    let first = first_step(loaded, classified);
    let mut cx = RunContext::new(ports, loaded, deadline);
    match &cx.run().state {
        RunState::Ready if cx.loaded.hops > alfred_core::envelope::MAX_HOPS => {
            Err(Failure::bug("the request went round too often"))
        }
        RunState::Ready => Box::pin(turns::work(cx, program, first)).await,
        RunState::Asking { shown: false } => park::show_cards(&mut cx, None).await,
        RunState::Replying { .. } => finish::reply_and_close(&mut cx, false).await,
        RunState::Done { .. } => dispatch::follow_up(ports, cx.run()).await,
        RunState::Asking { shown: true } | RunState::Queued | RunState::Waiting => {
            tracing::info!(run.id = %cx.run().id, "a run that waits was sent to a worker; left alone");
            Ok(())
        }
    }
}

/// Ends a run whose agents no longer exist, with this error message.
pub async fn without_program(
    ports: &Ports,
    mut loaded: LoadedRun,
    reason: String,
    deadline: Deadline,
) -> Result<(), Failure> {
    let mut cx = RunContext::new(ports, &mut loaded, deadline);
    match &cx.run().state {
        RunState::Ready | RunState::Asking { shown: false } => {
            tracing::warn!(run.id = %cx.run().id, "the agents of a run are gone; what is left of it isn't done");
            finish::fail(&mut cx, vec![], reason).await
        }
        RunState::Replying { .. } => finish::reply_and_close(&mut cx, false).await,
        RunState::Done { .. } => dispatch::follow_up(ports, cx.run()).await,
        RunState::Asking { shown: true } | RunState::Queued | RunState::Waiting => Ok(()),
    }
}

fn first_step(loaded: &LoadedRun, classified: Option<Classified>) -> Vec<NewStep> {
    match classified {
        Some(found) if loaded.steps.is_empty() => {
            let ms = found.ms;
            vec![StepKind::Classified(found).took(ms)]
        }
        _ => Vec::new(),
    }
}

/// Ends a run after a bug with a neutral message. Returns the failure that moves the queue message
/// to the dead letter queue.
pub async fn defect(
    ports: &Ports,
    mut loaded: LoadedRun,
    detail: String,
    deadline: Deadline,
) -> Failure {
    tracing::error!(run.id = %loaded.run.id, error = detail, "a defect ended a run");
    let known = detail.clone();
    let mark = |run: &mut crate::model::run::Run| run.progress.defect = Some(known);
    // The failed attempt may have left changes in memory that aren't stored.
    match ports.journal().load(&loaded.run.team, &loaded.run.id).await {
        Ok(Some(stored)) => loaded = stored,
        Ok(None) => return Failure::Bug { detail },
        Err(failure) => return failure,
    }
    if loaded.run.output().is_some() {
        return Failure::Bug { detail };
    }
    let mut cx = RunContext::new(ports, &mut loaded, deadline);
    if let Err(error) = cx.commit(vec![], vec![], mark).await {
        return error.into();
    }
    match finish::fail(&mut cx, vec![], text::UNEXPECTED).await {
        Ok(()) => Failure::Bug { detail },
        Err(failure) => failure,
    }
}
