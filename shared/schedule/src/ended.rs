use alfred_agent::Ports;
use alfred_agent::slack::respond::head;
use alfred_agent::store::ports::{AtEnd, Ending, Hook};
use alfred_core::{Failure, Result, WorkerOutput};
use async_trait::async_trait;

use crate::{Job, JobState, Why, row};

pub(super) const MOST_FAILURES: u32 = 3;
pub(super) const ERROR_CHARS: usize = 300;

const JOB_PAUSED_FAILING: &str =
    "That was the third time in a row, so I've paused it. Tell me when I should go on with it.";

#[derive(Debug)]
pub struct JobEnd;

#[async_trait]
impl Hook for JobEnd {
    async fn beside_end(&self, ports: &Ports, ending: &Ending<'_>) -> Result<AtEnd> {
        let run = &ending.loaded.run;
        let Some(of) = &run.job else {
            return Ok(AtEnd::default());
        };
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
        let job = counted(stored.job.clone(), ending.output);
        if job == stored.job {
            return Ok(AtEnd::default());
        }
        let paused = job.state != stored.job.state;
        Ok(AtEnd {
            note: paused.then_some(JOB_PAUSED_FAILING),
            writes: job.instead_of(Some(&stored), ports.clock.now())?,
        })
    }
}

fn counted(mut job: Job, output: &WorkerOutput) -> Job {
    job.failures = if output.success { 0 } else { job.failures + 1 };
    let error = output.error.as_deref().filter(|_| !output.success);
    job.last_error = error.map(|why| head(why, ERROR_CHARS));
    if job.failures >= MOST_FAILURES && job.state == JobState::Active {
        return job.resting(JobState::Paused { why: Why::Failing });
    }
    job
}
