//! Lists the events of a span, and all guests of a series.

use crate::{Page, Result};
use alfred_core::ports::{AccountError, Event, EventPage, EventTime, Provider, Span};
use alfred_core::text;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

use super::wire::{FIELDS, Resource};
use super::zone::zone;
use super::{OutlookCalendar, SERVICE, read};
use alfred_accounts::api::provider_too_large;
use alfred_accounts::ask::Ask;

/// Graph allows up to 1,000, with their descriptions.
const PAGE: usize = 500;
const MOST_PAGES: usize = 100;

impl OutlookCalendar<'_> {
    /// All pages of a list. If one fails, the whole list does. Entries are parsed one by one, so a bad one
    /// doesn't hide the others.
    async fn listed(&self, ask: Ask) -> Result<Vec<Value>> {
        let (mut all, mut next) = (Vec::new(), Some(ask));
        for _ in 0..MOST_PAGES {
            let Some(ask) = next.take() else {
                return Ok(all);
            };
            let page: Page<Value> = self.call(&ask).await?;
            all.extend(page.value);
            let following = |link| self.graph.following(SERVICE, link);
            next = page.next_link.map(following).transpose()?;
        }
        if next.is_some() {
            let reason = provider_too_large(Provider::Microsoft);
            return Err(AccountError::refused(reason));
        }
        Ok(all)
    }

    pub(super) async fn within(&self, span: Span) -> Result<EventPage> {
        // Graph gives all-day events as days in UTC. Exact bounds are filtered below.
        let from = span.start.saturating_sub(24.hours()).unwrap_or(span.start);
        let to = span.end.saturating_add(24.hours()).unwrap_or(span.end);
        let ask = Ask::get(SERVICE, self.url("calendarView"))
            .query("startDateTime", from)
            .query("endDateTime", to)
            .query("$select", FIELDS)
            .query("$top", PAGE);
        let mut page = EventPage::default();
        let mut resources = Vec::new();
        for entry in self.listed(ask).await? {
            match Resource::deserialize(&entry) {
                Ok(resource) if resource.is_cancelled => {}
                Ok(resource) => resources.push((entry, resource)),
                Err(_) => {
                    let unreadable = read::unreadable(&entry, text::EVENT_NOT_READ);
                    page.unreadable.push(unreadable);
                }
            }
        }
        let is_needed = resources.iter().any(|(_, one)| one.is_invitation());
        let me = self.me(is_needed).await?;
        for (entry, resource) in &resources {
            match read::event(resource, &me) {
                Ok(event) => page.events.push(event),
                Err(reason) => page.unreadable.push(read::unreadable(entry, reason)),
            }
        }
        let whole = |event: &Event| matches!(event.time, EventTime::AllDay { .. });
        let zone = if page.events.iter().any(whole) {
            self.zone().await?
        } else {
            TimeZone::UTC
        };
        Ok(page.within(&span, &zone))
    }

    /// The mailbox's time zone.
    async fn zone(&self) -> Result<TimeZone> {
        let url = self.graph.url("me/mailboxSettings");
        let ask = Ask::get(SERVICE, url).query("$select", "timeZone");
        let settings: Value = self.call(&ask).await?;
        let name = settings["timeZone"].as_str().unwrap_or_default();
        let known = zone(name);
        if known.is_none() {
            tracing::warn!(zone = name, "a mailbox's zone isn't known");
        }
        Ok(known.unwrap_or(TimeZone::UTC))
    }

    /// A series with the guests of all its occurrences.
    pub(super) async fn with_all_guests(&self, resource: &Resource) -> Result<Event> {
        let mut event = self.given(resource).await?;
        if !event.is_series() {
            return Ok(event);
        }
        let ask = Ask::get(SERVICE, self.event_url(&event.id))
            .query("$select", "id,organizer,attendees,isCancelled")
            .query("$expand", "exceptionOccurrences");
        let changed: Resource = self.call(&ask).await?;
        let changed = changed.exception_occurrences.iter();
        for one in changed.filter(|one| !one.is_cancelled) {
            read::attendees(one).for_each(|guest| event.invite(guest));
        }
        Ok(event)
    }
}
