//! Updates a job when its scheduled run ends, in the commit of the outcome.

use alfred_core::ports::Write;
use alfred_core::{Failure, WorkerOutput};

use crate::model::run::Run;
use crate::schedule::{Job, JobState, Why, row};
use crate::slack::respond::head;
use crate::store::ports::Ports;

/// Consecutive failures after which a job is paused.
pub(super) const MOST_FAILURES: u32 = 3;
pub(super) const ERROR_CHARS: usize = 300;

#[derive(Debug, Default)]
pub struct Ended {
    /// To commit with the outcome.
    pub writes: Vec<Write>,
    pub paused: bool,
}

/// The effect of a run's outcome on its job. Empty for a run without job.
pub async fn ended(ports: &Ports, run: &Run, output: &WorkerOutput) -> Result<Ended, Failure> {
    let Some(of) = &run.job else {
        return Ok(Ended::default());
    };
    let stored = match row::load(&*ports.store, &run.team, &run.user, &of.id).await {
        Err(Failure::Bug { detail }) => {
            tracing::error!(job.id = %of.id, error = detail, "a job's row can't be read; its run ends all the same");
            None
        }
        stored => stored?,
    };
    let Some(stored) = stored else {
        return Ok(Ended::default());
    };
    let job = counted(stored.job.clone(), output);
    if job == stored.job {
        return Ok(Ended::default());
    }
    let owner = (&run.team, &run.user);
    Ok(Ended {
        writes: job.instead_of(owner, Some(&stored), ports.clock.now())?,
        paused: job.state != stored.job.state,
    })
}

fn counted(job: Job, output: &WorkerOutput) -> Job {
    if output.success {
        return Job {
            failures: 0,
            last_error: None,
            ..job
        };
    }
    let failing = Job {
        failures: job.failures + 1,
        last_error: output.error.as_deref().map(|why| head(why, ERROR_CHARS)),
        ..job
    };
    match failing.failures >= MOST_FAILURES && failing.state == JobState::Active {
        true => failing.resting(JobState::Paused { why: Why::Failing }),
        false => failing,
    }
}
