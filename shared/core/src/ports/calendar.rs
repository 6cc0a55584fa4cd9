//! A person's calendar.

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::mail::Unreadable;
use super::{Account, AccountError, Mailbox};
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

/// A person's calendar.
#[async_trait]
pub trait Calendar: Send + Sync {
    /// The events that touch a span.
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
    /// Creates an event and invites. The key decides its id: creating it again gives the one that is there.
    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError>;
    /// The event that `create` made under this key.
    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError>;
    /// Moves one occurrence of an own event; attendees are told if `notify`. Moving it to where it is does nothing.
    ///
    /// # Errors
    /// `Refused` when somebody else organises it, or it is gone.
    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notify: bool,
    ) -> Result<Event, AccountError>;
    /// Cancels one occurrence of an own event; attendees are told if `notify`. `false` when it is gone already.
    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
    ) -> Result<bool, AccountError>;
}
