//! Google Calendar v3 (<https://developers.google.com/workspace/calendar/api/v3/reference>): the owner's primary
//! calendar. Events are made under ids that their keys decide, so making one again finds the one that was made.

mod availability;
mod change;
mod read;
mod wire;

use alfred_core::digest::sha256_hex;
use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, Event, EventPage,
    EventTime, NewEvent, Notice, Response, Span,
};
use alfred_core::text;
use async_trait::async_trait;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Google;
use super::api::{Ask, CallError};
use change::updates;
use wire::{Listed, Resource};

/// RFC 3339 in UTC; Google counts no fractions of a second.
const SECONDS: &str = "%Y-%m-%dT%H:%M:%SZ";
/// Events of one page, the most that Google gives.
const PAGE: usize = 2_500;
/// Pages of one list; nobody has so many events.
const MOST_PAGES: usize = 40;
/// Kinds of events that take time; without them where somebody works is listed too.
const TYPES: [&str; 4] = ["default", "focusTime", "fromGmail", "outOfOffice"];

/// An answer's body, read.
fn answered<T: DeserializeOwned>(answer: Value) -> Result<T, AccountError> {
    serde_json::from_value(answer).map_err(|error| AccountError::NotReached {
        detail: format!("an answer of another shape: {error}"),
        retry_after: None,
    })
}

/// What fails behind a change that may have been made.
fn unsure(error: AccountError) -> AccountError {
    match error {
        AccountError::NotReached { detail, .. } | AccountError::Refused { reason: detail } => {
            AccountError::Unknown { detail }
        }
        other => other,
    }
}

fn given(resource: &Resource) -> Result<Event, AccountError> {
    read::event(resource).map_err(AccountError::refused)
}

fn gone() -> AccountError {
    AccountError::refused(text::event_gone())
}

/// The id under which `create` makes what this key stands for: hex digits are letters of base32hex too.
fn id_of(account: &Account, key: &str) -> EventId {
    let Account { team, user } = account;
    let named = json!([team.as_str(), user.as_str(), key]).to_string();
    sha256_hex(named.as_bytes()).into()
}

impl Google {
    fn events_url(&self) -> String {
        let base = &self.api.endpoints.calendar;
        format!("{base}/calendar/v3/calendars/primary/events")
    }

    /// `None` for what is no event's id.
    fn event_url(&self, id: &EventId) -> Option<String> {
        let id = id.as_str();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let known = !id.is_empty() && id.len() <= 1_024 && id.chars().all(fits);
        known.then(|| format!("{}/{id}", self.events_url()))
    }

