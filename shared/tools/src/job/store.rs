//! Reads and writes jobs.

use alfred_core::ScheduleId;
use alfred_core::ports::Write;
use alfred_schedule::{Job, StoredJob, row};

use crate::fields::{self, Labelled};
use crate::prelude::*;
use crate::resolve_by_title::{ambiguous, resolve_by_title};

/// Finds a job of the asking person by id or name. Ended jobs are found by id only.
pub(super) async fn get(context: &ToolContext, text: &str) -> Result<StoredJob, ToolError> {
    let store = context.store.as_ref();
    let found = match fields::id("jobId", text, "sch_") {
        Ok(id) => row::load(store, &context.team, context.user_id(), &ScheduleId(id)).await?,
        Err(_) => {
            let jobs = list(context).await?;
            let mut named = resolve_by_title(jobs, text, |stored| &stored.job.name);
            if named.len() > 1 {
                let things: Vec<Labelled> = named.iter().map(label).collect();
                return Err(ambiguous("jobId", text, &things));
            }
            named.pop()
        }
    };
    let none = || refused("jobId", text, "isn't among what is scheduled.");
    found.ok_or_else(|| none().hint("job_viewJobs gives the ids."))
}

/// A job in an error. Errors carry no taint, so a tainted name isn't quoted.
fn label(stored: &StoredJob) -> Labelled {
    let job = &stored.job;
    let name = match is_tainted(job) {
        true => "a job".to_owned(),
        false => format!("\"{}\"", job.name),
    };
    (name, job.id.to_string())
}

/// Running and paused jobs, oldest first.
pub(super) async fn list(context: &ToolContext) -> Result<Vec<StoredJob>, ToolError> {
    let store = context.store.as_ref();
    Ok(row::list(store, &context.team, context.user_id()).await?)
}

pub(super) fn write(
    context: &ToolContext,
    job: &Job,
    before: Option<&StoredJob>,
) -> Result<Vec<Write>, ToolError> {
    Ok(job.instead_of(before, context.now)?)
}

/// Whether other people's words may have shaped the job.
pub(super) fn is_tainted(job: &Job) -> bool {
    !job.taint.untrusted.is_empty()
}

/// The fields that show whether a job was changed since.
pub(super) fn left(job: &Job) -> Value {
    json!({
        "name": job.name,
        "does": job.does,
        "when": job.when,
        "zone": job.zone,
        "state": job.state,
    })
}
