//! What a calendar under test holds.

use alfred_core::ports::{Event, EventTime, Span};
use jiff::SignedDuration;
use serde::Deserialize;

use super::times;

/// Whose calendar the owner can see.
pub const COLLEAGUE: &str = "ben@example.com";

#[derive(Clone, Debug, Deserialize)]
pub struct Given {
    /// Its first occurrence. The ids are the provider's to choose; titles tell events apart.
    #[serde(flatten)]
    pub event: Event,
    /// How often it happens, a week between; 1 is no series.
    pub weeks: i64,
    pub cancelled: bool,
}

impl Given {
    /// Each occurrence, its id made of the title and its number, that of the series of the title.
    pub fn occurrences(&self) -> Vec<Event> {
        let occurrence = |week: i64| Event {
            id: format!("{}/{week}", self.event.title).into(),
            time: later(&self.event.time, week),
            series: (self.weeks > 1).then(|| format!("{}/*", self.event.title).into()),
            ..self.event.clone()
        };
        let weeks = if self.cancelled { 0 } else { self.weeks };
        (0..weeks).map(occurrence).collect()
    }
}

fn later(time: &EventTime, weeks: i64) -> EventTime {
    let by = SignedDuration::from_hours(weeks * 7 * 24);
    match *time {
        EventTime::Timed { start, end } => EventTime::Timed {
            start: start + by,
            end: end + by,
        },
        EventTime::AllDay { first, last } => EventTime::AllDay {
            first: first + by,
            last: last + by,
        },
    }
}

pub fn given() -> Vec<Given> {
    serde_json::from_str(include_str!("given.json")).unwrap()
}

/// When the colleague is busy; given so that spans touch and overlap.
pub fn colleague() -> Vec<Span> {
    vec![
        times("11-24T09:00/10:00"),
        times("11-24T10:00/11:00"),
        times("11-24T10:30/12:00"),
        times("11-24T15:00/16:00"),
    ]
}

pub fn ics() -> String {
    include_str!("given.ics").replace('\n', "\r\n")
}

/// When [`COLLEAGUE`] is busy, as iCalendar.
pub fn colleague_ics() -> String {
    include_str!("colleague.ics").into()
}
