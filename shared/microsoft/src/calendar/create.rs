//! Creates an event, once for its key. The key's digest is its `transactionId`, so Graph makes no second one
//! while it exists. The digest is also a property, to find the event. A row records that the event existed if
//! it is deleted later.

use alfred_core::ports::{Event, Mailbox, NewEvent};
use alfred_mime::clean;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::rows::{Row, nobody_knows};
use super::wire::{FIELDS, Resource};
use super::{OutlookCalendar, SERVICE, TEAMS, recurrence};
use crate::{Page, Result, key_property, person, with_key};
use alfred_accounts::api::{CallError, shaped, unsure};
use alfred_accounts::ask::Ask;

const CREATE: &str = "create";
/// A local time without zone.
pub(super) const CLOCK: &str = "%Y-%m-%dT%H:%M:%S";

impl OutlookCalendar<'_> {
    /// Creates the event and sends invitations, or returns the event of this key.
    pub(super) async fn created(&self, event: &NewEvent, key: &str) -> Result<Event> {
        event.check()?;
        let zone = TimeZone::get(&event.time_zone).unwrap_or(TimeZone::UTC);
        let first = zone.to_datetime(event.span.start).date();
        if let Some(rule) = &event.repeat {
            recurrence::check(rule, first)?;
        }
        let digest = self.digest(CREATE, key);
        let _turn = self.graph.changing.of(&digest).await;
        let (row, version) = self.row(&digest).await?;
        if let Some(made) = self.made_under(&digest, row.as_ref()).await? {
            return Ok(made);
        }
        self.trying(&digest, version, None).await?;
        let body = body(event, (first, &zone), &digest);
        let ask = Ask::post(SERVICE, self.url("events"), body).repeatable();
        let made: Value = match self.call(&ask).await {
            Ok(made) => made,
            Err(CallError::Status { reason, .. }) if reason == "ErrorDuplicateTransactionId" => {
                let made = self.created_under(key).await.map_err(unsure)?;
                return made.ok_or_else(nobody_knows);
            }
            Err(error) => return Err(self.not_made(&digest, error.into()).await),
        };
        let made: Resource = shaped(made).map_err(unsure)?;
        self.written_down(&digest, &made).await.map_err(unsure)
    }

    pub(super) async fn created_under(&self, key: &str) -> Result<Option<Event>> {
        let digest = self.digest(CREATE, key);
        let (row, _) = self.row(&digest).await?;
        // Before the search, which may take minutes.
        let now = self.graph.clock.now();
        if let Some(made) = self.made_under(&digest, row.as_ref()).await? {
            return Ok(Some(made));
        }
        // Another process may have begun or finished meanwhile.
        let (late, _) = self.row(&digest).await?;
        let rows = [&row, &late];
        let may_run = rows.iter().copied().flatten().any(|row| row.in_flight(now));
        match late.and_then(|late| late.event) {
            None if may_run => Err(nobody_knows()),
            made => Ok(made),
        }
    }

    /// The event made under a key, in its current or last known state.
    async fn made_under(&self, digest: &str, row: Option<&Row>) -> Result<Option<Event>> {
        if let Some(was) = row.and_then(|row| row.event.as_ref()) {
            let now = self.event_of(&was.id).await?;
            return Ok(Some(now.unwrap_or_else(|| was.clone())));
        }
        let ask = Ask::get(SERVICE, self.url("events"))
            .query("$filter", with_key(digest))
            .query("$select", FIELDS);
        let page: Page<Resource> = self.call(&ask).await?;
        match page.value.first() {
            Some(made) => self.written_down(digest, made).await.map(Some),
            None => Ok(None),
        }
    }

    /// Stores that the event was made. Returns the first occurrence of a series.
    async fn written_down(&self, digest: &str, made: &Resource) -> Result<Event> {
        let mut event = self.given(made).await?;
        if event.is_series()
            && let Some(first) = self.first(&event).await?
        {
            event = first;
        }
        self.done(digest, &event).await;
        Ok(event)
    }

    async fn first(&self, series: &Event) -> Result<Option<Event>> {
        let span = series.time.span(&TimeZone::UTC);
        let url = format!("{}/instances", self.event_url(&series.id));
        let ask = Ask::get(SERVICE, url)
            .query("startDateTime", span.start)
            .query("endDateTime", span.end)
            .query("$select", FIELDS);
        let page: Page<Resource> = self.call(&ask).await?;
        match page.value.first() {
            Some(first) => self.given(first).await.map(Some),
            None => Ok(None),
        }
    }
}

pub(super) fn guest(mailbox: &Mailbox) -> Value {
    let mut guest = person::written(mailbox);
    guest["type"] = json!("required");
    guest
}

fn body(event: &NewEvent, (first, zone): (Date, &TimeZone), digest: &str) -> Value {
    let time = |at: Timestamp| {
        let local = zone.to_datetime(at).strftime(CLOCK).to_string();
        json!({"dateTime": local, "timeZone": event.time_zone})
    };
    let mut body = json!({
        "transactionId": digest,
        "subject": clean::line(&event.title),
        "body": {"contentType": "text", "content": clean::lines(&event.description)},
        "location": {"displayName": clean::line(&event.location)},
        "start": time(event.span.start),
        "end": time(event.span.end),
        "attendees": event.attendees.iter().map(guest).collect::<Vec<_>>(),
        "singleValueExtendedProperties": key_property(digest),
    });
    if event.video_call {
        body["isOnlineMeeting"] = json!(true);
        body["onlineMeetingProvider"] = json!(TEAMS);
    }
    if let Some(rule) = &event.repeat {
        body["recurrence"] = recurrence::written(rule, first, &event.time_zone);
    }
    body
}
