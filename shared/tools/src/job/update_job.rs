use alfred_agent::model::in_words;
use alfred_schedule::{Does, Job, JobState, StoredJob, Why};

use super::timing::{self, Day, Timing};
use super::{TOOLSET, content, store, view};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its name.
    job_id: String,
    /// Another name.
    name: Option<String>,
    /// Other words to say.
    say: Option<String>,
    /// What else is to be done then.
    request: Option<String>,
    /// "paused" lets it rest, "active" lets it go on.
    status: Option<Status>,
    /// In so many minutes, once.
    in_minutes: Option<i64>,
    /// The day, for what happens once.
    date: Option<String>,
    /// The time of day; on the days it had, where nothing else is said.
    time: Option<String>,
    /// The days it repeats on.
    days: Option<Vec<Day>>,
    /// Every so many minutes, 5 to 1440.
    every_minutes: Option<i64>,
    /// IANA time zone or city.
    timezone: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Paused,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "job_updateJob",
        "Changes, pauses or resumes a reminder or scheduled job; what is left out stays.",
    )
    .flow(Flow::PRIVATE.steering())
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.say.is_none() && args.request.is_none() && args.name.is_none(),
        |def| tool::shown(def, preview, update),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let stored = store::get(&context, &args.job_id).await?;
    let after = args.applied(&context, &stored.job)?;
    let mut preview = Preview::new("Change what is scheduled").field("Name", &stored.job.name);
    for (field, from, to) in differences(&context, &stored.job, &after) {
        preview = preview.change(&in_words(field), from, to);
    }
    Ok(preview)
}

async fn update(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let stored = store::get(&context, &args.job_id).await?;
    let before = &stored.job;
    let tainted = store::is_tainted(before);
    context.ensure_as_left(&before.name, tainted, &store::left(before))?;
    let after = args.applied(&context, before)?;
    let differences = differences(&context, before, &after);
    if differences.is_empty() {
        return Err(refused("jobId", &args.job_id, "is as asked for already."));
    }
    let what = differences.iter().map(|(field, _, to)| match *field {
        "when" | "status" => to.clone(),
        field => field.to_owned(),
    });
    let what: Vec<String> = what.collect();
    let writes = store::write(&context, &after, Some(&stored))?;
    let data = json!({"job": view::shown(&context, &after)});
    Ok(ToolOutput::data(&data)?
        .with_effect(
            format!("Changed “{}”: {}", after.name, what.join(", ")),
            writes,
        )
        .at_place("what is scheduled")
        .undone_by("job_updateJob", undo(&stored, &after))
        .leaving([store::left(&after)])
        .bringing(Flow::of_stored(store::is_tainted(&after))))
}

/// The arguments of the undo. `None` if no argument expresses the earlier state, or if tainted words would
/// become the person's own.
fn undo(stored: &StoredJob, after: &Job) -> Option<Value> {
    let before = &stored.job;
    let mut back = json!({"jobId": before.id});
    let renamed = before.name != after.name;
    if before.does != after.does {
        if before.kind != after.kind {
            return None;
        }
        let (words, field) = content::words_of(&before.does);
        back[field] = words.into();
    }
    if before.does != after.does || renamed {
        if store::is_tainted(before) {
            return None;
        }
        back["name"] = before.name.as_str().into();
    }
    if (&before.when, &before.zone) != (&after.when, &after.zone) {
        let said = timing::said_again(&before.when, &before.zone)?;
        let fields = back.as_object_mut()?;
        fields.extend(said.as_object()?.clone());
    }
    match before.state {
        JobState::Active => back["status"] = "active".into(),
        JobState::Paused { .. } => back["status"] = "paused".into(),
        JobState::Done | JobState::Deleted => return None,
    }
    Some(back)
}

/// The field, old and new text of each visible difference.
fn differences(
    context: &ToolContext,
    before: &Job,
    after: &Job,
) -> Vec<(&'static str, String, String)> {
    let words = |job: &Job| content::words_of(&job.does).0.to_owned();
    let status = |job: &Job| view::status(job.state).to_owned();
    let when = |job: &Job| view::when(context, job);
    let all = [
        ("name", before.name.clone(), after.name.clone()),
        ("words", words(before), words(after)),
        ("when", when(before), when(after)),
        ("status", status(before), status(after)),
    ];
    let differ = |(_, from, to): &(&str, String, String)| from != to;
    all.into_iter().filter(differ).collect()
}

impl Arguments {
    fn applied(&self, context: &ToolContext, before: &Job) -> Result<Job, ToolError> {
        let mut job = before.clone();
        if let Some(name) = &self.name {
            job.name = content::name(name).map_err(invalid)?;
        }
        let does = content::does(self.say.as_deref(), self.request.as_deref());
        if let Some(does) = does.map_err(invalid)? {
            if self.name.is_none() && job.name == content::name_of(&job.does) {
                job.name = content::name_of(&does);
            }
            job.does = does;
            // With other words it isn't a standard job any more.
            job.kind = None;
        }
        let timing = self.timing(before);
        let goes_by_meetings = matches!(before.does, Does::Meetings(_));
        if goes_by_meetings && (job.does != before.does || timing.says_when()) {
            let problem = "goes by the calendar. Delete it, and create what is wanted instead.";
            return Err(refused("jobId", &self.job_id, problem));
        }
        let (name, zone) = timing.zone(&before.zone).map_err(invalid)?;
        job.zone.clone_from(&name);
        if timing.says_when() {
            job.when = timing
                .meant(context, (name, zone.clone()))
                .map_err(invalid)?
                .0;
        }
        job.taint.absorb(&context.taint);
        let runs = match self.status {
            Some(status) => status == Status::Active,
            None => before.state == JobState::Active,
        };
        if !runs {
            return match (self.status, before.is_kept()) {
                (None, false) => Err(refused("jobId", &self.job_id, "is over. Create it anew.")),
                (Some(_), _) => Ok(job.resting(JobState::Paused { why: Why::Asked })),
                (None, true) => Ok(job),
            };
        }
        if before.state != JobState::Active {
            job.failures = 0;
            job.last_error = None;
        }
        let job = job.due_after(context.now, &zone);
        match job.state {
            JobState::Active => Ok(job),
            _ => Err(refused(
                "jobId",
                &self.job_id,
                "has no time left. Give a date and time.",
            )),
        }
    }

    /// The time arguments, completed from the earlier schedule where the call leaves out day, date or time.
    fn timing(&self, before: &Job) -> Timing {
        let mut timing = Timing {
            in_minutes: self.in_minutes,
            date: self.date.clone(),
            time: self.time.clone(),
            days: self.days.clone(),
            every_minutes: self.every_minutes,
            timezone: self.timezone.clone(),
        };
        let counted = timing.in_minutes.is_some() || timing.every_minutes.is_some();
        if counted || !timing.says_when() {
            return timing;
        }
        let kept = timing::said_again(&before.when, &before.zone).unwrap_or_default();
        if timing.time.is_none() {
            timing.time = kept["time"].as_str().map(str::to_owned);
        }
        if timing.days.is_none() && timing.date.is_none() {
            timing.days = serde_json::from_value(kept["days"].clone()).ok();
            if timing.days.is_none() {
                timing.date = kept["date"].as_str().map(str::to_owned);
            }
        }
        timing
    }
}

#[cfg(test)]
#[path = "update_job_tests.rs"]
mod tests;
