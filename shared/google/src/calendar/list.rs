//! Lists the events of a span, and all events of a series.

use alfred_core::ports::{AccountError, AccountService, Event, EventPage, Provider, Span};
use jiff::ToSpan;
use jiff::tz::TimeZone;

use super::wire::{Listed, Resource};
use super::{Primary, SECONDS, given, read, shaped};
use crate::Result;
use alfred_accounts::api::provider_too_large;
use alfred_accounts::ask::Ask;

/// Google's maximum page size.
const PAGE: usize = 2_500;
const MOST_PAGES: usize = 40;
/// Event types that take time. Without this filter working locations are listed too.
const TYPES: [&str; 4] = ["default", "focusTime", "fromGmail", "outOfOffice"];

impl Primary<'_> {
    /// All pages of a list. If one fails, the whole list does.
    async fn listed(&self, ask: Ask) -> Result<Listed> {
        let ask = ask.query("maxResults", PAGE);
        let (mut items, mut token) = (Vec::new(), None::<String>);
        for _ in 0..MOST_PAGES {
            let ask = ask.clone().query_some("pageToken", token);
            let mut page: Listed = self.call(&ask).await?;
            items.append(&mut page.items);
            token = page.next_page_token.take();
            if token.is_none() {
                page.items = items;
                return Ok(page);
            }
        }
        Err(AccountError::refused(provider_too_large(Provider::Google)))
    }

    pub(super) async fn within(&self, span: Span) -> Result<EventPage> {
        // A zero-length event at the start also ends there. Exact bounds are filtered below.
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
        let listed = self.listed(ask).await?;
        let zone = TimeZone::get(&listed.time_zone).unwrap_or(TimeZone::UTC);
        let mut page = EventPage::default();
        for item in listed.items {
            match read::entry(item) {
                Ok(event) => page.events.extend(event),
                Err(unreadable) => page.unreadable.push(unreadable),
            }
        }
        Ok(page.within(&span, &zone))
    }

    /// A series with the guests of all its occurrences.
    pub(super) async fn with_all_guests(&self, resource: &Resource) -> Result<Event> {
        let mut event = given(resource)?;
        if !event.is_series() || resource.ical_uid.is_empty() {
            return Ok(event);
        }
        // Changed occurrences share the UID but may have their own guests.
        let ask = Ask::get(AccountService::Calendar, self.events_url())
            .query("iCalUID", &resource.ical_uid);
        for item in self.listed(ask).await?.items {
            let one: Resource = shaped(item)?;
            if !one.is_cancelled() {
                let guests = read::attendees(&one.attendees).into_iter();
                guests.for_each(|guest| event.invite(guest));
            }
        }
        Ok(event)
    }
}
