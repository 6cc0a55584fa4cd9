//! Free times for everybody within the person's working hours.

use alfred_core::ports::Span;
use alfred_planner::{BlockType, ClockTime, DayClock, Habits, dst};
use jiff::ToSpan;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use super::busy::{Busy, Moving};
use super::clocks::Clocks;
use super::{Times, brief, prep};
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::user::day_preferences;

pub(crate) const OVER_BLOCKS: &str = "it overlaps what you have planned for yourself";

/// Days that are searched, the first included.
const DAYS: i32 = 10;
/// Times a meeting may start at: every so many minutes of working time.
const STEP: u16 = 15;
/// Nobody is invited to what begins sooner than this after they were asked.
const LEAD: SignedDuration = SignedDuration::from_mins(60);

/// What is looked for.
pub struct Wanted<'a> {
    /// Of those who must have time.
    pub addresses: &'a [String],
    /// Their clocks.
    pub clocks: &'a Clocks,
    pub length: SignedDuration,
    /// Minutes before it that should be free for its owner; 0 for none.
    pub prep: i64,
    /// The day on which the search begins; today when left out.
    pub from: Option<Date>,
    /// The last day of it; ten days are searched at most.
    pub until: Option<Date>,
    /// Days of the week that fit; empty for all working days.
    pub on: &'a [Weekday],
    pub moving: Option<&'a Moving<'a>>,
}

/// A free time, and what speaks against it. The least counts least.
#[derive(Clone, Copy)]
pub struct Slot {
    pub span: Span,
    /// It is night or a weekend for somebody who is invited.
    pub at_odd_hours: bool,
    /// Work with tasks is planned then.
    pub over_tasks: bool,
    /// Something of its owner's own is planned then.
    pub over_blocks: bool,
    /// Another meeting is nearer than its owner likes.
    pub near_meeting: bool,
    unprepared: bool,
}

/// Free times, and whose calendars could not be seen.
#[derive(Default)]
pub struct Free {
    /// At most as many as were asked for: those at decent hours for everybody first, then those that no task stands
    /// against, then those over no other block, then those with room around other meetings, then those with time to
    /// prepare, then the earlier ones.
    pub slots: Vec<Slot>,
    /// Minutes its owner likes between meetings.
    pub buffer: u32,
    pub unseen: Vec<String>,
}

/// The first free times. It counts from when the run began, and not from now:
/// what a person was shown is still the first one when they approve it.
///
/// # Errors
/// What calendar and store say.
pub async fn find(
    context: &ToolContext,
    wanted: &Wanted<'_>,
    count: usize,
) -> Result<Free, ToolError> {
    let days = working_days(context, wanted);
    let all_day = |clock: &DayClock| moments(clock, ClockTime::MIDNIGHT, ClockTime::END_OF_DAY);
    let (Some(first), Some(last)) = (
        days.first().and_then(all_day),
        days.last().and_then(all_day),
    ) else {
        return Ok(Free::default());
    };
    let window = Span {
        start: first.start,
        end: last.end,
    };
    let habits = Habits::read(&day_preferences(context).await?).map_err(invalid)?;
    let lunch_end = habits.lunch.plus(habits.lunch_length);
    let addresses = wanted.addresses;
    let mut busy = Busy::look(context, addresses, window, wanted.moving).await?;
    let (mut tasks, mut others) = (Vec::new(), Vec::new());
    for clock in &days {
        let planned = planned(context, clock).await?;
        busy.also(planned.blocked);
        busy.also_meetings(planned.meetings);
        busy.also(moments(clock, habits.lunch, lunch_end));
        tasks.extend(planned.tasks);
        others.extend(planned.others);
    }
    let buffer = SignedDuration::from_mins(i64::from(habits.buffer));
    let slot = |span: Span| {
        let before = prep::span(&span, wanted.prep);
        Slot {
            at_odd_hours: wanted.clocks.is_odd(&span),
            over_tasks: tasks.iter().any(|work| work.touches(&span)),
            over_blocks: others.iter().any(|block| block.touches(&span)),
            near_meeting: busy.is_near_a_meeting(&span, buffer),
            unprepared: before.is_some_and(|before| !busy.is_free(&before)),
            span,
        }
    };
    let candidates = days.iter().flat_map(|clock| starts(clock, &habits, wanted));
    let earliest = context.began.saturating_add(LEAD).unwrap_or(context.now);
    let ahead = |span: &Span| span.start >= earliest && span.start > context.now;
    let free = candidates.filter(|span| ahead(span) && busy.is_free(span));
    let mut free: Vec<Slot> = free.map(slot).collect();
    free.sort_by_key(Slot::against);
    let mut slots: Vec<Slot> = Vec::new();
    for slot in free {
        let taken = |other: &Slot| other.span.touches(&slot.span);
        if slots.len() < count && !slots.iter().any(taken) {
            slots.push(slot);
        }
    }
    Ok(Free {
        slots,
        buffer: habits.buffer,
        unseen: busy.unseen,
    })
}

