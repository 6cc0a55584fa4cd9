use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{AccountError, Mailbox, Result, Unreadable};
use crate::id::EventId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventTime {
    /// From one moment to another.
    Timed {
        start: Timestamp,
        /// Exclusive; never before `start`.
        end: Timestamp,
    },
    /// Whole days, in any time zone.
    AllDay {
        first: Date,
        /// The last day, inclusive.
        last: Date,
    },
}

impl EventTime {
    /// The instants of the event. The zone decides when whole days begin and end.
    pub fn span(&self, zone: &TimeZone) -> Span {
        let midnight = |day: Date| day.to_zoned(zone.clone()).map(|day| day.timestamp());
        match *self {
            Self::Timed { start, end } => Span { start, end },
            // A day starts at its first instant. Only the first and last dates that jiff knows have none.
            Self::AllDay { first, last } => Span {
                start: midnight(first).unwrap_or(Timestamp::MIN),
                end: last.tomorrow().and_then(midnight).unwrap_or(Timestamp::MAX),
            },
        }
    }
}

impl From<Span> for EventTime {
    fn from(Span { start, end }: Span) -> Self {
        Self::Timed { start, end }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    #[default]
    Unanswered,
    Accepted,
    Tentative,
    Declined,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendee {
    #[serde(flatten)]
    pub mailbox: Mailbox,
    #[serde(default)]
    pub attendance: Attendance,
}

/// An occurrence of an event, or a series. Its texts are other people's unless the owner organizes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub id: EventId,
    /// The title; may be empty.
    pub title: String,
    pub time: EventTime,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub location: String,
    /// The organizer. `None` for private entries.
    #[serde(default)]
    pub organizer: Option<Mailbox>,
    /// Whether the owner organizes it, and so may move it.
    pub own: bool,
    #[serde(default)]
    pub attendees: Vec<Attendee>,
    /// How the calendar's owner answered the invitation.
    #[serde(default)]
    pub attendance: Attendance,
    /// Whether the owner can answer it. False for their own events, and if they are invited only
    /// through a mailing list.
    #[serde(default)]
    pub invited: bool,
    /// Whether it blocks time. False if marked as free or declined.
    pub busy: bool,
    /// Id of the series. Equal to `id` if this is the series itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<EventId>,
}

impl Event {
    /// Whether it is a whole series rather than an occurrence.
    pub fn is_series(&self) -> bool {
        self.series.as_ref() == Some(&self.id)
    }

    /// Whether somebody with this address, in lower case, is an attendee.
    pub fn invites(&self, address: &str) -> bool {
        let mut attendees = self.attendees.iter();
        attendees.any(|one| one.mailbox.address == address)
    }

    /// Adds an attendee, unless they are one already.
    pub fn invite(&mut self, attendee: Attendee) {
        if !self.invites(&attendee.mailbox.address) {
            self.attendees.push(attendee);
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventPage {
    /// Sorted by start. Cancelled events are left out, series are expanded.
    pub events: Vec<Event>,
    /// Entries that couldn't be parsed, with the reason.
    pub unreadable: Vec<Unreadable>,
}

impl EventPage {
    /// The events that overlap a span, sorted by start.
    pub fn within(mut self, span: &Span, zone: &TimeZone) -> Self {
        self.events
            .retain(|event| event.time.span(zone).touches(span));
        let order = |event: &Event| (event.time.span(zone).start, event.id.clone());
        self.events.sort_by_cached_key(order);
        self
    }
}

/// A half-open time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: Timestamp,
    /// The first instant after the span.
    pub end: Timestamp,
}

impl Span {
    /// Checks that the span can be an event's time. Fails with `Refused` if it doesn't end after it starts.
    pub fn check(&self) -> Result<()> {
        if self.end <= self.start {
            return Err(AccountError::refused(
                "`span`: the event must end after it starts.",
            ));
        }
        Ok(())
    }

    /// Whether the spans overlap. An empty span overlaps a span that contains it.
    pub fn touches(&self, other: &Self) -> bool {
        let starts_in = |a: &Self, b: &Self| a.start >= b.start && a.start < b.end;
        starts_in(self, other) || starts_in(other, self)
    }

    /// Sorts spans, merges adjacent and overlapping ones, and clips them to `within`.
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
