//! Events of a calendar.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;

/// An event as the calendar has it, wherever its owner is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarEvent {
    /// The calendar's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// When it is.
    pub when: EventTime,
    /// Whether it takes its owner's time; a birthday doesn't.
    pub busy: bool,
}

impl CalendarEvent {
    /// What it takes of a day, and as what: a timed event is a meeting, whole
    /// days are blocked. `None` for what isn't on that day, or takes no time.
    #[must_use]
    pub fn takes(&self, clock: &DayClock) -> Option<(BlockType, Span)> {
        if !self.busy {
            return None;
        }
        match self.when {
            EventTime::Timed { start, end } => {
                Some((BlockType::Meeting, clock.project(start, end)?))
            }
            EventTime::AllDay { from, until } if (from..until).contains(&clock.date()) => {
                let day = Span::new(ClockTime::MIDNIGHT, ClockTime::END_OF_DAY)?;
                Some((BlockType::Blocked, day))
            }
            EventTime::AllDay { .. } => None,
        }
    }
}

/// When an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// From one moment to another.
    Timed {
        /// Its first moment.
        start: Timestamp,
        /// The first moment after it.
        end: Timestamp,
    },
    /// Whole days, the same dates everywhere.
    AllDay {
        /// The first day.
        from: Date,
        /// The first day after it.
        until: Date,
    },
}
