use alfred_agent::model::ROW_VERSION;
use alfred_core::ScheduleId;
use alfred_schedule::row::MOST_JOBS;
use alfred_schedule::{Job, JobState, Kind, Meetings, When};
use schemars::{Schema, SchemaGenerator, json_schema};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::timing::{Day, Timing};
use super::{TOOLSET, content, store, view};
use crate::prelude::*;

/// Default minutes between two looks of the focus guard.
const GUARDS_EVERY: i64 = 15;
/// Minutes before a meeting.
const BEFORE: RangeInclusive<u32> = 5..=120;
const USUALLY_BEFORE: u32 = 10;
/// Minutes to the first look at the calendar; each look sets the next one.
const LOOKS: u32 = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// For a reminder: the words to say then, such as "Call Ben".
    say: Option<String>,
    /// For anything else: what is to be done then, complete in itself, as the person would ask it.
    request: Option<String>,
    /// In the stead of both: a standard morning brief or evening review; focusGuard, which asks when a meeting lands on a focus block; or a reminder before each meeting, which takes no time.
    #[serde(default)]
    #[schemars(schema_with = "kind_schema")]
    kind: Option<Kind>,
    /// A short name, only where the person gave one.
    name: Option<String>,
    /// In so many minutes, once.
    in_minutes: Option<i64>,
    /// The day, for what happens once: "2026-11-21", "tomorrow" or a weekday.
    date: Option<String>,
    /// The time of day: "09:00".
    time: Option<String>,
    /// For what repeats: on which days.
    days: Option<Vec<Day>>,
    /// For what repeats during the day: every so many minutes, 5 to 1440.
    every_minutes: Option<i64>,
    /// IANA time zone or city; the person's own when left out.
    timezone: Option<String>,
    /// Before meetings: so many minutes, 5 to 120; 10 when left out.
    minutes_before: Option<i64>,
    /// Before meetings: also events without other people.
    alone: Option<bool>,
}

fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["brief", "review", "focusGuard", "meetingReminder"] })
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "job_createJob",
        "Sets a reminder, or schedules what is to be done later or again and again. Answers go where this was asked.",
    )
    // The result repeats only the call's own arguments. It steers, since the job runs later.
    .flow(Flow::NEUTRAL.steering())
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(
        def,
        async |context, args: Arguments| {
            let job = args.job(&context)?;
            Ok(preview(&context, &job))
        },
        create,
    )
}

fn preview(context: &ToolContext, job: &Job) -> Preview {
    let title = create_job_title(content::is_reminder(&job.does));
    Preview::new(title)
        .field("Name", &job.name)
        .field("When", view::when(context, job))
        .body(content::words_of(&job.does).0)
}

fn create_job_title(is_reminder: bool) -> &'static str {
    if is_reminder {
        "Set a reminder"
    } else {
        "Schedule a job"
    }
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let job = args.job(&context)?;
    if store::list(&context).await?.len() >= MOST_JOBS {
        let error = format!("there are {MOST_JOBS} already, and no more fit. Delete one first.");
        return Err(ToolError::failed(error));
    }
    let is_reminder = content::is_reminder(&job.does);
    let action = job_set(is_reminder, &job.name, &view::when(&context, &job));
    let writes = store::write(&context, &job, None)?;
    let created = json!({"job": view::shown(&context, &job)});
    Ok(ToolOutput::data(&created)?
        .with_effect(action, writes)
        .at_place("what is scheduled")
        .undone_by("job_deleteJob", [json!({"jobId": job.id})])
        .leaving([store::left(&job)]))
}

fn job_set(is_reminder: bool, name: &str, when: &str) -> String {
    if is_reminder {
        format!("Reminder set: “{name}”, {when}")
    } else {
        format!("Scheduled “{name}”, {when}")
    }
}

impl Arguments {
    fn job(self, context: &ToolContext) -> Result<Job, ToolError> {
        let mut timing = Timing {
            in_minutes: self.in_minutes,
            date: self.date,
            time: self.time,
            days: self.days,
            every_minutes: self.every_minutes,
            timezone: self.timezone,
        };
        let given = (self.minutes_before, self.alone);
        let meetings = meetings(self.kind, given, timing.says_when())?;
        if self.kind == Some(Kind::FocusGuard) && !timing.says_when() {
            timing.every_minutes = Some(GUARDS_EVERY);
        }
        let goes_by_meetings = self.kind == Some(Kind::MeetingReminder);
        let (name, zone) = timing.zone(&context.user.timezone).map_err(invalid)?;
        let (when, zone, tz) = match goes_by_meetings {
            true => {
                let from = context.began;
                let minutes = LOOKS;
                (When::Interval { minutes, from }, name, zone)
            }
            false => timing.meant(context, (name, zone)).map_err(invalid)?,
        };
        let does = content::does(self.say.as_deref(), self.request.as_deref()).map_err(invalid)?;
        let does = match (does, self.kind) {
            (Some(does), None) => does,
            (None, Some(kind)) => content::standard(kind, meetings),
            (None, None) => {
                let problem =
                    "is missing: give the words to say, or in request what is to be done.";
                return Err(refused("say", "", problem));
            }
            (Some(_), Some(_)) => {
                let problem = "says itself what is done; give no words and no request beside it.";
                return Err(refused("kind", "", problem));
            }
        };
        let name = match (&self.name, self.kind) {
            (Some(name), _) => content::name(name).map_err(invalid)?,
            (None, Some(kind)) => content::name_of_kind(kind).to_owned(),
            (None, None) => content::name_of(&does),
        };
        let job = Job {
            v: ROW_VERSION,
            id: ScheduleId::new(context.ids.as_ref()),
            team: context.team.clone(),
            user: context.user_id().clone(),
            name,
            does,
            kind: self.kind,
            when,
            zone,
            place: context.place.clone(),
            session: context.session.clone(),
            taint: context.taint.clone(),
            state: JobState::Active,
            next: None,
            last_run: None,
            last_run_at: None,
            runs: 0,
            failures: 0,
            last_error: None,
            told: BTreeMap::new(),
            created_at: context.now,
        };
        let job = job.due_after(context.now, &tz);
        match job.state {
            JobState::Active => Ok(job),
            _ => Err(refused("time", "", "is over by now. Give another one.")),
        }
    }
}

/// The settings of a meeting reminder. Refuses them for other kinds, and times for a meeting reminder.
fn meetings(
    kind: Option<Kind>,
    (before, alone): (Option<i64>, Option<bool>),
    says_when: bool,
) -> Result<Meetings, ToolError> {
    let says_which = before.is_some() || alone.is_some();
    let problem = match kind {
        Some(Kind::MeetingReminder) if says_when => "goes by the calendar and takes no time.",
        Some(Kind::MeetingReminder) => "",
        _ if says_which => "must be meetingReminder for minutesBefore or alone.",
        _ => "",
    };
    if !problem.is_empty() {
        return Err(refused("kind", "", problem));
    }
    let before = before.map(|minutes| within("minutesBefore", minutes, &BEFORE));
    Ok(Meetings {
        minutes: before
            .transpose()
            .map_err(invalid)?
            .unwrap_or(USUALLY_BEFORE),
        alone: alone.unwrap_or(false),
    })
}

#[cfg(test)]
#[path = "create_job_tests.rs"]
mod tests;
