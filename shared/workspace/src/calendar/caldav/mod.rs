//! Calendars on a server (CalDAV, RFC 4791). Each event is a resource that is read once per ETag, and written
//! only over the version that was read. Sibling calendars are read too. One that is named after an address
//! belongs to that person.

mod server;
mod wire;

pub use server::CalDavServer;

use alfred_core::ports::AccountError;
use alfred_core::text;
use jiff::tz::TimeZone;
use libdav::CalDavClient;
use libdav::caldav::{
    CalendarComponent, FindCalendars, GetCalendarResources, ListCalendarResources,
};
use libdav::dav::{PutResource, WebDavClient};
use libdav::names;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Handle;

use super::file::{Change, EMPTY, Own, Parsed, Shelf, TRIES, keeps_changing};
use crate::calendar::calendar_not_written;
use wire::{Wire, asked, changed};

/// Resources in one request.
const AT_ONCE: usize = 200;
const ICALENDAR: &str = "text/calendar; charset=utf-8";

/// A person's calendars on a server, with a cache.
pub(crate) struct CalDav {
    client: CalDavClient<Wire>,
    /// Path of the writable calendar, with a trailing slash.
    own: String,
    /// ETag and content by path.
    known: HashMap<String, (String, Arc<Parsed>)>,
}

struct Collection {
    href: String,
    /// The display name.
    name: String,
}

impl Collection {
    fn new(href: String, shown: Option<String>) -> Self {
        let name = shown.unwrap_or_else(|| last(&href).to_owned());
        Self { href, name }
    }

    /// The owner's address, from the display name or the end of the path.
    fn address(&self) -> Option<String> {
        let mut names = [self.name.trim(), last(&self.href)].into_iter();
        let named = names.find(|name| name.contains('@') && !name.contains('/'))?;
        Some(named.to_lowercase())
    }
}

fn last(href: &str) -> &str {
    let path = href.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or_default()
}

impl CalDav {
    /// Contacts the server later. `NotReached` if there can be no client or the URL is unusable.
    pub fn new(server: &CalDavServer) -> Result<Self, AccountError> {
        let path = percent_encoding::percent_decode_str(server.url.path());
        let base = server.url.as_str().parse::<http::Uri>();
        let base = base.map_err(|error| AccountError::NotReached {
            detail: error.to_string(),
            retry_after: None,
        })?;
        let client = WebDavClient::new(base, Wire::new(server)?);
        Ok(Self {
            client: CalDavClient::new(client),
            own: path.decode_utf8_lossy().into_owned(),
            known: HashMap::new(),
        })
    }

    /// Checks that the writable calendar exists.
    async fn is_there(&self) -> Result<(), AccountError> {
        let calendars = self.collections().await?;
        if calendars.iter().any(|one| one.href == self.own) {
            Ok(())
        } else {
            Err(AccountError::refused(text::SERVERS_NO_CALENDAR))
        }
    }

    /// The writable calendar and its siblings.
    async fn collections(&self) -> Result<Vec<Collection>, AccountError> {
        let home = self.own.trim_end_matches('/').rsplit_once('/');
        let home = format!("{}/", home.map_or("", |(home, _)| home));
        let found = self.client.request(FindCalendars::new(&home)).await;
        let found = found.map_err(asked)?.calendars.into_iter();
        Ok(found
            .map(|calendar| {
                let shown = calendar.properties.into_iter();
                let mut shown = shown.filter(|(name, _)| **name == names::DISPLAY_NAME);
                Collection::new(calendar.href, shown.next().and_then(|(_, name)| name))
            })
            .collect())
    }

