//! The plan of a day: what is fixed stays, wishes and preferences become
//! constraints, and the best layout under them is searched exactly; then tasks
//! get their places by deadline and score. Every block, every task that found
//! no place and every stretch that stays free is explained.

mod assign;
mod compose;
mod draft;
mod explain;
mod fixed;
mod free_up;
pub mod habits;
mod idle;
mod layout;
mod left;
mod lines;
mod named;
mod notes;
mod outcome;
mod place;
mod reason;
mod rules;
mod split;
mod steps;
mod timeline;
mod words;

pub use explain::OWN_TITLES;
pub use habits::Habits;
pub use outcome::{AssignedTask, Change, DayPlan, Idle, LeftOut, Note, PlannedBlock, Urgency};
pub use reason::{Because, IdleWhy, LeftOutWhy, Why};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::backlog::ScoredTask;
use crate::block::TimeBlock;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::input::InputError;
use crate::wish::Wish;
use rules::Rules;

/// The hour from which on the default day to plan is the next one.
const NEXT_DAY_FROM: i8 = 15;

/// What a day is planned from.
#[derive(Clone, Debug)]
pub struct DayRequest {
    /// The day.
    pub date: Date,
    /// The zone its owner is in on that day.
    pub zone: TimeZone,
    /// The present.
    pub now: Timestamp,
    /// Their preferences.
    pub habits: Habits,
    /// The day's blocks, meetings of the calendar among them.
    pub blocks: Vec<TimeBlock>,
    /// Tasks, scored for that day. Those that are scheduled or completed are ignored.
    pub tasks: Vec<ScoredTask>,
    /// Whether somebody asked for that very day.
    pub named: bool,
    /// What they want of this plan.
    pub wishes: Vec<Wish>,
}

impl DayRequest {
    /// What begins before this is left alone: midnight, where nobody wants that.
    pub fn only_from(&self) -> ClockTime {
        let wanted = self.wishes.iter().rev().find_map(|wish| match wish {
            Wish::OnlyFrom(time) => Some(*time),
            _ => None,
        });
        wanted.unwrap_or(ClockTime::MIDNIGHT)
    }
}

/// The day that is meant when none is named: today, from 15:00 on tomorrow.
pub fn default_day(now: Timestamp, zone: &TimeZone) -> Date {
    let here = zone.to_datetime(now);
    if here.hour() < NEXT_DAY_FROM {
        return here.date();
    }
    here.date().tomorrow().unwrap_or(here.date())
}

/// Plans a day. Nothing is planned before now, nothing outside the working
/// hours; meetings and blocked time stay, other blocks too unless a wish moves them.
///
/// # Errors
/// Names the date when it is in the past or doesn't exist in the zone, and a
/// wish whose time doesn't exist on that day or whose length is out of range.
pub fn plan(request: &DayRequest) -> Result<DayPlan, InputError> {
    Ok(compose::Day::new(request)?.plan())
}

/// Whether a plan of that day can follow these wishes together, the last with the most weight.
///
/// # Errors
/// As `plan`'s about wishes.
pub fn check_wishes(
    habits: &Habits,
    wishes: &[Wish],
    date: Date,
    zone: &TimeZone,
) -> Result<(), InputError> {
    let clock = DayClock::new(date, zone)?;
    Rules::new(habits, wishes, &clock).map(|_| ())
}
