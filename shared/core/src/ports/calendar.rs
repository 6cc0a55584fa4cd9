use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{
    AccountError, Attendance, Attendee, Event, EventPage, Mailbox, Recurrence, Result, Span,
};
use crate::id::EventId;
use crate::text;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Busy in these spans, sorted and merged.
    Busy(Vec<Span>),
    /// The calendar isn't visible.
    Hidden,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    pub title: String,
    pub span: Span,
    /// IANA time zone in which it is shown.
    pub time_zone: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub location: String,
    /// The people to invite, without the owner.
    pub attendees: Vec<Mailbox>,
    /// How it repeats. `None` for a single event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Recurrence>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub video_call: bool,
}

impl NewEvent {
    /// Checks the event before a provider is called. Fails with `Refused` if it ends before it starts, the
    /// zone is unknown, an attendee has no valid address, or the first day doesn't match the recurrence.
    pub fn check(&self) -> Result<()> {
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
        check_addresses(&self.attendees)
    }
}

impl Event {
    /// The refusal of a change to an event that isn't there.
    pub fn gone() -> AccountError {
        AccountError::refused(text::EVENT_GONE)
    }

    /// Fails with `Refused` if somebody else organizes it.
    pub fn check_own(&self) -> Result<()> {
        if !self.own {
            return Err(AccountError::refused(text::not_your_event(&self.title)));
        }
        Ok(())
    }

    /// Fails with `Refused` if somebody else organizes it, or if it is a whole series.
    pub fn check_own_date(&self) -> Result<()> {
        self.check_own()?;
        if self.is_series() {
            return Err(AccountError::refused(text::SERIES_NOT_CHANGED));
        }
        Ok(())
    }
}

fn check_addresses(people: &[Mailbox]) -> Result<()> {
    let bad = people.iter().find(|mailbox| !mailbox.is_addressable());
    let reason = |bad: &Mailbox| text::no_address("attendees", &bad.address);
    bad.map_or(Ok(()), |bad| Err(AccountError::refused(reason(bad))))
}

/// A change of an event's place and attendees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventChange {
    /// Empty to remove the place. Without a value it stays.
    pub location: Option<String>,
    pub add: Vec<Mailbox>,
    /// Addresses of attendees, in lower case.
    pub remove: Vec<String>,
}

impl EventChange {
    /// Fails with `Refused` if an added attendee has no valid address.
    pub fn check(&self) -> Result<()> {
        check_addresses(&self.add)
    }

    /// The event after the change. Attendees who stay keep their answers.
    pub fn applied(&self, event: &Event) -> Event {
        let mut after = event.clone();
        after.location = self.location.clone().unwrap_or(after.location);
        let stays = |one: &Attendee| !self.remove.contains(&one.mailbox.address);
        after.attendees.retain(stays);
        for mailbox in &self.add {
            let (mailbox, attendance) = (mailbox.clone(), Attendance::Unanswered);
            after.invite(Attendee {
                mailbox,
                attendance,
            });
        }
        after
    }

    pub fn is_made(&self, event: &Event) -> bool {
        self.applied(event) == *event
    }
}

/// The notification of attendees about a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The organizer's own text; may be empty.
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Accepted, tentative or declined. `Unanswered` is refused.
    pub attendance: Attendance,
    /// The owner's text to the organizer; may be empty.
    pub note: String,
}

#[async_trait]
pub trait CalendarAccount: Send + Sync {
    /// Events that overlap a span. All-day events last from midnight to midnight in the owner's time zone.
    async fn events(&self, span: Span) -> Result<EventPage>;
    /// An occurrence, or a whole series with the time of its first occurrence and all its
    /// attendees. `None` if this person can't see it.
    async fn event(&self, id: &EventId) -> Result<Option<Event>>;
    /// Whether the provider supports video calls. If not, `video_call` is ignored.
    async fn video_calls(&self) -> Result<bool> {
        Ok(false)
    }
    /// Whether the provider always notifies guests of changes. Then changes without a notice are refused.
    async fn tells_guests(&self) -> Result<bool> {
        Ok(false)
    }
    /// When these people are busy within a span; one answer per address, in order.
    async fn availability(&self, addresses: &[String], span: Span) -> Result<Vec<Availability>>;
    /// Creates an event and invites the attendees. Calling it again with the same key returns the existing
    /// event in its current state, and doesn't restore a cancelled one. For a repeating event, the first
    /// occurrence is returned. Fails like [`NewEvent::check`].
    async fn create(&self, event: &NewEvent, key: &str) -> Result<Event>;
    /// The event that `create` made with this key, even if cancelled since. Fails with `Unknown` if there is
    /// none, but invitations may have been sent.
    async fn find_created(&self, key: &str) -> Result<Option<Event>>;
    /// Moves an occurrence of the owner's event. With a notice, attendees are notified, once per key. Moving
    /// it to its current time does nothing. Fails with `Refused` if somebody else organizes the event, it is
    /// gone, or it is a series. If the provider always notifies guests, also without a notice, or if the
    /// event was moved again after this key was used.
    async fn reschedule(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event>;
    /// The occurrence if it is at this time; `None` if not, or if it is gone. Fails with `Unknown` if it
    /// isn't, but attendees may have been notified with this key.
    async fn find_moved(&self, id: &EventId, span: Span, key: &str) -> Result<Option<Event>>;
    /// Changes an occurrence of the owner's event. Its attendees, also added and removed ones, are notified, once
    /// per key. Fails like [`Self::reschedule`] and [`EventChange::check`].
    async fn change(&self, id: &EventId, change: &EventChange, key: &str) -> Result<Event>;
    /// Like [`Self::find_moved`], for a change.
    async fn find_changed(
        &self,
        id: &EventId,
        change: &EventChange,
        key: &str,
    ) -> Result<Option<Event>>;
    /// Cancels an occurrence or series of the owner. Attendees are notified if `notify` is set, once per key.
    /// Returns `false` if it didn't exist any more. Fails with `Refused` if somebody else organizes it, or if
    /// guests would be notified against `notify`.
    async fn cancel(&self, id: &EventId, notify: bool, key: &str) -> Result<bool>;
    /// The occurrence or series if it was cancelled; `None` if it exists or never did. Fails with `Unknown`
    /// if it exists, but attendees may have been notified of the cancellation with this key.
    async fn find_cancelled(&self, id: &EventId, key: &str) -> Result<Option<Event>>;
    /// Answers an invitation to an occurrence or series and notifies the organizer, once per key. For a
    /// series, answers to single occurrences stay. Repeating an answer does nothing. Fails with `Refused` if
    /// the event is the owner's own, they aren't invited, it is gone, or `Unanswered` is given.
    async fn respond(&self, id: &EventId, response: &Response, key: &str) -> Result<Event>;
    /// The event if this answer was given; `None` if not, or if the event is gone. Fails with `Unknown` if
    /// not, but the organizer may have been notified with this key.
    async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>>;
}
