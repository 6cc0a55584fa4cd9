//! Moves and cancels events. A move carries the version that was read, so a repeated move is refused. It also
//! stores on the event under which keys guests were notified.

use crate::Result;
use crate::person::mailbox;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendee, Event, EventChange, Notice, Span};
use alfred_core::{html, text};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::create::{CLOCK, guest};
use super::rows::nobody_knows;
use super::wire::{Guest, Resource};
use super::zone::zone;
use super::{OutlookCalendar, SERVICE, TOLD};
use alfred_accounts::api::{CallError, shaped, unsure};
use alfred_accounts::ask::Ask;
use alfred_accounts::marks;
use alfred_accounts::outbox::not_now;
use alfred_mime::clean;

const OUTLOOK_KEEPS_ORDER: &str = "Outlook keeps every date of a series between the one before and the one after it. Please choose a day in between.";

const CANCEL: &str = "cancel";
/// Attempts at a change whose event changes in between.
const TRIES: u32 = 2;

impl OutlookCalendar<'_> {
    /// Moves an occurrence. The organiser's note is appended to the description, since Outlook sends guests
    /// no other text.
    pub(super) async fn moved(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        span.check()?;
        let note = notice.map_or("", |notice| notice.note.trim());
        let step = |resource: &Resource, event: &Event| {
            if event.time == span.into() {
                return Ok(None);
            }
            let (name, zone) = own_zone(resource);
            let time = |at: Timestamp| {
                let local = zone.to_datetime(at).strftime(CLOCK).to_string();
                json!({"dateTime": local, "timeZone": name})
            };
            let mut body = json!({"start": time(span.start), "end": time(span.end)});
            if resource.is_all_day {
                body["isAllDay"] = json!(false);
            }
            if !event.attendees.is_empty() && notice.is_none() {
                let reason = text::outlook_tells_guests(&event.title);
                return Err(AccountError::refused(reason));
            }
            Ok(Some((body, !event.attendees.is_empty())))
        };
        self.patched(id, key, note, step).await
    }

    /// Changes place and guests of an occurrence. A patch replaces the whole list of guests.
    pub(super) async fn changed(
        &self,
        id: &EventId,
        change: &EventChange,
        key: &str,
    ) -> Result<Event> {
        change.check()?;
        let step = |resource: &Resource, event: &Event| {
            let after = change.applied(event);
            if after == *event {
                return Ok(None);
            }
            let mut body = json!({});
            if let Some(place) = &change.location {
                body["location"] = json!({"displayName": clean::line(place)});
            }
            if after.attendees != event.attendees {
                let written = |one: &Attendee| {
                    let mut written = guest(&one.mailbox);
                    let is = |guest: &&Guest| mailbox(&guest.person).address == one.mailbox.address;
                    if let Some(known) = resource.guests().find(is) {
                        written["type"] = known.kind.clone();
                        written["status"] = known.status.clone();
                    }
                    written
                };
                body["attendees"] = after.attendees.iter().map(written).collect();
            }
            let tells = !event.attendees.is_empty() || !after.attendees.is_empty();
            Ok(Some((body, tells)))
        };
        self.patched(id, key, "", step).await
    }

    /// Patches the version of an own occurrence that was read. If it changed meanwhile, reads and patches again. A step
    /// gives the fields to change and whether guests hear of them, or nothing if the event is as wanted.
    async fn patched(
        &self,
        id: &EventId,
        key: &str,
        note: &str,
        step: impl Fn(&Resource, &Event) -> Result<Option<(Value, bool)>> + Send + Sync,
    ) -> Result<Event> {
        for tries in 0..TRIES {
            // The other version may come from a lost attempt.
            let sure = |error| if tries == 0 { error } else { unsure(error) };
            let resource = self.there(id).await.map_err(sure)?;
            let resource = resource.ok_or_else(Event::gone)?;
            let event = self.given(&resource).await.map_err(sure)?;
            event.check_own_date()?;
            let Some((mut body, tells)) = step(&resource, &event)? else {
                return Ok(event);
            };
            if tells {
                let marks = marks::with(resource.property(TOLD), key);
                let once = || AccountError::refused(outlook_done_once(&event.title));
                let marks = json!({"id": TOLD, "value": marks.ok_or_else(once)?});
                body["singleValueExtendedProperties"] = json!([marks]);
            }
            if tells && !note.is_empty() {
                let words = self.noted(&resource, note).await;
                let Some(words) = words.map_err(sure)? else {
                    continue;
                };
                body["body"] = json!({"contentType": "html", "content": words});
            }
            // Repeating it changes nothing, since the version differs by then.
            let ask = Ask::patch(SERVICE, self.event_url(id), body)
                .if_match(resource.etag.as_deref())
                .repeatable();
            match self.call::<Value>(&ask).await {
                Ok(answer) => {
                    let changed: Resource = shaped(answer).map_err(unsure)?;
                    return self.given(&changed).await.map_err(unsure);
                }
                Err(CallError::Status { code: 412, .. }) => {}
                Err(CallError::Status { code: 404, .. }) => return Err(Event::gone()),
                Err(CallError::Status { reason, .. })
                    if reason == "ErrorOccurrenceCrossingBoundary" =>
                {
                    return Err(AccountError::refused(OUTLOOK_KEEPS_ORDER));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(not_now("the event changes too often"))
    }

    /// The HTML body, which holds the join link, with a dated note. `None` if the event changed since it was read.
    async fn noted(&self, resource: &Resource, note: &str) -> Result<Option<String>> {
        let ask = Ask::get(SERVICE, self.event_url(&resource.id.as_str().into()))
            .query("$select", "id,body")
            .header("prefer", r#"outlook.body-content-type="html""#.into());
        let whole: Resource = self.graph.call(self.account, &ask).await?;
        if whole.etag != resource.etag {
            return Ok(None);
        }
        let today = self.graph.clock.now().to_zoned(own_zone(resource).1);
        let day = today.strftime("%-d %B %Y").to_string();
        let said = html::escaped(&format!("Note of {day}: {note}")).replace('\n', "<br>");
        let words = whole.body["content"].as_str().unwrap_or_default();
        let (before, after) = words.split_at(words.rfind("</body>").unwrap_or(words.len()));
        Ok(Some(format!("{before}<br><br>{said}{after}")))
    }

    pub(super) async fn cancelled(&self, id: &EventId, notify: bool, key: &str) -> Result<bool> {
        let Some(resource) = self.there(id).await? else {
            return Ok(false);
        };
        let event = self.given(&resource).await?;
        event.check_own()?;
        let has_guests = !self.with_all_guests(&resource).await?.attendees.is_empty();
        if has_guests && !notify {
            let reason = text::outlook_tells_guests(&event.title);
            return Err(AccountError::refused(reason));
        }
        let digest = self.digest(CANCEL, key);
        let (_, version) = self.row(&digest).await?;
        self.trying(&digest, version, Some(&event)).await?;
        let url = self.event_url(id);
        let ask = if event.attendees.is_empty() {
            // Without guests there is nobody to notify. Exchange itself notifies the guests of changed occurrences.
            Ask::delete(SERVICE, url)
        } else {
            Ask::post(SERVICE, format!("{url}/cancel"), json!({}))
        };
        // Cancelling twice is harmless: the event is gone by then.
        match self.call::<Value>(&ask.repeatable()).await {
            // Deleted since it was read, by a lost attempt or by its owner.
            Ok(_) | Err(CallError::Status { code: 404, .. }) => {
                self.done(&digest, &event).await;
                Ok(true)
            }
            Err(error) => Err(self.not_made(&digest, error.into()).await),
        }
    }

    pub(super) async fn cancelled_under(&self, id: &EventId, key: &str) -> Result<Option<Event>> {
        let there = self.there(id).await?.is_some();
        let (row, _) = self.row(&self.digest(CANCEL, key)).await?;
        match row {
            Some(row) if there && row.in_flight(self.graph.clock.now()) => Err(nobody_knows()),
            Some(row) if !there => Ok(row.event.filter(|event| event.id == *id)),
            _ => Ok(None),
        }
    }
}

pub(crate) fn outlook_done_once(title: &str) -> String {
    format!(
        "I did that with \u{201c}{title}\u{201d} once, and it was changed again since. If it is to be done anew, please ask me again."
    )
}

/// The zone in which the event was made, by Outlook's name. UTC for a custom zone.
fn own_zone(resource: &Resource) -> (&str, TimeZone) {
    let name = resource.original_start_time_zone.as_str();
    let known = zone(name).filter(|_| !name.starts_with("tzone:"));
    known.map_or(("UTC", TimeZone::UTC), |zone| (name, zone))
}
