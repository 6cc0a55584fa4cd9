//! The plan of a day: what is fixed stays, rules place new blocks around it, and tasks fill the work blocks.
//! The reason of a block is the rule that placed it.

mod day;
mod focus;
mod frame;
pub mod habits;
mod limits;
mod notes;
mod outcome;
mod present;
mod tasks;

pub use frame::{BREAK_TITLE, EMAIL_TITLE, LUNCH_TITLE, OWN_TITLES};
pub use habits::Habits;
pub use outcome::{AssignedTask, Change, DayPlan, LeftOut, Note, PlannedBlock, Rule, Urgency};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::{
    BlockType, ClockTime, DayClock, InputError, ScoredTask, TimeBlock, Wish, dst, is_meant,
};
use day::Day;
use limits::Limits;

/// The hour from which on the default day to plan is the next one.
const NEXT_DAY_FROM: i8 = 15;

#[derive(Clone, Debug)]
pub struct DayRequest {
    pub date: Date,
    /// The owner's time zone on that day.
    pub zone: TimeZone,
    pub now: Timestamp,
    pub habits: Habits,
    /// The day's blocks, including meetings of the calendar.
    pub blocks: Vec<TimeBlock>,
    /// Tasks, scored for that day. Those that are scheduled or completed are ignored.
    pub tasks: Vec<ScoredTask>,
    /// Whether somebody asked for that very day.
    pub named: bool,
    pub wishes: Vec<Wish>,
}

impl DayRequest {
    /// What begins before this time is left alone: midnight, unless a wish says otherwise.
    pub fn only_from(&self) -> ClockTime {
        let wanted = self.wishes.iter().rev().find_map(|wish| match wish {
            Wish::OnlyFrom(time) => Some(*time),
            _ => None,
        });
        wanted.unwrap_or(ClockTime::MIDNIGHT)
    }

    fn has_task(&self, words: &str) -> bool {
        let mut tasks = self.tasks.iter();
        tasks.any(|task| is_meant(&task.task.title, words))
    }

    fn has_block(&self, words: &str) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|block| is_meant(&block.title, words))
    }
}

/// The day to plan if none is named: today, from 15:00 on tomorrow.
pub fn default_day(now: Timestamp, zone: &TimeZone) -> Date {
    let here = zone.to_datetime(now);
    if here.hour() < NEXT_DAY_FROM {
        return here.date();
    }
    here.date().tomorrow().unwrap_or(here.date())
}

/// Checks whether a plan of that day can follow these wishes together; later ones have more weight.
pub fn check_wishes(
    habits: &Habits,
    wishes: &[Wish],
    date: Date,
    zone: &TimeZone,
) -> Result<(), InputError> {
    Limits::new(habits, wishes, &DayClock::new(date, zone)?).map(|_| ())
}

/// Plans a day. New blocks are never before now or outside the working hours. Meetings and blocked time stay; other
/// blocks move only for a wish. Fails for a date that is past or doesn't exist in the zone, and for a wish whose time
/// doesn't exist on that day or whose length is out of range.
pub fn plan(request: &DayRequest) -> Result<DayPlan, InputError> {
    let clock = DayClock::new(request.date, &request.zone)?;
    let today = dst::date_at(request.now, &request.zone);
    if request.date < today {
        let problem = format!("is in the past: today is {today}.");
        return Err(InputError::new("date", &request.date.to_string(), problem));
    }
    let limits = Limits::new(&request.habits, &request.wishes, &clock)?;
    let mut best = Day::planned(request, &clock, limits);
    let slack: fn(&mut Limits) = |limits| limits.slack = 0;
    let buffers: fn(&mut Limits) = |limits| limits.buffer = limits.least_buffer();
    // A wished time for e-mail doesn't give way.
    let email: fn(&mut Limits) = |limits| {
        if limits.email.wish.is_none() {
            limits.email.length = 0;
        }
    };
    let gaps: fn(&mut Limits) = |limits| limits.parts_in_gaps = true;
    let steps = [slack, buffers, slack, email];
    for give_way in steps.into_iter().chain([gaps]).chain(steps) {
        let mut limits = best.limits.clone();
        give_way(&mut limits);
        let mut left_out = best.left_out.iter();
        if left_out.any(|one| one.part.urgency.is_urgent()) {
            let other = Day::planned(request, &clock, limits);
            if other.urgent_minutes() > best.urgent_minutes() {
                best = other;
            }
        }
    }
    Ok(best.finish())
}

impl<'a> Day<'a> {
    fn planned(request: &'a DayRequest, clock: &'a DayClock, limits: Limits) -> Self {
        let mut day = Self::new(request, clock, limits);
        day.add_existing();
        let (mut open, dropped) = day.ranked();
        day.no_task = open.is_empty();
        day.place_named_tasks(&mut open);
        day.place_frame();
        day.left_out = day.assign(&open);
        day.left_out.extend(dropped);
        day
    }

    fn finish(mut self) -> DayPlan {
        self.remove_empty_blocks();
        self.add_notes();
        DayPlan {
            planned: self.window,
            left_out: self.left_out,
            blocks: self.blocks,
            removed: self.removed,
            notes: self.notes,
        }
    }

    /// Removes blocks for short tasks without a task. If urgent tasks took of the slack, also empty focus blocks
    /// from the end of the day until the slack is back.
    fn remove_empty_blocks(&mut self) {
        let slack = self.slack(self.request.habits.slack);
        let given_up = self.limits.slack == 0;
        for at in (0..self.blocks.len()).rev() {
            let block = &self.blocks[at];
            let new_work = block.kind == BlockType::Work && block.change == Change::New;
            let goes = block.rule == Rule::ShortGap
                || (given_up && day::sum(self.without_blocks()) < slack);
            if new_work && block.tasks.is_empty() && goes {
                self.blocks.remove(at);
            }
        }
    }
}
