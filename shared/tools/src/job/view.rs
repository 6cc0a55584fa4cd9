use alfred_schedule::{Does, Job, JobState, StoredJob, Why, row};

use super::content::words_of;
use super::timing;
use crate::fields::local;
use crate::prelude::*;

pub(super) fn shown(context: &ToolContext, job: &Job) -> Value {
    let (words, field) = words_of(&job.does);
    let mut shown = json!({
        "jobId": job.id,
        "name": job.name,
        field: words,
        "when": when(context, job),
        "status": status(job.state),
        "runs": job.runs,
    });
    let zone = job.time_zone().unwrap_or_else(|| context.zone());
    let local = |at: Timestamp| local(at, &zone, "%Y-%m-%d %a %H:%M");
    let looks = matches!(job.does, Does::Meetings(_));
    let next = job.next.filter(|_| !looks).map(|next| local(next.at));
    add(&mut shown, "next", json!(next));
    add(&mut shown, "lastRun", json!(job.last_run_at.map(local)));
    if job.failures > 0 {
        shown["failuresInARow"] = job.failures.into();
        shown["lastError"] = job.last_error.clone().into();
    }
    shown
}

/// A person's jobs, oldest first, each with a line such as "Standup: every weekday at 09:00".
pub async fn job_lines(context: &ToolContext) -> Result<Vec<(Job, String)>, Failure> {
    let line = |stored: StoredJob| {
        let (job, when) = (&stored.job, when(context, &stored.job));
        let line = match job.state {
            JobState::Active => format!("{}: {when}", job.name),
            state => format!("{}: {when} ({})", job.name, status(state)),
        };
        (stored.job, line)
    };
    let store = context.store.as_ref();
    let jobs = row::list(store, &context.team, context.user_id()).await?;
    Ok(jobs.into_iter().map(line).collect())
}

pub(super) fn when(context: &ToolContext, job: &Job) -> String {
    if let Does::Meetings(meetings) = &job.does {
        let others = "meeting with others";
        let each = if meetings.alone { "event" } else { others };
        return format!("{} minutes before each {each}", meetings.minutes);
    }
    let zone = job.time_zone().unwrap_or_else(|| context.zone());
    timing::in_words(&job.when, (&job.zone, &zone), &context.user.timezone)
}

pub(super) fn status(state: JobState) -> &'static str {
    match state {
        JobState::Active => "active",
        JobState::Paused { why: Why::Asked } => "paused",
        JobState::Paused { why: Why::Failing } => "paused after failures",
        JobState::Paused { why: Why::Zone } => "paused, time zone unknown",
        JobState::Paused { why: Why::Owner } => "paused while the person wasn't served",
        JobState::Done => "done",
        JobState::Deleted => "deleted",
    }
}
