use alfred_core::id::EventId;
use alfred_core::ports::{Account, AccountError, AccountService, Event, Mailbox, NewEvent};
use alfred_mime::digest;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::change::updates;
use super::wire::{Listed, Resource};
use super::{GONE, Primary, SECONDS, given, read, shaped, unsure};
use crate::{Result, found};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

/// The event id for a key. Hex digits are valid in Google's base32hex ids.
fn id_of(account: &Account, key: &str) -> EventId {
    digest(account, key).into()
}

impl Primary<'_> {
    /// Creates the event and sends invitations, or returns the event of this key.
    pub(super) async fn created(&self, event: &NewEvent, key: &str) -> Result<Event> {
        event.check()?;
        let id = id_of(self.account, key);
        let body = body(&id, event);
        let ask = Ask::post(AccountService::Calendar, self.events_url(), body)
            .query("sendUpdates", updates(!event.attendees.is_empty()))
            // Without this parameter Google ignores the conference request.
            .query_some("conferenceDataVersion", event.video_call.then_some(1))
            .repeatable();
        match self.call(&ask).await {
            Ok(made) => self.first(&made).await.map_err(unsure),
            Err(CallError::Status { code: 409, .. }) => {
                let made = self.made_under(key).await.map_err(unsure)?;
                let why = "an event of this id is there, and can't be read";
                made.ok_or_else(|| AccountError::unknown(why))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The event created under a key, even a cancelled one.
    pub(super) async fn made_under(&self, key: &str) -> Result<Option<Event>> {
        let id = id_of(self.account, key);
        match self.resource(&id).await? {
            Some(made) => self.first(&made).await.map(Some),
            None => Ok(None),
        }
    }

    /// The first occurrence of a series in its current state. For a cancelled series, the series itself.
    async fn first(&self, made: &Resource) -> Result<Event> {
        let start = made.start.as_ref().and_then(|start| start.date_time);
        let (Some(start), false) = (start, made.recurrence.is_empty()) else {
            return given(made);
        };
        let url = format!("{}/{}/instances", self.events_url(), made.id);
        let ask = Ask::get(AccountService::Calendar, url)
            .query("originalStart", start.strftime(SECONDS))
            .query("showDeleted", true);
        let ones: Option<Listed> = found(self.call(&ask).await, &GONE)?;
        match ones.unwrap_or_default().items.into_iter().next() {
            Some(one) => given(&read::of_series(shaped(one)?, made.clone())),
            None => given(made),
        }
    }
}

pub(super) fn guest(mailbox: &Mailbox) -> Value {
    let mut guest = json!({"email": mailbox.address});
    if !mailbox.name.is_empty() {
        guest["displayName"] = json!(mailbox.name);
    }
    guest
}

fn body(id: &EventId, event: &NewEvent) -> Value {
    let zone = TimeZone::get(&event.time_zone).unwrap_or(TimeZone::UTC);
    let time = |at: Timestamp| json!({"dateTime": at.strftime(SECONDS).to_string(), "timeZone": event.time_zone});
    let mut body = json!({
        "id": id,
        "summary": event.title,
        "description": event.description,
        "location": event.location,
        "start": time(event.span.start),
        "end": time(event.span.end),
        "attendees": event.attendees.iter().map(guest).collect::<Vec<_>>(),
    });
    if event.video_call {
        // The same request id gives the same conference.
        let solution = json!({"type": "hangoutsMeet"});
        let request = json!({"requestId": id, "conferenceSolutionKey": solution});
        body["conferenceData"] = json!({"createRequest": request});
    }
    if let Some(rule) = &event.repeat {
        body["recurrence"] = json!([format!("RRULE:{}", rule.rrule(&zone))]);
    }
    body
}
