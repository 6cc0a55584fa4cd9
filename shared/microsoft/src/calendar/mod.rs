//! Outlook's default calendar as the port `Calendar` (<https://learn.microsoft.com/graph/api/resources/event>). Outlook
//! notifies guests of every change by itself. Keys whose event no longer exists are kept in rows (`rows.rs`).

mod availability;
mod change;
mod create;
mod list;
mod read;
mod recurrence;
mod respond;
mod rows;
mod wire;
mod zone;

use crate::Result;
use alfred_core::digest::sha256_hex;
use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Availability, Calendar, CalendarAccount,
    Event, EventChange, EventPage, NewEvent, Notice, Response, Span,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Microsoft, found, is_id};
use alfred_accounts::api::CallResult;
use alfred_accounts::ask::Ask;
use alfred_accounts::free_busy::availability;
use wire::{FIELDS, Resource};

const SERVICE: AccountService = AccountService::Calendar;
/// Without these, times are in any zone and text is HTML.
const PREFER: [&str; 2] = [
    r#"outlook.timezone="UTC""#,
    r#"outlook.body-content-type="text""#,
];
/// Extended property with the marks of keys under which guests were notified.
const TOLD: &str = "String {8f6c2d1e-5a0b-4c57-9d2e-6b1f0e7a3c94} Name AlfredTold";
const TEAMS: &str = "teamsForBusiness";

struct OutlookCalendar<'a> {
    graph: &'a Microsoft,
    account: &'a Account,
}

impl OutlookCalendar<'_> {
    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> CallResult<T> {
        let prefer = |ask: Ask, value: &str| ask.header("prefer", value.to_owned());
        let ask = PREFER.into_iter().fold(ask.clone(), prefer);
        self.graph.call(self.account, &ask).await
    }

    /// The URL of a part of the calendar. Deleted events aren't found there.
    fn url(&self, path: &str) -> String {
        self.graph.url(&format!("me/calendar/{path}"))
    }

    fn event_url(&self, id: &EventId) -> String {
        let id = id.as_str();
        // An impossible id. Still ask, to learn whether an account is connected.
        let id = if is_id(id) {
            id.to_owned()
        } else {
            sha256_hex(id.as_bytes())
        };
        self.url(&format!("events/{id}"))
    }

    /// The event of this id, unless it is cancelled or deleted.
    async fn there(&self, id: &EventId) -> Result<Option<Resource>> {
        let told = format!("singleValueExtendedProperties($filter=id eq '{TOLD}')");
        let ask = Ask::get(SERVICE, self.event_url(id))
            .query("$select", FIELDS)
            .query("$expand", told);
        let resource: Option<Resource> = found(self.call(&ask).await)?;
        Ok(resource.filter(|resource| !resource.is_cancelled))
    }

    /// Converts it to the port's event.
    async fn given(&self, resource: &Resource) -> Result<Event> {
        let me = self.me(resource.is_invitation()).await?;
        read::event(resource, &me).map_err(AccountError::refused)
    }

    /// The owner's address, if it is needed: an invitation doesn't say which guest the owner is.
    async fn me(&self, is_needed: bool) -> Result<String> {
        if is_needed {
            self.graph.owner(self.account, SERVICE).await
        } else {
            Ok(String::new())
        }
    }

    async fn event_of(&self, id: &EventId) -> Result<Option<Event>> {
        match self.there(id).await? {
            Some(resource) => self.given(&resource).await.map(Some),
            None => Ok(None),
        }
    }
}

#[async_trait]
impl CalendarAccount for OutlookCalendar<'_> {
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
        let ask = Ask::get(SERVICE, self.graph.url("me/calendar"))
            .query("$select", "allowedOnlineMeetingProviders");
        let settings: Value = self.call(&ask).await?;
        let allowed = settings["allowedOnlineMeetingProviders"].as_array();
        Ok(allowed.is_some_and(|all| all.iter().any(|provider| provider == TEAMS)))
    }

    async fn tells_guests(&self) -> Result<bool> {
        Ok(true)
    }

    async fn availability(&self, addresses: &[String], span: Span) -> Result<Vec<Availability>> {
        availability(self, addresses, span).await
    }

    async fn create(&self, event: &NewEvent, key: &str) -> Result<Event> {
        self.created(event, key).await
    }

    async fn find_created(&self, key: &str) -> Result<Option<Event>> {
        self.created_under(key).await
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
        let event = self.event_of(id).await?;
        Ok(event.filter(|event| event.time == span.into()))
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
        let event = self.event_of(id).await?;
        Ok(event.filter(|event| change.is_made(event)))
    }

    async fn cancel(&self, id: &EventId, notify: bool, key: &str) -> Result<bool> {
        self.cancelled(id, notify, key).await
    }

    async fn find_cancelled(&self, id: &EventId, key: &str) -> Result<Option<Event>> {
        self.cancelled_under(id, key).await
    }

    async fn respond(&self, id: &EventId, response: &Response, key: &str) -> Result<Event> {
        self.responded(id, response, key).await
    }

    async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        key: &str,
    ) -> Result<Option<Event>> {
        let digest = self.digest(respond::RESPOND, key);
        self.answered_under(id, attendance, &digest).await
    }
}

#[async_trait]
impl Calendar for Microsoft {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn CalendarAccount + 'a>> {
        let graph = self;
        Ok(Box::new(OutlookCalendar { graph, account }))
    }
}
