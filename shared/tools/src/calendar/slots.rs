//! Finds times within the person's working hours at which everybody is free.

use alfred_core::ports::{Event, Span};
use alfred_planner::{BlockType, ClockTime, DayClock, Habits};
use jiff::ToSpan;
use jiff::civil::Weekday;

use super::busy::Busy;
use super::clocks::Clocks;
use super::prep;
use crate::fields::is_weekend;
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::user::day_preferences;

pub const OVER_BLOCKS: &str = "it overlaps what you have planned for yourself";
pub const OVER_EVENTS: &str = "something else is in your calendar then";

/// Days to search, including the first.
const DAYS: i32 = 10;
/// Minutes between possible starts.
const STEP: u16 = 15;
/// Shortest notice before a proposed start.
const LEAD: SignedDuration = SignedDuration::from_mins(60);

pub struct Wanted<'a> {
    pub addresses: &'a [String],
    pub clocks: &'a Clocks,
    pub length: SignedDuration,
    /// Minutes before the meeting that should be free for the person; 0 for none.
    pub prep: i64,
    /// First day of the search; today if `None`.
    pub from: Option<Date>,
    /// Last day of the search, which never covers more than ten days.
    pub until: Option<Date>,
    /// Allowed weekdays; empty for all working days.
    pub on: &'a [Weekday],
    pub moving: Option<&'a Event>,
}

#[derive(Clone, Copy)]
pub struct Slot {
    pub span: Span,
    pub against: Against,
}

/// Drawbacks of a time, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Against {
    /// Night or weekend for an invited person.
    at_odd_hours: bool,
    over_tasks: bool,
    over_blocks: bool,
    /// Closer to another meeting than the person's buffer.
    near_meeting: bool,
    unprepared: bool,
}

#[derive(Default)]
pub struct Free {
    /// Sorted by drawbacks, then by time.
    pub slots: Vec<Slot>,
    /// Minutes of the person's meeting buffer.
    pub buffer: u32,
    pub unseen: Vec<String>,
}

/// Finds the best free times, at most `count`. The notice counts from the start of the run, so that the
/// approved time is still the first one after the approval.
pub async fn find(context: &ToolContext, wanted: &Wanted<'_>, count: usize) -> Result<Free> {
    let days = working_days(context, wanted);
    let all_day = |clock: &DayClock| moments(clock, ClockTime::MIDNIGHT, ClockTime::END_OF_DAY);
    let (first, last) = (days.first(), days.last());
    let window = first.and_then(all_day).zip(last.and_then(all_day));
    let Some((Span { start, .. }, Span { end, .. })) = window else {
        return Ok(Free::default());
    };
    let window = Span { start, end };
    let habits = Habits::read(&day_preferences(context).await?).map_err(invalid)?;
    let lunch_end = habits.lunch.plus(habits.lunch_length);
    let addresses = wanted.addresses;
    let mut busy = Busy::look(context, addresses, window, wanted.moving).await?;
    let lunch = |clock: &DayClock| moments(clock, habits.lunch, lunch_end);
    busy.spans.extend(days.iter().filter_map(lunch));
    let planned = planned(context, &days).await?;
    busy.spans.extend(planned.blocked);
    busy.meetings.extend(planned.meetings);
    let buffer = SignedDuration::from_mins(i64::from(habits.buffer));
    let slot = |span: Span| {
        let before = prep::span(&span, wanted.prep);
        let against = Against {
            at_odd_hours: wanted.clocks.is_odd(&span),
            over_tasks: planned.tasks.iter().any(|work| work.touches(&span)),
            over_blocks: planned.others.iter().any(|block| block.touches(&span)),
            near_meeting: busy.is_near_a_meeting(&span, buffer),
            unprepared: before.is_some_and(|before| !busy.is_free(&before)),
        };
        Slot { span, against }
    };
    let candidates = days.iter().flat_map(|clock| starts(clock, &habits, wanted));
    let earliest = context.began.saturating_add(LEAD).unwrap_or(context.now);
    let ahead = |span: &Span| span.start >= earliest && span.start > context.now;
    let free = candidates.filter(|span| ahead(span) && busy.is_free(span));
    let mut free: Vec<Slot> = free.map(slot).collect();
    free.sort_by_key(|slot| slot.against);
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
    /// The drawbacks as text. Missing time to prepare is reported elsewhere.
    pub fn notes(&self, clocks: &Clocks, buffer: u32) -> Vec<String> {
        let mut notes = vec![clocks.odd_hours(&self.span)];
        if self.against.over_tasks {
            notes.push("tasks are planned then".to_owned());
        } else if self.against.over_blocks {
            notes.push(OVER_BLOCKS.to_owned());
        }
        if self.against.near_meeting {
            notes.push(format!(
                "another meeting is less than {buffer} minutes away"
            ));
        }
        notes.retain(|note| !note.is_empty());
        notes
    }
}

