//! An event of a calendar, and the time it takes.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::mail::Unreadable;
use super::{AccountError, Mailbox};
use crate::id::EventId;

/// When an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventTime {
    /// From one instant to another.
    Timed {
        /// Its first instant.
        start: Timestamp,
        /// The first instant after it; never before `start`.
        end: Timestamp,
    },
    /// Whole days, wherever the reader is.
    AllDay {
        /// Its first day.
        first: Date,
        /// Its last day, included.
        last: Date,
    },
}

impl EventTime {
    /// From its first instant to the one after it, for somebody in this zone.
    pub fn span(&self, zone: &TimeZone) -> Span {
        let midnight = |day: Date| day.to_zoned(zone.clone()).map(|day| day.timestamp());
        match *self {
            Self::Timed { start, end } => Span { start, end },
            // Only days at the very ends of time have no midnight.
            Self::AllDay { first, last } => Span {
                start: midnight(first).unwrap_or(Timestamp::MIN),
                end: last.tomorrow().and_then(midnight).unwrap_or(Timestamp::MAX),
            },
        }
    }
}

/// What somebody invited said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// Nothing yet.
    #[default]
    Unanswered,
    /// Yes.
    Accepted,
    /// Perhaps.
    Tentative,
    /// No.
    Declined,
}

/// Somebody invited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendee {
    /// Who.
    #[serde(flatten)]
    pub mailbox: Mailbox,
    /// What they said.
    #[serde(default)]
    pub attendance: Attendance,
}

/// One occurrence of an event, or a series. Its words are other people's unless the owner organises it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// What it is called; may be empty.
    pub title: String,
    /// When it is.
    pub time: EventTime,
    /// More about it.
    #[serde(default)]
    pub description: String,
    /// Where.
    #[serde(default)]
    pub location: String,
    /// Who invited; `None` for one's own entries.
    #[serde(default)]
    pub organizer: Option<Mailbox>,
    /// Whether the account's owner organises it, and so may move it.
    pub own: bool,
    /// Who is invited.
    #[serde(default)]
    pub attendees: Vec<Attendee>,
    /// What the account's owner said to it.
    #[serde(default)]
    pub attendance: Attendance,
    /// Whether the account's owner can answer it: not their own, nor where a mailing list is invited in their stead
    /// and the calendar knows them by no name.
    #[serde(default)]
    pub invited: bool,
    /// Whether it takes time: not so when marked as free or declined.
    pub busy: bool,
    /// The series it is one of. Under that id `Calendar::event` gives the series itself, whose id this is then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<EventId>,
}

impl Event {
    /// Whether it stands for a whole series, and not for one of its occurrences.
    pub fn is_series(&self) -> bool {
        self.series.as_ref() == Some(&self.id)
    }
}

/// The events that touch a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventPage {
    /// In order of their start; cancelled ones are left out, series are expanded.
    pub events: Vec<Event>,
    /// Entries that can't be read, with the reason; the rest goes on.
    pub unreadable: Vec<Unreadable>,
}

impl EventPage {
    /// What of it touches a span, in order, for somebody in this zone.
    pub fn within(mut self, span: &Span, zone: &TimeZone) -> Self {
        self.events
            .retain(|event| event.time.span(zone).touches(span));
        let order = |event: &Event| (event.time.span(zone).start, event.id.clone());
        self.events.sort_by_cached_key(order);
        self
    }
}

/// A span of time, half open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its first instant.
    pub start: Timestamp,
    /// The first instant after it.
    pub end: Timestamp,
}

impl Span {
    /// What every provider refuses as an event's time.
    ///
    /// # Errors
    /// `Refused` when it doesn't end after it starts.
    pub fn check(&self) -> Result<(), AccountError> {
        if self.end <= self.start {
            return Err(AccountError::refused(
                "`span`: the event must end after it starts.",
            ));
        }
        Ok(())
    }

    /// Whether they share an instant. A span without length touches what it lies in.
    pub fn touches(&self, other: &Self) -> bool {
        let starts_in = |a: &Self, b: &Self| a.start >= b.start && a.start < b.end;
        starts_in(self, other) || starts_in(other, self)
    }

    /// These spans in order, what touches or overlaps made one, cut to what lies within.
    pub fn merged(mut spans: Vec<Self>, within: &Self) -> Vec<Self> {
        spans.sort_by_key(|span| span.start);
        let mut merged: Vec<Self> = Vec::new();
        for span in spans {
            let start = span.start.max(within.start);
            let end = span.end.min(within.end);
            if start >= end {
                continue;
            }
            match merged.last_mut() {
                Some(last) if last.end >= start => last.end = last.end.max(end),
                _ => merged.push(Self { start, end }),
            }
        }
        merged
    }
}
