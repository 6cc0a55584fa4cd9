//! Updates a job when its scheduled run ends, in the commit of the outcome.

use alfred_agent::model::job::JobOccurrence;
use alfred_agent::slack::respond::head;
use alfred_agent::store::ports::{AtEnd, Ending, Hook};
use alfred_agent::{Ports, Run};
use alfred_core::{Failure, WorkerOutput};
use async_trait::async_trait;

use crate::{Job, JobState, Why, row};

/// Consecutive failures after which a job is paused.
pub(super) const MOST_FAILURES: u32 = 3;
pub(super) const ERROR_CHARS: usize = 300;

const JOB_PAUSED_FAILING: &str =
    "That was the third time in a row, so I've paused it. Tell me when I should go on with it.";

/// Updates a job in the commit of its run's outcome.
#[derive(Debug)]
pub struct JobEnd;

#[async_trait]
impl Hook for JobEnd {
    async fn beside_end(&self, ports: &Ports, ending: &Ending<'_>) -> Result<AtEnd, Failure> {
        let run = &ending.loaded.run;
        match &run.job {
            Some(of) => ended(ports, run, of, ending.output).await,
            None => Ok(AtEnd::default()),
        }
    }
}

async fn ended(
    ports: &Ports,
    run: &Run,
    of: &JobOccurrence,
    output: &WorkerOutput,
) -> Result<AtEnd, Failure> {
    let stored = match row::load(&*ports.store, &run.team, &run.user, &of.id).await {
        Err(Failure::Bug { detail }) => {
            tracing::error!(job.id = %of.id, error = detail, "a job's row can't be read; its run ends all the same");
            None
        }
        stored => stored?,
    };
    let Some(stored) = stored else {
        return Ok(AtEnd::default());
    };
    let job = counted(stored.job.clone(), output);
    if job == stored.job {
        return Ok(AtEnd::default());
    }
    let paused = job.state != stored.job.state;
    Ok(AtEnd {
        note: paused.then_some(JOB_PAUSED_FAILING),
        writes: job.instead_of(&run.team, &run.user, Some(&stored), ports.clock.now())?,
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
