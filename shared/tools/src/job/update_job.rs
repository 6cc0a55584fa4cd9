use alfred_core::text::one_line;
use alfred_schedule::{Does, Job, JobState, StoredJob, Why};

use super::content::{Name, Said};
use super::timing::{self, Ahead, Interval, Timing, WeekDay};
use super::{TOOLSET, content};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its name.
    job_id: Ref<StoredJob>,
    /// Another name.
    name: Option<Name>,
    /// Other words to say.
    say: Option<Said>,
    /// What else is to be done then.
    request: Option<Said>,
    /// "paused" lets it rest, "active" lets it go on.
    status: Option<Status>,
    /// In so many minutes, once.
    in_minutes: Option<Ahead>,
    /// The day, for what happens once.
    date: Option<Day>,
    /// The time of day; the days stay unless days or date is given.
    time: Option<Clock>,
    /// The days it repeats on.
    days: Option<Vec<WeekDay>>,
    /// Every so many minutes, 5 to 1440.
    every_minutes: Option<Interval>,
    /// IANA time zone or city.
    timezone: Option<NamedZone>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Paused,
}

pub fn tool() -> SharedTool {
    let description =
        "Changes, pauses or resumes a reminder or scheduled job; what is left out stays.";
    let def = ToolDef::new(TOOLSET, "job_updateJob", description)
        .flow(Flow::PRIVATE.steering())
        .effect(Effect::ReversibleWrite);
    let is_light =
        |args: &Arguments| args.say.is_none() && args.request.is_none() && args.name.is_none();
    heavy(def, is_light, |def| edit::tool(def, update))
}

async fn update(context: ToolContext, args: Arguments) -> Result<Edit<StoredJob>> {
    let before = args.job_id.find(&context).await?;
    let after = StoredJob {
        job: args.applied(&context, &before.job)?,
        version: before.version,
    };
    let name = after.job.name.clone();
    let edit = Edit::change("Change what is scheduled", before, after);
    let (_, to) = edit.changed(&context);
    let parts = to.into_iter().map(|field| match field.name {
        "when" | "status" => field.text,
        name => name.to_owned(),
    });
    let parts: Vec<String> = parts.collect();
    Ok(edit.receipt(format!("Changed “{name}”: {}", parts.join(", "))))
}

impl Arguments {
    fn applied(self, context: &ToolContext, before: &Job) -> Result<Job> {
        let mut job = before.clone();
        if let Some(name) = &self.name {
            job.name = one_line(name);
        }
        if let Some(does) = content::does(self.say, self.request)? {
            if self.name.is_none() && job.name == content::name_of(&job.does) {
                job.name = content::name_of(&does);
            }
            job.does = does;
            // With other words it isn't a standard job any more.
            job.kind = None;
        }
        let zone = before.time_zone().unwrap_or_else(|| context.zone());
        let own = || (before.zone.clone(), zone);
        let timing = Timing {
            in_minutes: self.in_minutes.map(|minutes| *minutes),
            date: self.date.map(|day| day.value),
            time: self.time.map(|time| *time),
            days: self.days,
            every_minutes: self.every_minutes.map(|minutes| *minutes),
            zone: self.timezone.map_or_else(own, |zone| zone.value),
        };
        let timing = timing.completed(before);
        let goes_by_meetings = matches!(before.does, Does::Meetings(_));
        if goes_by_meetings && (job.does != before.does || timing.says_when()) {
            let problem = "goes by the calendar. Delete it, and create what is wanted instead.";
            return Err(self.job_id.refused(problem));
        }
        if timing.says_when() {
            job.when = timing.meant(context).map_err(invalid)?;
        }
        let zone = timing.zone.1;
        job.zone = timing.zone.0;
        job.taint.absorb(&context.taint);
        let is_active = before.state == JobState::Active;
        let runs = self.status.map_or(is_active, |it| it == Status::Active);
        match (runs, self.status, before.is_kept()) {
            (false, None, false) => Err(self.job_id.refused("is over. Create it again.")),
            (false, None, true) => Ok(job),
            (false, Some(_), _) => Ok(job.resting(JobState::Paused { why: Why::Asked })),
            (true, ..) => {
                if before.state != JobState::Active {
                    job.failures = 0;
                    job.last_error = None;
                }
                let job = job.due_after(context.now, &zone);
                let problem = "has no time left. Give a date and time.";
                let due = (job.state == JobState::Active).then_some(job);
                due.ok_or_else(|| self.job_id.refused(problem))
            }
        }
    }
}

impl Timing {
    /// Takes day, date or time from the earlier schedule where the call leaves them out.
    fn completed(mut self, before: &Job) -> Self {
        let counted = self.in_minutes.is_some() || self.every_minutes.is_some();
        if counted || !self.says_when() {
            return self;
        }
        let kept = timing::said_again(&before.when, &before.zone).unwrap_or_default();
        if self.time.is_none() {
            self.time = serde_json::from_value(kept["time"].clone()).ok();
        }
        if self.days.is_none() && self.date.is_none() {
            self.days = serde_json::from_value(kept["days"].clone()).ok();
            if self.days.is_none() {
                self.date = kept["date"].as_str().map(str::to_owned);
            }
        }
        self
    }
}