impl Slot {
    /// The worst first; what has nothing against it comes first in order.
    pub fn against(&self) -> [bool; 5] {
        [
            self.at_odd_hours,
            self.over_tasks,
            self.over_blocks,
            self.near_meeting,
            self.unprepared,
        ]
    }

    /// The same in words. That there is no time to prepare is said where that is shown.
    pub fn notes(&self, clocks: &Clocks, buffer: u32) -> Vec<String> {
        let odd = self.at_odd_hours.then(|| clocks.odd(&self.span));
        let over = match (self.over_tasks, self.over_blocks) {
            (true, _) => Some("tasks are planned then".to_owned()),
            (false, true) => Some(OVER_BLOCKS.to_owned()),
            (false, false) => None,
        };
        let near = self
            .near_meeting
            .then(|| format!("another meeting is less than {buffer} minutes away"));
        let odd = odd.map(|odd| at_odd_hours(&odd));
        [odd, over, near].into_iter().flatten().collect()
    }
}

pub(crate) fn at_odd_hours(whose: &[String]) -> String {
    format!("outside 08:00–19:00 on a weekday for {}", whose.join(", "))
}

/// Whether blocks of the person's own stand where a meeting would be.
///
/// # Errors
/// What the store says.
pub async fn is_over_blocks(context: &ToolContext, span: &Span) -> Result<bool, ToolError> {
    let date = dst::date_at(span.start, &context.zone());
    let clock = DayClock::new(date, &context.zone()).map_err(invalid)?;
    let planned = planned(context, &clock).await?;
    let mut blocks = planned.tasks.iter().chain(&planned.others);
    Ok(blocks.any(|block| block.touches(span)))
}

impl Free {
    /// As a conflict offers them: in words, and as data.
    pub fn offered(&self, zone: &TimeZone) -> (Vec<String>, Vec<Times>) {
        let spans = self.slots.iter().map(|slot| &slot.span);
        spans
            .map(|span| (brief(span, zone), Times::from_span(span, zone)))
            .unzip()
    }
}

/// The days that are searched, without weekends and days a zone left out.
fn working_days(context: &ToolContext, wanted: &Wanted<'_>) -> Vec<DayClock> {
    let zone = context.zone();
    let began = dst::date_at(context.began, &zone);
    let first = wanted.from.map_or(began, |from| from.max(began));
    let fits = |date: &Date| {
        let on = wanted.on.is_empty() || wanted.on.contains(&date.weekday());
        on && wanted.until.is_none_or(|until| *date <= until)
    };
    (0..DAYS)
        .filter_map(|n| first.checked_add(n.days()).ok())
        .filter(|date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday))
        .filter(fits)
        .filter_map(|date| DayClock::new(date, &zone).ok())
        .collect()
}

/// Every time of a day at which it could take place within working hours.
fn starts(clock: &DayClock, habits: &Habits, wanted: &Wanted<'_>) -> Vec<Span> {
    let (start, end) = (habits.working.start(), habits.working.end());
    let minutes = (start.minutes()..end.minutes()).step_by(usize::from(STEP));
    minutes
        .filter_map(ClockTime::from_minutes)
        .filter(|start| clock.exists(*start))
        .filter_map(|start| {
            let rest = moments(clock, start, end)?;
            let end = rest.start.checked_add(wanted.length).ok()?;
            (end <= rest.end).then_some(Span {
                start: rest.start,
                end,
            })
        })
        .collect()
}

/// From one time of a day to another; `None` when nothing lies between.
fn moments(clock: &DayClock, from: ClockTime, to: ClockTime) -> Option<Span> {
    prep::on_calendar(clock.date(), from, to, clock.zone())
}

/// What the blocks of a day have against a meeting.
#[derive(Default)]
struct Planned {
    meetings: Vec<Span>,
    blocked: Vec<Span>,
    /// Work for which tasks are planned.
    tasks: Vec<Span>,
    /// What can give way: work without tasks, mail, breaks.
    others: Vec<Span>,
}

async fn planned(context: &ToolContext, clock: &DayClock) -> Result<Planned, ToolError> {
    let day = Day::load(context, clock.date()).await?;
    let mut planned = Planned::default();
    for block in &day.blocks {
        let span = moments(clock, block.start, block.end);
        match block.kind {
            BlockType::Meeting => planned.meetings.extend(span),
            BlockType::Blocked => planned.blocked.extend(span),
            BlockType::Work if !block.task_ids.is_empty() => planned.tasks.extend(span),
            BlockType::Work | BlockType::Email | BlockType::Break => planned.others.extend(span),
        }
    }
    Ok(planned)
}
