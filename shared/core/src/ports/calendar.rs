//! A person's calendar.

use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{Account, AccountError, Attendance, Event, EventPage, Mailbox, Recurrence, Span};
use crate::id::EventId;
use crate::text;

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
    /// How it repeats; `None` for once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Recurrence>,
    /// Whether a video call is made for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub video_call: bool,
}

impl NewEvent {
    /// What every provider refuses before it reaches for anything.
    ///
    /// # Errors
    /// `Refused` when it ends before it starts, the zone is unknown, an attendee has no address, or the first
    /// day is none of its rule's.
    pub fn check(&self) -> Result<(), AccountError> {
        self.span.check()?;
        let Ok(zone) = TimeZone::get(&self.time_zone) else {
            return Err(AccountError::refused(format!(
                "`time_zone`: I don't know the time zone \u{201c}{}\u{201d}.",
                self.time_zone
            )));
        };
        let first = zone.to_datetime(self.span.start).date();
        if let Some(rule) = self.repeat.as_ref().filter(|rule| !rule.takes(first)) {
            let reason = format!(
                "`repeat`: the event begins on {first}, which \u{201c}{rule}\u{201d} leaves out."
            );
            return Err(AccountError::refused(reason));
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

/// What the account's owner answers to an invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Yes, perhaps or no; `Unanswered` is no answer.
    pub attendance: Attendance,
    /// Their own words for the organiser; may be empty.
    pub note: String,
}

/// A person's calendar.
#[async_trait]
pub trait Calendar: Send + Sync {
    /// The events that touch a span; whole days count from midnight to midnight where the owner is.
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError>;
    /// One occurrence, or the whole series of this id: when it is first, and everybody who is invited to any of it.
    /// `None` when this person sees none of this id.
    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError>;
    /// Whether events here can have a video call; elsewhere `video_call` is left out.
    async fn video_calls(&self, _: &Account) -> Result<bool, AccountError> {
        Ok(false)
    }
    /// Whether guests hear of every change of an event, whatever is asked: then one without a notice is refused.
    async fn tells_guests(&self, _: &Account) -> Result<bool, AccountError> {
        Ok(false)
    }
    /// When these people are busy within a span, one answer for each address in order.
    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError>;
    /// Creates an event and invites. The key decides its id: creating it again gives the one that was made,
    /// as it is now, and brings none back that was cancelled since. Of one that repeats the first is given.
    ///
    /// # Errors
    /// As `NewEvent::check`.
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
    /// `Refused` when somebody else organises it, it is gone, or it is a whole series; where guests hear of every
    /// change, also without a notice, and when it was moved under the key before and is elsewhere since.
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
    /// Cancels one occurrence of an own event, or an own series whole; attendees are told if `notify`, once for the
    /// key. `false` when it is gone already, or never was.
    ///
    /// # Errors
    /// `Refused` when somebody else organises it, or when guests would hear of it who are not to.
    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        idempotency_key: &str,
    ) -> Result<bool, AccountError>;
    /// The occurrence or series of this id, if it was cancelled; `None` when it is there, or never was.
    ///
    /// # Errors
    /// `Unknown` when it is there, and nobody can tell whether attendees were told under this key that it isn't.
    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError>;
    /// Answers an invitation to one occurrence or to a series; its organiser is told, once for the key. Of a
    /// series, what was answered to single occurrences stays. The same answer again does nothing.
    ///
    /// # Errors
    /// `Refused` when it is the owner's own, they aren't invited, it is gone, or this is no answer.
    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        idempotency_key: &str,
    ) -> Result<Event, AccountError>;
    /// Looks whether this is what was answered; `None` when it isn't, or the event is gone.
    ///
    /// # Errors
    /// `Unknown` when it isn't, and nobody can tell whether the organiser was told under this key that it is.
    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError>;
}
