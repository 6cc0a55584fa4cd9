//! Events of a calendar.

use jiff::Timestamp;
use jiff::civil::Date;

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