    /// The current content of a calendar. Only changed resources are read.
    async fn read(
        &mut self,
        calendar: &Collection,
        floating: &TimeZone,
    ) -> Result<Vec<Own>, AccountError> {
        let events = ListCalendarResources::new(&calendar.href);
        let events = events.with_component(CalendarComponent::VEvent);
        let listed = self.client.request(events).await.map_err(asked)?.resources;
        let is_new = |href: &str, etag: &Option<String>| {
            let known = self.known.get(href).map(|(version, _)| version);
            known.is_none() || known != etag.as_ref()
        };
        let new = listed.iter().filter(|one| is_new(&one.href, &one.etag));
        let new: Vec<String> = new.map(|one| one.href.clone()).collect();
        for some in new.chunks(AT_ONCE) {
            let asked_for = GetCalendarResources::new(&calendar.href).with_hrefs(some);
            let got = self.client.request(asked_for).await.map_err(asked)?;
            for resource in got.resources {
                // A resource may have been deleted since it was listed.
                if let Ok(content) = resource.content {
                    let parsed = Parsed::new(&calendar.name, content.data.into_bytes(), floating);
                    let version = (content.etag, Arc::new(parsed));
                    self.known.insert(resource.href, version);
                }
            }
        }
        let here = |href: &String| listed.iter().any(|one| one.href == *href);
        self.known
            .retain(|href, _| !href.starts_with(&calendar.href) || here(href));
        let read = listed.into_iter().filter_map(|one| {
            let (_, parsed) = self.known.get(&one.href)?;
            Some((
                PathBuf::from(one.href),
                calendar.name.clone(),
                parsed.clone(),
            ))
        });
        Ok(read.collect())
    }

    /// A resource and its ETag. `None` if it doesn't exist.
    async fn get(&self, href: &str) -> Result<Option<(String, String)>, AccountError> {
        let calendar = href.rsplit_once('/').map_or("", |(calendar, _)| calendar);
        let calendar = format!("{calendar}/");
        let asked_for = GetCalendarResources::new(&calendar).with_hrefs([href]);
        let got = self.client.request(asked_for).await.map_err(asked)?;
        let content = got.resources.into_iter().find_map(|one| one.content.ok());
        Ok(content.map(|content| (content.data, content.etag)))
    }

    /// Writes a resource. False if another version exists by now.
    async fn put(
        &self,
        href: &str,
        etag: Option<String>,
        text: String,
    ) -> Result<bool, AccountError> {
        let put = PutResource::new(href);
        let done = match etag {
            Some(etag) => self.client.request(put.update(text, ICALENDAR, etag)).await,
            None => self.client.request(put.create(text, ICALENDAR)).await,
        };
        match done.map(drop).map_err(changed) {
            Ok(()) => Ok(true),
            Err(None) => Ok(false),
            Err(Some(error)) => Err(error),
        }
    }
}

impl Shelf for CalDav {
    fn own(&mut self, floating: &TimeZone) -> Result<Vec<Own>, AccountError> {
        Handle::current().block_on(async {
            let mut calendars = self.collections().await?;
            calendars.retain(|one| one.href == self.own || one.address().is_none());
            calendars.sort_by_key(|calendar| calendar.href != self.own);
            let mut own = Vec::new();
            for calendar in calendars {
                own.extend(self.read(&calendar, floating).await?);
            }
            Ok(own)
        })
    }

    fn others(
        &mut self,
        address: &str,
        floating: &TimeZone,
    ) -> Result<Option<Vec<Arc<Parsed>>>, AccountError> {
        Handle::current().block_on(async {
            let calendars = self.collections().await?;
            let theirs = |one: &Collection| {
                one.href != self.own && one.address().is_some_and(|named| named == address)
            };
            let Some(calendar) = calendars.into_iter().find(theirs) else {
                return Ok(None);
            };
            let read = self.read(&calendar, floating).await?;
            Ok(Some(
                read.into_iter().map(|(_, _, parsed)| parsed).collect(),
            ))
        })
    }

    fn place_of(&self, uid: &str) -> (PathBuf, String) {
        let path = PathBuf::from(format!("{}{uid}.ics", self.own));
        (path, last(&self.own).to_owned())
    }

    fn change(
        &mut self,
        path: &Path,
        name: &str,
        floating: &TimeZone,
        change: &mut Change<'_>,
    ) -> Result<(), AccountError> {
        let href = path.to_string_lossy().into_owned();
        Handle::current().block_on(async {
            for _ in 0..TRIES {
                let (text, etag) = match self.get(&href).await? {
                    Some((text, etag)) => (text, Some(etag)),
                    None => (EMPTY.to_owned(), None),
                };
                let parsed = Parsed::new(name, text.into_bytes(), floating);
                let Some(source) = &parsed.source else {
                    let reason = calendar_not_written(name);
                    return Err(AccountError::refused(reason));
                };
                let Some(new) = change(&parsed, source)? else {
                    return Ok(());
                };
                if self.put(&href, etag, new).await? {
                    self.known.remove(&href);
                    return Ok(());
                }
            }
            Err(keeps_changing(name))
        })
    }
}
