//! Moves, cancels and answers events. Patches carry the version that was read, so a repeated patch is
//! refused. They also store on the event under which keys the guests were notified.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, AccountService, Attendance, Event, EventChange, Notice, Response, Span,
};
use alfred_core::text;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::create::guest;
use super::wire::Resource;
use super::{GONE, Primary, SECONDS, given, read, unsure};
use crate::{Result, found};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;
use alfred_accounts::marks;
use alfred_accounts::outbox::not_now;

const MARKS: &str = "extendedProperties";
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
            event.check_own_date()?;
            if event.time == span.into() {
                return Ok(None);
            }
            // Without a day, an all-day event becomes a timed one.
            let time =
                |at: Timestamp| json!({"dateTime": at.strftime(SECONDS).to_string(), "date": null});
            let mut body = json!({"start": time(span.start), "end": time(span.end)});
            if let Some(notice) = notice.filter(|_| resource.has_guests())
                && let Some(marks) = resource.marked(key)
            {
                body[MARKS] = marks;
                if !notice.note.trim().is_empty() {
                    body["description"] = json!(self.noted(resource, &notice.note));
                }
            }
            Ok(Some(body))
        };
        self.patched(id, to).await
    }

    /// Changes place and guests of an occurrence. A patch replaces the whole list of guests.
    pub(super) async fn changed(
        &self,
        id: &EventId,
        change: &EventChange,
        key: &str,
    ) -> Result<Event> {
        change.check()?;
        let to = |resource: &Resource| {
            let event = given(resource)?;
            event.check_own_date()?;
            let after = change.applied(&event);
            if after == event {
                return Ok(None);
            }
            let mut body = json!({});
            if let Some(place) = &change.location {
                body["location"] = json!(place);
            }
            if after.attendees != event.attendees {
                let mut guests = resource.attendees.clone();
                guests.retain(|one| !change.remove.contains(&one.person.email.to_lowercase()));
                let new = after.attendees.iter();
                let new = new.filter(|one| !event.attendees.contains(one));
                let new = new.map(|one| guest(&one.mailbox));
                body["attendees"] = guests.iter().map(|one| json!(one)).chain(new).collect();
            }
            let reaches = resource.has_guests() || !after.attendees.is_empty();
            if let Some(marks) = resource.marked(key).filter(|_| reaches) {
                body[MARKS] = marks;
            }
            Ok(Some(body))
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
        let ask = Ask::delete(AccountService::Calendar, self.event_url(id))
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
            let mut body = json!({"attendeesOmitted": true, "attendees": [own]});
            if let Some(marks) = resource.marked(key) {
                body[MARKS] = marks;
            }
            Ok(Some(body))
        };
        self.patched(id, to).await
    }

    /// Patches the version that was read, and notifies guests if their notification is marked in the patch. If the
    /// event changed meanwhile, reads and patches again. Without a patch it is already as wanted.
    async fn patched(
        &self,
        id: &EventId,
        step: impl Fn(&Resource) -> Result<Option<Value>> + Send + Sync,
    ) -> Result<Event> {
        for tries in 0..TRIES {
            // The other version may come from a lost attempt.
            let sure = |error| if tries == 0 { error } else { unsure(error) };
            let resource = self.there(id).await.map_err(sure)?;
            let resource = resource.ok_or_else(Event::gone)?;
            let Some(body) = step(&resource)? else {
                return given(&resource);
            };
            let tell = body.get(MARKS).is_some();
            // Repeating it changes nothing, since the version differs by then.
            let ask = Ask::patch(AccountService::Calendar, self.event_url(id), body)
                .query("sendUpdates", updates(tell))
                .if_match(resource.etag.as_deref())
                .repeatable();
            match self.call(&ask).await {
                Ok(changed) => return given(&changed).map_err(unsure),
                Err(CallError::Status { code: 412, .. }) => {}
                Err(CallError::Status { code, .. }) if GONE.contains(&code) => {
                    return Err(Event::gone());
                }
                Err(CallError::Status {
                    code: 403, reason, ..
                }) if reason == "forbiddenForNonOrganizer" => {
                    let reason = text::not_your_event(&resource.summary);
                    return Err(AccountError::refused(reason));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(not_now("the event changes too often"))
    }
}

pub(super) fn updates(tell: bool) -> &'static str {
    if tell { "all" } else { "none" }
}
