//! Events, and a calendar that can't be read.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, Attendance, Availability, Calendar, Event, EventPage, EventTime,
    Mailbox, NewEvent, Notice, Span,
};
use async_trait::async_trait;

/// A timed event, written by somebody else.
pub(crate) fn event(id: &str, title: &str, start: &str, end: &str) -> Event {
    Event {
        id: id.into(),
        title: title.into(),
        time: EventTime::Timed {
            start: start.parse().unwrap(),
            end: end.parse().unwrap(),
        },
        description: String::new(),
        location: String::new(),
        organizer: Some(Mailbox::new("Ana", "ana@example.com")),
        own: false,
        attendees: Vec::new(),
        attendance: Attendance::Accepted,
        busy: true,
        recurring: false,
    }
}

/// Gives this error, whatever it is asked.
pub(crate) struct FailingCalendar(pub(crate) fn() -> AccountError);

#[async_trait]
impl Calendar for FailingCalendar {
    async fn events(&self, _: &Account, _: Span) -> Result<EventPage, AccountError> {
        Err((self.0)())
    }

    async fn event(&self, _: &Account, _: &EventId) -> Result<Option<Event>, AccountError> {
        Err((self.0)())
    }

    async fn availability(
        &self,
        _: &Account,
        _: &[String],
        _: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        Err((self.0)())
    }

    async fn create(&self, _: &Account, _: &NewEvent, _: &str) -> Result<Event, AccountError> {
        Err((self.0)())
    }

    async fn find_created(&self, _: &Account, _: &str) -> Result<Option<Event>, AccountError> {
        Err((self.0)())
    }

    async fn reschedule(
        &self,
        _: &Account,
        _: &EventId,
        _: Span,
        _: Option<&Notice>,
        _: &str,
    ) -> Result<Event, AccountError> {
        Err((self.0)())
    }

    async fn find_moved(
        &self,
        _: &Account,
        _: &EventId,
        _: Span,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        Err((self.0)())
    }

    async fn cancel(&self, _: &Account, _: &EventId, _: bool) -> Result<bool, AccountError> {
        Err((self.0)())
    }
}
