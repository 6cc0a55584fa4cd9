//! Moves, cancels and answers events. Patches carry the version that was read, so a repeated patch is
//! refused. They also store on the event under which keys the guests were notified.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, AccountService, Attendance, Event, EventTime, Notice, Response, Span,
};
use alfred_core::text;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::wire::{Resource, When};
use super::{GONE, Primary, SECONDS, given, gone, read, shaped, unsure};
use crate::{Result, found};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;
use alfred_accounts::marks;

/// Private extended property with the marks of keys under which guests were notified.
const TOLD: &str = "alfredTold";
/// Attempts at a patch whose event changes in between.
const TRIES: u32 = 2;

impl Resource {
    /// The marks with this key added. `None` if guests were already notified under this key.
    fn marked(&self, key: &str) -> Option<Value> {
        let marks = self.extended_properties.private.get(TOLD);
        let marks = marks.and_then(Value::as_str).unwrap_or_default();
        Some(json!({"private": {TOLD: marks::with(marks, key)?}}))
    }
}

impl Primary<'_> {
    /// Moves an occurrence. The organiser's note is appended to the description, since Google sends guests no
    /// other text.
    pub(super) async fn moved(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        span.check()?;
        let to = |resource: &Resource| {
            let event = given(resource)?;
            if !event.own {
                return Err(AccountError::refused(text::not_your_event(&event.title)));
            }
            if event.is_series() {
                return Err(AccountError::refused(text::SERIES_NOT_MOVED));
            }
            let Span { start, end } = span;
            if event.time == (EventTime::Timed { start, end }) {
                return Ok(None);
            }
            let mut body = json!({
                "start": time(resource.start.as_ref(), start),
                "end": time(resource.end.as_ref(), end),
            });
            let notice = notice.filter(|_| resource.has_guests());
            let marks = notice.and_then(|_| resource.marked(key));
            if let (Some(notice), Some(_)) = (notice, &marks)
                && !notice.note.trim().is_empty()
            {
                body["description"] = json!(self.noted(resource, &notice.note));
            }
            Ok(Some(with_marks(body, marks)))
        };
        self.patched(id, to).await
    }

    /// The description with a dated note, in the event's own zone.
    fn noted(&self, resource: &Resource, note: &str) -> String {
        let start = resource.start.as_ref();
        let zone = start.and_then(|start| TimeZone::get(&start.time_zone).ok());
        let now = self.google.clock.now();
        let today = now.to_zoned(zone.unwrap_or(TimeZone::UTC));
        let day = today.strftime("%-d %B %Y").to_string();
        let said = format!("Note of {day}: {}", note.trim());
        match resource.description.trim_end() {
            "" => said,
            before => format!("{before}\n\n{said}"),
        }
    }

    pub(super) async fn cancelled(&self, id: &EventId, notify: bool) -> Result<bool> {
        let Some(resource) = self.there(id).await? else {
            return Ok(false);
        };
        if !resource.is_own() {
            let reason = text::not_your_event(&resource.summary);
            return Err(AccountError::refused(reason));
        }
        let Some(url) = self.event_url(id) else {
            return Ok(false);
        };
        let ask = Ask::delete(AccountService::Calendar, url)
            .query("sendUpdates", updates(notify && resource.has_guests()))
            .repeatable();
        // It may be gone since it was read, by a lost attempt or by its owner.
        found(self.call::<Value>(&ask).await, &GONE)?;
        Ok(true)
    }

    /// Answers an invitation. `attendeesOmitted` leaves the other guests unchanged.
    pub(super) async fn responded(
        &self,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event> {
        let to = |resource: &Resource| {
            let event = given(resource)?;
            let me = resource.me().filter(|_| !event.own);
            let me = me.filter(|_| response.attendance != Attendance::Unanswered);
            let Some(me) = me else {
                return Err(AccountError::refused(text::not_invited(&event.title)));
            };
            if event.attendance == response.attendance {
                return Ok(None);
            }
            let own = json!({
                "email": me.person.email,
                "responseStatus": read::response_status(response.attendance),
                "comment": response.note,
            });
            let body = json!({"attendeesOmitted": true, "attendees": [own]});
            Ok(Some(with_marks(body, resource.marked(key))))
        };
        self.patched(id, to).await
    }

    /// Patches the version that was read. If it changed meanwhile, reads and patches again. Without a patch the
    /// event is already as wanted.
    async fn patched(
        &self,
        id: &EventId,
        step: impl Fn(&Resource) -> Result<Option<Patch>> + Send + Sync,
    ) -> Result<Event> {
        let url = self.event_url(id).ok_or_else(gone)?;
        for tries in 0..TRIES {
            let read = self.there(id).await;
            // The other version may come from a lost attempt.
            let read = if tries == 0 {
                read
            } else {
                read.map_err(unsure)
            };
            let resource = read?.ok_or_else(gone)?;
            let Some(Patch { body, tell }) = step(&resource)? else {
                return given(&resource);
            };
            // Repeating it changes nothing, since the version differs by then.
            let ask = Ask::patch(AccountService::Calendar, url.clone(), body)
                .query("sendUpdates", updates(tell))
                .if_match(resource.etag.as_deref())
                .repeatable();
            match self.call(&ask).await {
                Ok(answer) => {
                    let changed = shaped(answer).and_then(|changed| given(&changed));
                    return changed.map_err(unsure);
                }
                Err(CallError::Status { code: 412, .. }) => {}
                Err(CallError::Status { code, .. }) if GONE.contains(&code) => return Err(gone()),
                Err(CallError::Status {
                    code: 403, reason, ..
                }) if reason == "forbiddenForNonOrganizer" => {
                    let reason = text::not_your_event(&resource.summary);
                    return Err(AccountError::refused(reason));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(AccountError::NotReached {
            detail: "the event changes too often".into(),
            retry_after: None,
        })
    }
}

struct Patch {
    body: Value,
    /// Whether to notify guests.
    tell: bool,
}

/// Adds the marks. Without new marks, guests are not notified.
fn with_marks(mut body: Value, marks: Option<Value>) -> Patch {
    let tell = marks.is_some();
    if let Some(marks) = marks {
        body["extendedProperties"] = marks;
    }
    Patch { body, tell }
}

pub(super) fn updates(tell: bool) -> &'static str {
    if tell { "all" } else { "none" }
}

/// A new time in the event's own zone. An all-day event becomes a timed one.
fn time(known: Option<&When>, at: jiff::Timestamp) -> Value {
    let mut time = json!({"dateTime": at.strftime(SECONDS).to_string()});
    if known.is_some_and(|known| known.date.is_some()) {
        time["date"] = Value::Null;
    }
    time
}
