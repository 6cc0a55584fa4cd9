//! Parses when a job is due from typed arguments.

use alfred_planner::{ClockTime, DayClock, InputError, parse_date};
use alfred_schedule::When;
use jiff::civil::Time;
use std::collections::BTreeSet;

use crate::prelude::*;

/// Minutes from now, at most a year.
pub(super) type Ahead = Number<1, 525_600>;
/// Minutes between two times.
pub(super) type Interval = Number<5, 1_440>;

/// A day of the week.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WeekDay {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl WeekDay {
    const ALL: [Self; 7] = {
        use WeekDay::{Fri, Mon, Sat, Sun, Thu, Tue, Wed};
        [Mon, Tue, Wed, Thu, Fri, Sat, Sun]
    };

    /// ISO number: Monday is 1.
    fn number(self) -> i8 {
        self as i8 + 1
    }

    pub(super) fn of_number(number: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|day| day.number() == number)
    }
}

pub(super) struct Timing {
    pub in_minutes: Option<u32>,
    /// Counts in the zone of the job.
    pub date: Option<String>,
    pub time: Option<ClockTime>,
    pub days: Option<Vec<WeekDay>>,
    pub every_minutes: Option<u32>,
    pub zone: (String, TimeZone),
}

impl Timing {
    pub(super) fn says_when(&self) -> bool {
        let counted = self.in_minutes.is_some() || self.every_minutes.is_some();
        counted || self.date.is_some() || self.time.is_some() || self.days.is_some()
    }

    /// The schedule, counted from when the request began, so that the card and the run agree.
    pub(super) fn meant(&self, context: &ToolContext) -> Result<When, InputError> {
        match (self.in_minutes, self.every_minutes, &self.days) {
            (Some(minutes), None, None) => self.moment(minutes, context.began),
            (None, Some(minutes), None) => {
                self.alone("everyMinutes", minutes)?;
                let from = context.began;
                Ok(When::Interval { minutes, from })
            }
            (None, None, Some(days)) => self.weekly(days),
            (None, None, None) => self.once(context.began),
            _ => {
                let problem = "says when in two ways. Give one of inMinutes, everyMinutes, days with time, or date with time.";
                Err(InputError::new("inMinutes", "", problem))
            }
        }
    }

    fn moment(&self, minutes: u32, began: Timestamp) -> Result<When, InputError> {
        self.alone("inMinutes", minutes)?;
        let ahead = SignedDuration::from_mins(i64::from(minutes));
        let at = began.checked_add(ahead).map_err(|_| {
            let problem = "is beyond every calendar.";
            InputError::new("inMinutes", &minutes.to_string(), problem)
        })?;
        Ok(When::Moment { at })
    }

    /// Refuses a date or time beside a number of minutes.
    fn alone(&self, field: &str, minutes: u32) -> Result<(), InputError> {
        if self.date.is_none() && self.time.is_none() {
            return Ok(());
        }
        let problem = "is counted from now and takes neither date nor time.";
        Err(InputError::new(field, &minutes.to_string(), problem))
    }

    fn weekly(&self, days: &[WeekDay]) -> Result<When, InputError> {
        if let Some(date) = &self.date {
            let problem = "is for what happens once; with days there is none.";
            return Err(InputError::new("date", date, problem));
        }
        if days.is_empty() {
            let problem = "is empty. Name the days it repeats on, all seven for every day.";
            return Err(InputError::new("days", "", problem));
        }
        let days: BTreeSet<i8> = days.iter().map(|day| day.number()).collect();
        let time = self.clock_time()?;
        Ok(When::Weekly { days, time })
    }

    /// The given day, or the next day on which it is that time.
    fn once(&self, began: Timestamp) -> Result<When, InputError> {
        let zone = &self.zone.1;
        let now = began.to_zoned(zone.clone()).datetime();
        let time = self.clock_time()?;
        let date = match &self.date {
            Some(text) => parse_date("date", text, now.date())?,
            None if time > now.time() => now.date(),
            None => now.date().tomorrow().unwrap_or(now.date()),
        };
        DayClock::new(date, zone)?.check_start("time", ClockTime::from(time))?;
        let at = date.to_datetime(time);
        let moment = zone.to_ambiguous_timestamp(at).compatible();
        if moment.is_ok_and(|moment| moment <= began) {
            let field = if self.date.is_some() { "date" } else { "time" };
            let (time, now_there) = (time.strftime("%H:%M"), now.strftime("%H:%M"));
            let passed = match short_date(date) {
                _ if date == now.date() => format!("{time} today"),
                day => format!("{time} on {day}"),
            };
            let problem = format!("has passed; it is {now_there} now.");
            return Err(InputError::new(field, &passed, problem));
        }
        Ok(When::Once { at })
    }

    fn clock_time(&self) -> Result<Time, InputError> {
        let problem = "is missing. Give a time such as 09:00.";
        let missing = || InputError::new("time", "", problem);
        let at = |time: ClockTime| time.on(Date::constant(2000, 1, 1)).time();
        self.time.map(at).ok_or_else(missing)
    }
}

/// The arguments that set this schedule again; `None` for a moment, which no argument expresses.
pub(super) fn said_again(when: &When, zone: &str) -> Option<Value> {
    let time = |time: Time| time.strftime("%H:%M").to_string();
    let mut said = match when {
        When::Moment { .. } => return None,
        When::Once { at } => json!({"date": at.date(), "time": time(at.time())}),
        When::Weekly { days, time: at } => {
            let days = days.iter().filter_map(|day| WeekDay::of_number(*day));
            json!({"days": days.collect::<Vec<_>>(), "time": time(*at)})
        }
        When::Interval { minutes, .. } => json!({"everyMinutes": minutes}),
    };
    said["timezone"] = zone.into();
    Some(said)
}

/// The schedule in words; names the zone if it isn't `own`.
pub(super) fn in_words(when: &When, zone: (&str, &TimeZone), own: &str) -> String {
    let words = match when {
        When::Moment { at } => text::local_moment(at.to_zoned(zone.1.clone()).datetime()),
        When::Once { at } => text::local_moment(*at),
        When::Weekly { days, time } => each_week(days, *time),
        When::Interval { minutes, .. } => return each_minutes(*minutes),
    };
    if zone.0 == own {
        words
    } else {
        format!("{words} in {}", zone.0)
    }
}

fn each_week(days: &BTreeSet<i8>, time: Time) -> String {
    let time = time.strftime("%H:%M");
    let days: Vec<i8> = days.iter().copied().collect();
    let which = match days.as_slice() {
        [1, 2, 3, 4, 5, 6, 7] => "day".to_owned(),
        [1, 2, 3, 4, 5] => "weekday".to_owned(),
        [6, 7] => "Saturday and Sunday".to_owned(),
        days => {
            let days = days.iter().filter_map(|day| WeekDay::of_number(*day));
            let names: Vec<String> = days.map(|day| format!("{day:?}")).collect();
            names.join(", ")
        }
    };
    format!("every {which} at {time}")
}

fn each_minutes(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (1, 0) => "every hour".into(),
        (hours, 0) => format!("every {hours} hours"),
        _ => format!("every {minutes} minutes"),
    }
}