    /// The event of this id, cancelled or not.
    async fn resource(
        &self,
        account: &Account,
        id: &EventId,
    ) -> Result<Option<Resource>, AccountError> {
        // No id of Google's, but whether there is an account shows by asking.
        let unknown = || {
            format!(
                "{}/{}",
                self.events_url(),
                sha256_hex(id.as_str().as_bytes())
            )
        };
        let url = self.event_url(id).unwrap_or_else(unknown);
        let ask = Ask::get(AccountService::Calendar, url);
        match self.api.call(account, &ask).await {
            Ok(answer) => answered(answer).map(Some),
            Err(CallError::Status {
                code: 404 | 410, ..
            }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The same, unless it was cancelled.
    async fn there(
        &self,
        account: &Account,
        id: &EventId,
    ) -> Result<Option<Resource>, AccountError> {
        let resource = self.resource(account, id).await?;
        Ok(resource.filter(|resource| !resource.is_cancelled()))
    }

    /// All pages of a list; one that can't be had is none of half a list.
    async fn listed(&self, account: &Account, ask: Ask) -> Result<Listed, AccountError> {
        let ask = ask.query("maxResults", PAGE);
        let mut all = Listed::default();
        let mut next = None;
        for _ in 0..MOST_PAGES {
            let ask = match next.take() {
                Some(token) => ask.clone().query("pageToken", token),
                None => ask.clone(),
            };
            let page: Listed = answered(self.api.call(account, &ask).await?)?;
            all.items.extend(page.items);
            all.time_zone = page.time_zone;
            next = page.next_page_token;
            if next.is_none() {
                return Ok(all);
            }
        }
        Err(AccountError::refused(text::google_too_large()))
    }

    /// Of a series the first one, as it is now; of a cancelled one what is left of it.
    async fn first(&self, account: &Account, made: &Resource) -> Result<Event, AccountError> {
        let start = made.start.as_ref().and_then(|start| start.date_time);
        let (Some(start), false) = (start, made.recurrence.is_empty()) else {
            return given(made);
        };
        let url = format!("{}/{}/instances", self.events_url(), made.id);
        let ask = Ask::get(AccountService::Calendar, url)
            .query("originalStart", start.strftime(SECONDS))
            .query("showDeleted", true);
        let ones = match self.api.call(account, &ask).await {
            Ok(answer) => answered::<Listed>(answer)?.items,
            Err(CallError::Status {
                code: 404 | 410, ..
            }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        match ones.into_iter().next() {
            Some(one) => given(&whole(answered(one)?, made)),
            None => given(made),
        }
    }

    /// A cancelled date of a series has no words of its own.
    async fn with_words(&self, account: &Account, one: Resource) -> Result<Resource, AccountError> {
        let Some(series) = one.recurring_event_id.clone() else {
            return Ok(one);
        };
        let series = self.resource(account, &series.into()).await?;
        Ok(series.map_or(one.clone(), |series| whole(one, &series)))
    }
}

fn whole(one: Resource, series: &Resource) -> Resource {
    match one.start.is_none() {
        true => read::of_series(&one, series),
        false => one,
    }
}

#[async_trait]
impl Calendar for Google {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError> {
        // One without length that lies at the start ends there too; it is filtered below.
        let from = span.start.saturating_sub(1.second()).unwrap_or(span.start);
        let to = span.end.saturating_add(1.second()).unwrap_or(span.end);
        let mut ask = Ask::get(AccountService::Calendar, self.events_url())
            .query("singleEvents", true)
            .query("orderBy", "startTime")
            .query("timeMin", from.strftime(SECONDS))
            .query("timeMax", to.strftime(SECONDS));
        for kind in TYPES {
            ask = ask.query("eventTypes", kind);
        }
        let listed = self.listed(account, ask).await?;
        let zone = TimeZone::get(&listed.time_zone).unwrap_or(TimeZone::UTC);
        let mut page = EventPage::default();
        for item in listed.items {
            match read::entry(item) {
                Ok(event) => page.events.extend(event),
                Err(unreadable) => page.unreadable.push(unreadable),
            }
        }
        page.events
            .retain(|event| event.time.span(&zone).touches(&span));
        let order = |event: &Event| (event.time.span(&zone).start, event.id.clone());
        page.events.sort_by_cached_key(order);
        Ok(page)
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError> {
        let Some(resource) = self.there(account, id).await? else {
            return Ok(None);
        };
        let mut event = given(&resource)?;
        if !event.is_series() || resource.ical_uid.is_empty() {
            return Ok(Some(event));
        }
        // Dates of a series that were changed have the same UID, and guests of their own.
        let ask = Ask::get(AccountService::Calendar, self.events_url())
            .query("iCalUID", &resource.ical_uid);
        for item in self.listed(account, ask).await?.items {
            let one: Resource = answered(item)?;
            for guest in read::attendees(&one.attendees) {
                let known = |known: &alfred_core::ports::Attendee| {
                    known.mailbox.address == guest.mailbox.address
                };
                if !one.is_cancelled() && !event.attendees.iter().any(known) {
                    event.attendees.push(guest);
                }
            }
        }
        Ok(Some(event))
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        self.busy(account, addresses, span).await
    }

    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        event.check()?;
        let id = id_of(account, idempotency_key);
        let ask = Ask::post(
            AccountService::Calendar,
            self.events_url(),
            body(&id, event),
        )
        .query("sendUpdates", updates(!event.attendees.is_empty()))
        .repeatable();
        match self.api.call(account, &ask).await {
            Ok(answer) => {
                let made = answered(answer).map_err(unsure)?;
                self.first(account, &made).await.map_err(unsure)
            }
            Err(CallError::Status { code: 409, .. }) => {
                let made = self.find_created(account, idempotency_key).await;
                made.map_err(unsure)?.ok_or_else(|| AccountError::Unknown {
                    detail: "an event of this id is there, and can't be read".into(),
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        let id = id_of(account, idempotency_key);
        match self.resource(account, &id).await? {
            Some(made) => self.first(account, &made).await.map(Some),
            None => Ok(None),
        }
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        self.moved(account, id, span, notice, idempotency_key).await
    }

    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        let Some(resource) = self.there(account, id).await? else {
            return Ok(None);
        };
        let (event, Span { start, end }) = (given(&resource)?, span);
        Ok(Some(event).filter(|event| event.time == EventTime::Timed { start, end }))
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        _: &str,
    ) -> Result<bool, AccountError> {
        self.cancelled(account, id, notify).await
    }

    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        match self.resource(account, id).await? {
            Some(one) if one.is_cancelled() => {
                let one = self.with_words(account, one).await?;
                given(&one).map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        self.responded(account, id, response, idempotency_key).await
    }

    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        let Some(resource) = self.there(account, id).await? else {
            return Ok(None);
        };
        Ok(Some(given(&resource)?).filter(|event| event.attendance == attendance))
    }
}

/// What is inserted.
fn body(id: &EventId, event: &NewEvent) -> Value {
    let zone = TimeZone::get(&event.time_zone).unwrap_or(TimeZone::UTC);
    let time = |at: jiff::Timestamp| json!({"dateTime": at.strftime(SECONDS).to_string(), "timeZone": event.time_zone});
    let guest = |mailbox: &alfred_core::ports::Mailbox| {
        let mut guest = json!({"email": mailbox.address});
        if !mailbox.name.is_empty() {
            guest["displayName"] = json!(mailbox.name);
        }
        guest
    };
    let mut body = json!({
        "id": id,
        "summary": event.title,
        "description": event.description,
        "start": time(event.span.start),
        "end": time(event.span.end),
        "attendees": event.attendees.iter().map(guest).collect::<Vec<_>>(),
    });
    if let Some(rule) = &event.repeat {
        body["recurrence"] = json!([format!("RRULE:{}", rule.rrule(&zone))]);
    }
    body
}
