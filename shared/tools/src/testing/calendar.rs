//! Events, and a calendar that can't be read.

use alfred_core::ports::{AccountError, Attendance, Call, Event, EventTime, Intercept, Mailbox};
use std::any::Any;

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

/// Gives this error, whatever is asked.
pub(crate) struct Failing(pub(crate) fn() -> AccountError);

impl Intercept for Failing {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        _: Call<'_>,
        _: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let error: Box<dyn Any> = Box::new((self.0)());
        Err(*error.downcast().unwrap())
    }
}
