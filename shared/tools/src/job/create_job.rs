use alfred_agent::model::ROW_VERSION;
use alfred_core::ScheduleId;
use alfred_core::text::one_line;
use alfred_schedule::row::MOST_JOBS;
use alfred_schedule::{Does, Job, JobState, Kind, Meetings, StoredJob, When};
use std::collections::BTreeMap;

use super::content::{Name, Said};
use super::timing::{Ahead, Interval, Timing, WeekDay};
use super::{TOOLSET, content, store, view};
use crate::args::{NamedZoneRule, Rule};
use crate::fields::bad;
use crate::prelude::*;

/// Default minutes between two looks of the focus guard.
const GUARDS_EVERY: u32 = 15;
/// Default minutes before a meeting.
const USUALLY_BEFORE: u32 = 10;
/// Minutes to the first look at the calendar; each look sets the next one.
const LOOKS: u32 = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// For a reminder: the words to say then, such as "Call Ben".
    say: Option<Said>,
    /// For anything else: what is to be done then, complete in itself, as the person would ask it.
    request: Option<Said>,
    /// Instead of both: a standard morning brief or evening review; focusGuard, which asks when a meeting lands on a focus block; or a reminder before each meeting, without time arguments.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("enum" = ["brief", "review", "focusGuard", "meetingReminder"]))]
    kind: Option<Kind>,
    /// A short name, only where the person gave one.
    name: Option<Name>,
    /// In so many minutes, once.
    in_minutes: Option<Ahead>,
    /// The day, for what happens once: "2026-11-21", "tomorrow" or a weekday.
    date: Option<Day>,
    /// The time of day: "09:00".
    time: Option<Clock>,
    /// For what repeats: on which days.
    days: Option<Vec<WeekDay>>,
    /// For what repeats during the day: every so many minutes, 5 to 1440.
    every_minutes: Option<Interval>,
    /// IANA time zone or city; the person's own when left out.
    timezone: Option<NamedZone>,
    /// Before meetings: so many minutes, 5 to 120; 10 when left out.
    minutes_before: Option<Number<5, 120>>,
    /// Before meetings: also events without other people.
    alone: Option<bool>,
}

pub fn tool() -> SharedTool {
    let description = "Sets a reminder, or schedules what is to be done later or again and again. Answers go where this was asked.";
    let def = ToolDef::new(TOOLSET, "job_createJob", description)
        // The result repeats only the call's own arguments. It steers, since the job runs later.
        .flow(Flow::NEUTRAL.steering())
        .effect(Effect::ReversibleWrite)
        .with(|def| {
            def.adds = true;
            def.labels = &["date", "time", "days", "inMinutes"];
            def.retold = &["say"];
        });
    edit::tool(def, create)
}

async fn create(context: ToolContext, args: Arguments) -> Result<Edit<StoredJob>> {
    let job = args.job(&context)?;
    if store::list(&context).await?.len() >= MOST_JOBS {
        let error = format!("there are {MOST_JOBS} already, and no more fit. Delete one first.");
        return Err(ToolError::failed(error));
    }
    let (name, when) = (&job.name, view::when(&context, &job));
    let (title, receipt) = if matches!(job.does, Does::Say { .. }) {
        ("Set a reminder", format!("Reminder set: “{name}”, {when}"))
    } else {
        ("Schedule a job", format!("Scheduled “{name}”, {when}"))
    };
    let words = content::words_of(&job.does).0.to_owned();
    let edit = Edit::create(title, StoredJob { job, version: 0 });
    Ok(edit.receipt(receipt).body(words))
}

impl Arguments {
    fn job(self, context: &ToolContext) -> Result<Job> {
        let mut timing = Timing {
            in_minutes: self.in_minutes.map(|minutes| *minutes),
            date: self.date.map(|day| day.value),
            time: self.time.map(|time| *time),
            days: self.days,
            every_minutes: self.every_minutes.map(|minutes| *minutes),
            zone: match self.timezone {
                Some(zone) => zone.value,
                None => own_zone(context)?,
            },
        };
        let before = self.minutes_before.as_ref();
        let meetings = Meetings {
            minutes: before.map_or(USUALLY_BEFORE, |minutes| **minutes),
            alone: self.alone.unwrap_or(false),
        };
        let says_which = before.is_some() || self.alone.is_some();
        let when = when(self.kind, says_which, &mut timing, context)?;
        let does = does(self.kind, meetings, content::does(self.say, self.request)?)?;
        let name = match (&self.name, self.kind) {
            (Some(name), _) => one_line(name),
            (None, Some(kind)) => content::name_of_kind(kind).to_owned(),
            (None, None) => content::name_of(&does),
        };
        let (zone, tz) = timing.zone;
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

/// `says_which` tells whether settings of a meeting reminder are given.
fn when(
    kind: Option<Kind>,
    says_which: bool,
    timing: &mut Timing,
    context: &ToolContext,
) -> Result<When> {
    let wrong = |problem| Err(refused("kind", "", problem));
    if kind == Some(Kind::MeetingReminder) {
        if timing.says_when() {
            return wrong("goes by the calendar and takes no time.");
        }
        let (minutes, from) = (LOOKS, context.began);
        return Ok(When::Interval { minutes, from });
    }
    if says_which {
        return wrong("must be meetingReminder for minutesBefore or alone.");
    }
    if kind == Some(Kind::FocusGuard) && !timing.says_when() {
        timing.every_minutes = Some(GUARDS_EVERY);
    }
    timing.meant(context).map_err(invalid)
}

fn does(kind: Option<Kind>, meetings: Meetings, said: Option<Does>) -> Result<Does> {
    match (said, kind) {
        (Some(does), None) => Ok(does),
        (None, Some(kind)) => Ok(content::standard(kind, meetings)),
        (None, None) => {
            let problem = "is missing: give the words to say, or in request what is to be done.";
            Err(refused("say", "", problem))
        }
        (Some(_), Some(_)) => {
            let problem = "already defines what is done; leave out say and request.";
            Err(refused("kind", "", problem))
        }
    }
}

/// The person's own zone. A job keeps its name.
fn own_zone(context: &ToolContext) -> Result<(String, TimeZone)> {
    NamedZoneRule::check(&context.user.timezone).map_err(|error| bad(&error).of("timezone"))
}
