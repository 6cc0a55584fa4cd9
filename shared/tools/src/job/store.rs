//! Stored jobs. Ended ones are found by id only.

use alfred_core::ScheduleId;
use alfred_schedule::{JobState, StoredJob, row};

use super::{content, timing, view};
use crate::entity::{Candidate, Field, Noun};
use crate::prelude::*;

/// Running and paused jobs, oldest first.
pub(super) async fn list(context: &ToolContext) -> Result<Vec<StoredJob>> {
    Ok(row::list(context.store.as_ref(), &context.team, context.user_id()).await?)
}

#[async_trait]
impl Entity for StoredJob {
    const NOUN: Noun = Noun {
        name: "job",
        label: "Name",
        argument: "jobId",
        id_prefix: "sch_",
        empty: "is empty: say which one.",
        unknown: "isn't among what is scheduled.",
        hint: "job_viewJobs gives the ids.",
        create: "job_createJob",
        update: "job_updateJob",
        delete: "job_deleteJob",
    };

    fn id(&self) -> &str {
        self.job.id.as_str()
    }

    fn title(&self) -> &str {
        &self.job.name
    }

    fn fields(&self, context: &ToolContext) -> Vec<Field> {
        let job = &self.job;
        let words = content::words_of(&job.does).0.to_owned();
        vec![
            Field::argument("name", &job.name),
            Field::changed("words", &job.does).reading(words),
            Field::shown("when", (&job.when, &job.zone), view::when(context, job)),
            Field::changed("status", job.state).reading(view::status(job.state).to_owned()),
        ]
    }

    fn view(&self, context: &ToolContext) -> Value {
        view::shown(context, &self.job)
    }

    fn is_tainted(&self) -> bool {
        !self.job.taint.untrusted.is_empty()
    }

    fn absorb_taint(&mut self, context: &ToolContext) {
        self.job.taint.absorb(&context.taint);
    }

    async fn load(context: &ToolContext, id: &str) -> Result<Option<Self>> {
        let (store, id) = (context.store.as_ref(), ScheduleId(id.to_owned()));
        Ok(row::load(store, &context.team, context.user_id(), &id).await?)
    }

    async fn candidates(context: &ToolContext, group: usize) -> Result<Option<Vec<Candidate>>> {
        if group > 0 {
            return Ok(None);
        }
        let jobs = list(context).await?;
        let jobs = jobs.iter().map(|job| Candidate::of(job, None));
        Ok(Some(jobs.collect()))
    }

    /// A deleted job keeps its row for a while, so that the deletion can be undone.
    fn writes(context: &ToolContext, old: Option<&Self>, new: Option<&Self>) -> Result<Vec<Write>> {
        let job = match (old, new) {
            (_, Some(new)) => new.job.clone(),
            (Some(old), None) => old.job.clone().resting(JobState::Deleted),
            (None, None) => return Ok(Vec::new()),
        };
        Ok(job.instead_of(old, context.now)?)
    }

    /// `None` if no arguments say it, or if tainted words would become the person's own.
    fn restoring(&self, changed: &[Field]) -> Option<Value> {
        let (job, mut call) = (&self.job, json!({"jobId": self.job.id}));
        let is_changed = |name: &str| changed.iter().any(|field| field.name == name);
        if is_changed("words") {
            // Other words made an ordinary job of a standard one.
            if job.kind.is_some() {
                return None;
            }
            let (words, argument) = content::words_of(&job.does);
            call[argument] = words.into();
        }
        if is_changed("words") || is_changed("name") {
            if self.is_tainted() {
                return None;
            }
            call["name"] = job.name.as_str().into();
        }
        if is_changed("when") {
            let said = timing::said_again(&job.when, &job.zone)?;
            call.as_object_mut()?.extend(said.as_object()?.clone());
        }
        if is_changed("when") || is_changed("status") {
            call["status"] = match job.state {
                JobState::Active => "active".into(),
                JobState::Paused { .. } => "paused".into(),
                JobState::Done | JobState::Deleted => return None,
            };
        }
        Some(call)
    }
}