pub async fn is_over_blocks(context: &ToolContext, span: &Span) -> Result<bool> {
    let date = dst::date_at(span.start, &context.zone());
    let clock = DayClock::new(date, &context.zone()).map_err(invalid)?;
    let planned = planned(context, &[clock]).await?;
    let mut blocks = planned.tasks.iter().chain(&planned.others);
    Ok(blocks.any(|block| block.touches(span)))
}

/// The working days to search, without days that the zone skips.
fn working_days(context: &ToolContext, wanted: &Wanted<'_>) -> Vec<DayClock> {
    let zone = context.zone();
    let began = request_date(context);
    let first = wanted.from.map_or(began, |from| from.max(began));
    let fits = |date: &Date| {
        let on = wanted.on.is_empty() || wanted.on.contains(&date.weekday());
        !is_weekend(*date) && on && wanted.until.is_none_or(|until| *date <= until)
    };
    (0..DAYS)
        .filter_map(|n| first.checked_add(n.days()).ok())
        .filter(fits)
        .filter_map(|date| DayClock::new(date, &zone).ok())
        .collect()
}

/// All possible starts within the working hours of a day.
fn starts(clock: &DayClock, habits: &Habits, wanted: &Wanted<'_>) -> Vec<Span> {
    let (start, end) = (habits.working.start(), habits.working.end());
    let minutes = (start.minutes()..end.minutes()).step_by(usize::from(STEP));
    minutes
        .filter_map(ClockTime::from_minutes)
        .filter(|start| clock.exists(*start))
        .filter_map(|start| {
            let rest = moments(clock, start, end)?;
            let end = rest.start.checked_add(wanted.length).ok()?;
            (end <= rest.end).then_some(Span { end, ..rest })
        })
        .collect()
}

/// The span of a block; `None` if clock changes leave nothing of it.
fn moments(clock: &DayClock, from: ClockTime, to: ClockTime) -> Option<Span> {
    let moment = |time: ClockTime| clock.zone().to_timestamp(time.on(clock.date())).ok();
    let (start, end) = (moment(from)?, moment(to)?);
    (start < end).then_some(Span { start, end })
}

/// Blocks of days, by how they count against a meeting.
#[derive(Default)]
struct Planned {
    meetings: Vec<Span>,
    blocked: Vec<Span>,
    tasks: Vec<Span>,
    /// Blocks that can be moved: work without tasks, mail, breaks.
    others: Vec<Span>,
}

async fn planned(context: &ToolContext, days: &[DayClock]) -> Result<Planned> {
    let mut planned = Planned::default();
    for clock in days {
        for block in Day::load(context, clock.date()).await?.blocks {
            let span = moments(clock, block.span.start(), block.span.end());
            let kind = match block.kind {
                BlockType::Meeting => &mut planned.meetings,
                BlockType::Blocked => &mut planned.blocked,
                BlockType::Work if !block.tasks.is_empty() => &mut planned.tasks,
                BlockType::Work | BlockType::Email | BlockType::Break => &mut planned.others,
            };
            kind.extend(span);
        }
    }
    Ok(planned)
}
