//! Google Calendar v3 (<https://developers.google.com/workspace/calendar/api/v3/reference>): the owner's
//! primary calendar. An event's id is derived from its key, so creating it again finds the existing one.

mod availability;
mod change;
mod create;
mod list;
mod read;
mod wire;

use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, CalendarAccount,
    Event, EventChange, EventPage, NewEvent, Notice, Response, Span,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::Google;
use crate::{Result, found, is_id};
use alfred_accounts::api::{CallResult, shaped, unsure};
use alfred_accounts::ask::Ask;
use alfred_accounts::free_busy::availability;
use wire::Resource;

/// Statuses of an event that doesn't exist.
const GONE: [u16; 2] = [404, 410];
/// RFC 3339 in UTC. Google ignores fractions of a second.
const SECONDS: &str = "%Y-%m-%dT%H:%M:%SZ";

fn given(resource: &Resource) -> Result<Event> {
    read::event(resource).map_err(AccountError::refused)
}

struct Primary<'a> {
    google: &'a Google,
    account: &'a Account,
}

impl Primary<'_> {
    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> CallResult<T> {
        self.google.call(self.account, ask).await
    }

    fn events_url(&self) -> String {
        let base = &self.google.api.endpoints.calendar;
        format!("{base}/calendar/v3/calendars/primary/events")
    }

    fn event_url(&self, id: &EventId) -> String {
        let id = id.as_str();
        // No event has such a short id. Still ask, to learn whether an account is connected.
        let id = if is_id(id) { id } else { "none" };
        format!("{}/{id}", self.events_url())
    }

    /// The event of this id, even a cancelled one.
    async fn resource(&self, id: &EventId) -> Result<Option<Resource>> {
        let ask = Ask::get(AccountService::Calendar, self.event_url(id));
        found(self.call(&ask).await, &GONE)
    }

    /// As [`Self::resource`], without cancelled events.
    async fn there(&self, id: &EventId) -> Result<Option<Resource>> {
        let resource = self.resource(id).await?;
        Ok(resource.filter(|resource| !resource.is_cancelled()))
    }

    /// The event, if it is there and fulfils a condition.
    async fn event_if(
        &self,
        id: &EventId,
        condition: impl Fn(&Event) -> bool,
    ) -> Result<Option<Event>> {
        match self.there(id).await? {
            Some(resource) => Ok(Some(given(&resource)?).filter(condition)),
            None => Ok(None),
        }
    }
}

#[async_trait]
impl CalendarAccount for Primary<'_> {
    async fn events(&self, span: Span) -> Result<EventPage> {
        self.within(span).await
    }

    async fn event(&self, id: &EventId) -> Result<Option<Event>> {
        match self.there(id).await? {
            Some(resource) => self.with_all_guests(&resource).await.map(Some),
            None => Ok(None),
        }
    }

    async fn video_calls(&self) -> Result<bool> {
        Ok(true)
    }

    async fn availability(&self, addresses: &[String], span: Span) -> Result<Vec<Availability>> {
        availability(self, addresses, span).await
    }

    async fn create(&self, event: &NewEvent, key: &str) -> Result<Event> {
        self.created(event, key).await
    }

    async fn find_created(&self, key: &str) -> Result<Option<Event>> {
        self.made_under(key).await
    }

    async fn reschedule(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        self.moved(id, span, notice, key).await
    }

    async fn find_moved(&self, id: &EventId, span: Span, _: &str) -> Result<Option<Event>> {
        self.event_if(id, |event| event.time == span.into()).await
    }

    async fn change(&self, id: &EventId, change: &EventChange, key: &str) -> Result<Event> {
        self.changed(id, change, key).await
    }

    async fn find_changed(
        &self,
        id: &EventId,
        change: &EventChange,
        _: &str,
    ) -> Result<Option<Event>> {
        self.event_if(id, |event| change.is_made(event)).await
    }

    async fn cancel(&self, id: &EventId, notify: bool, _: &str) -> Result<bool> {
        self.cancelled(id, notify).await
    }

    async fn find_cancelled(&self, id: &EventId, _: &str) -> Result<Option<Event>> {
        let Some(mut one) = self.resource(id).await?.filter(Resource::is_cancelled) else {
            return Ok(None);
        };
        if let Some(series) = one.recurring_event_id.clone()
            && let Some(series) = self.resource(&series.into()).await?
        {
            one = read::of_series(one, series);
        }
        given(&one).map(Some)
    }

    async fn respond(&self, id: &EventId, response: &Response, key: &str) -> Result<Event> {
        self.responded(id, response, key).await
    }

    async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        _: &str,
    ) -> Result<Option<Event>> {
        self.event_if(id, |event| event.attendance == attendance)
            .await
    }
}

#[async_trait]
impl Calendar for Google {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn CalendarAccount + 'a>> {
        let google = self;
        Ok(Box::new(Primary { google, account }))
    }
}
