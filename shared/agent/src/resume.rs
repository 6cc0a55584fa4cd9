//! A message about a run that a worker received: load it, go on where it
//! stands, and see to what is left of one that already ended.

use alfred_core::{Classified, Deadline, Failure, RunId, TeamId, text};

use crate::agent::Agent;
use crate::approval::show;
use crate::finish::{self, Progress};
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::run::{RunState, StepKind};
use crate::turns;

/// Loads a run for the message that names it.
///
/// # Errors
/// `Bug` when it isn't there.
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

/// Goes on with a run where it stands.
///
/// # Errors
/// What the queue's runner must do about it. A defect is told to the person
/// first, and then fails on every delivery until it is in the dead-letter queue.
pub async fn resume(
    ports: &Ports,
    agent: &Agent,
    mut loaded: LoadedRun,
    classified: Option<Classified>,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    let outcome = match &loaded.run.state {
        RunState::Ready if loaded.hops > alfred_core::envelope::MAX_HOPS => {
            Err(Failure::bug("the request went round too often"))
        }
        RunState::Ready => {
            let first = first_step(&loaded, classified);
            turns::work(ports, agent, &mut loaded, first, deadline).await
        }
        RunState::Asking { shown: false } => show::show(ports, &mut loaded, None).await,
        RunState::Asking { shown: true } => {
            tracing::info!(run.id = %loaded.run.id, "it waits for its owner; left alone");
            Ok(Progress::Parked)
        }
        RunState::Replying { .. } => {
            finish::reply_and_close(ports, &mut loaded, false, deadline).await
        }
        RunState::Done { .. } => finish::follow_up(ports, &loaded.run)
            .await
            .map(|()| Progress::Finished),
        RunState::Queued | RunState::Waiting => {
            tracing::info!(run.id = %loaded.run.id, "a run that waits was sent to a worker; left alone");
            Ok(Progress::Parked)
        }
    };
    match (outcome, &loaded.run.defect) {
        (Ok(progress @ Progress::Superseded), _) => progress.settled().map(|()| progress),
        (Ok(_), Some(detail)) => Err(Failure::bug(detail)),
        (Err(Failure::Bug { detail }), None) => Err(defect(ports, loaded, detail, deadline).await),
        (outcome, _) => outcome,
    }
}

fn first_step(loaded: &LoadedRun, classified: Option<Classified>) -> Vec<(u64, StepKind)> {
    match classified {
        Some(found) if loaded.steps.is_empty() => {
            vec![(found.ms, StepKind::Classified(found))]
        }
        _ => Vec::new(),
    }
}

/// Ends a run that met a defect with neutral words, and gives the failure that
/// takes its message to the dead-letter queue.
pub async fn defect(
    ports: &Ports,
    mut loaded: LoadedRun,
    detail: String,
    deadline: Deadline,
) -> Failure {
    tracing::error!(run.id = %loaded.run.id, error = detail, "a defect ended a run");
    let known = detail.clone();
    let mark = |run: &mut crate::run::Run| run.defect = Some(known);
    // What the failed attempt left in memory may not be what is stored.
    match ports.journal().load(&loaded.run.team, &loaded.run.id).await {
        Ok(Some(stored)) => loaded = stored,
        Ok(None) => return Failure::Bug { detail },
        Err(failure) => return failure,
    }
    if loaded.run.output().is_some() {
        return Failure::Bug { detail };
    }
    let mut status = crate::status::StatusLine::default();
    match ports
        .journal()
        .commit(&mut loaded, vec![], vec![], mark)
        .await
    {
        Ok(()) => {}
        Err(CommitError::Superseded) => return Failure::retry("another worker moved the run"),
        Err(other) => return other.into(),
    }
    let told = finish::with_error(
        ports,
        &mut loaded,
        vec![],
        text::unexpected(),
        &mut status,
        deadline,
    )
    .await;
    match told {
        Ok(_) => Failure::Bug { detail },
        Err(failure) => failure,
    }
}
