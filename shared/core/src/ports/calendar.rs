//! A person's calendar.

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::mail::Unreadable;
use super::{Account, AccountError, Mailbox};
use crate::id::EventId;
use crate::text;

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
    #[must_use]
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

/// One occurrence of an event. Its words are other people's unless the owner organises it.
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
    /// Whether it takes time: not so when marked as free or declined.
    pub busy: bool,
    /// Whether it is one of a series.
    #[serde(default)]
    pub recurring: bool,
}

/// The events that touch a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventPage {
    /// In order of their start; cancelled ones are left out, series are expanded.
    pub events: Vec<Event>,
    /// Entries that can't be read, with the reason; the rest goes on.
    pub unreadable: Vec<Unreadable>,
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
            return Err(AccountError::refused(text::event_ends_first()));
        }
        Ok(())
    }

    /// Whether they share an instant. A span without length touches what it lies in.
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        let starts_in = |a: &Self, b: &Self| a.start >= b.start && a.start < b.end;
        starts_in(self, other) || starts_in(other, self)
    }

    /// These spans in order, what touches or overlaps made one, cut to what lies within.
    #[must_use]
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

/// When somebody is busy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Their calendar can be seen: busy in these spans, in order, merged.
    Busy(Vec<Span>),
    /// Their calendar can't be seen.
    Hidden,
}

/// An event to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// What it is called.
    pub title: String,
    /// When.
    pub span: Span,
    /// IANA zone it is shown in.
    pub time_zone: String,
    /// More about it.
    #[serde(default)]
    pub description: String,
    /// Who is invited, without the owner.
    pub attendees: Vec<Mailbox>,
}

impl NewEvent {
    /// What every provider refuses before it reaches for anything.
    ///
    /// # Errors
    /// `Refused` when it ends before it starts, the zone is unknown, or an attendee has no address.
    pub fn check(&self) -> Result<(), AccountError> {
        self.span.check()?;
        if TimeZone::get(&self.time_zone).is_err() {
            return Err(AccountError::refused(text::unknown_zone(&self.time_zone)));
        }
        let bad = |mailbox: &&Mailbox| !mailbox.is_addressable();
        match self.attendees.iter().find(bad) {
            Some(bad) => {
                let reason = text::no_address("attendees", &bad.address);
                Err(AccountError::refused(reason))
            }
            None => Ok(()),
        }
    }
}

/// What attendees are told of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The organiser's own words beside it; may be empty.
    pub note: String,
}

/// A person's calendar.
#[async_trait]
pub trait Calendar: Send + Sync {
    /// The events that touch a span; whole days count from midnight to midnight where the owner is.
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError>;
    /// One occurrence; `None` when this person sees none of this id.
    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError>;
    /// When these people are busy within a span, one answer for each address in order.
    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError>;
    /// Creates an event and invites. The key decides its id: creating it again gives the one that was made,
    /// as it is now, and brings none back that was cancelled since.
    ///
    /// # Errors
    /// `Refused` when it ends before it starts, the zone is unknown, or an attendee has no address.
    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError>;
    /// The event that `create` made under this key, also when it was cancelled since.
    ///
    /// # Errors
    /// `Unknown` when there is none, and nobody can tell whether people were invited to it.
    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError>;
    /// Moves one occurrence of an own event; attendees are told if there is a notice, once for the key,
    /// whatever becomes of the event meanwhile. Moving it to where it is does nothing.
    ///
    /// # Errors
    /// `Refused` when somebody else organises it, or it is gone.
    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        idempotency_key: &str,
    ) -> Result<Event, AccountError>;
    /// Looks whether an occurrence is at this time; `None` when it isn't, or is gone.
    ///
    /// # Errors
    /// `Unknown` when it isn't, and nobody can tell whether attendees were told under this key that it is.
    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError>;
    /// Cancels one occurrence of an own event; attendees are told if `notify`. `false` when it is gone already, or never was.
    ///
    /// # Errors
    /// `Refused` when somebody else organises it.
    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
    ) -> Result<bool, AccountError>;
}
