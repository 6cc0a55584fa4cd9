//! Calendars on a server (CalDAV, RFC 4791). Each event is a resource that is read once per ETag, and written
//! only over the version that was read. Sibling calendars are read too. One that is named after an address
//! belongs to that person.

mod server;
mod wire;

pub use server::CalDavServer;

use crate::Result;
use alfred_core::ports::{AccountError, Span};
use alfred_core::text;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use libdav::CalDavClient;
use libdav::caldav::{
    CalendarComponent, FindCalendars, GetCalendarResources, ListCalendarResources, TimeRange,
};
use libdav::dav::{ListedResource, PutResource, WebDavClient};
use libdav::names;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Handle;

use super::file::{Own, Parsed, Shelf, Wanted};
use super::series::id_of;
use wire::{Wire, asked, changed, not_reached};

/// Resources in one request.
const AT_ONCE: usize = 200;
/// Resources in the cache, unless one calendar has more.
const MOST_KNOWN: usize = 5_000;
const ICALENDAR: &str = "text/calendar; charset=utf-8";

/// A person's calendars on a server, with a cache.
pub(crate) struct CalDav {
    client: CalDavClient<Wire>,
    /// Path of the writable calendar, with a trailing slash.
    own: String,
    /// ETag and content by path.
    known: HashMap<String, (String, Arc<Parsed>)>,
    /// The zone of times without one.
    floating: TimeZone,
}

struct Collection {
    href: String,
    name: String,
}

/// A calendar with the paths and ETags of its events.
type Listing = (Collection, Vec<ListedResource>);

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

/// The span and a day around it, since all-day events and times without a zone have no offset.
fn range(span: &Span) -> Option<TimeRange> {
    let day = SignedDuration::from_hours(24);
    let text = |at: Timestamp| at.strftime("%Y%m%dT%H%M%SZ").to_string().parse().ok();
    let start = text(span.start.saturating_sub(day).ok()?)?;
    Some(TimeRange::Between(
        start,
        text(span.end.saturating_add(day).ok()?)?,
    ))
}

impl CalDav {
    /// Contacts the server later. `NotReached` if there can be no client or the URL is unusable.
    pub fn new(server: &CalDavServer, floating: TimeZone) -> Result<Self> {
        let path = percent_encoding::percent_decode_str(server.url.path());
        let base = server.url.as_str().parse::<http::Uri>();
        let base = base.map_err(|error| not_reached(&error))?;
        let client = WebDavClient::new(base, Wire::new(server)?);
        Ok(Self {
            client: CalDavClient::new(client),
            own: path.decode_utf8_lossy().into_owned(),
            known: HashMap::new(),
            floating,
        })
    }

    /// Checks that the writable calendar exists.
    async fn is_there(&self) -> Result<()> {
        let mut calendars = self.collections().await?.into_iter();
        let own = calendars.find(|one| one.href == self.own).map(drop);
        own.ok_or_else(|| AccountError::refused(text::SERVERS_NO_CALENDAR))
    }

    async fn collections(&self) -> Result<Vec<Collection>> {
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

    /// The listed events, or only those that may have this id. Only changed resources are read.
    async fn read_listed(&mut self, listings: &[Listing], id: Option<&str>) -> Result<Vec<Own>> {
        let mut own = Vec::new();
        for (calendar, listed) in listings {
            let is_meant = |one: &&ListedResource| id.is_none_or(|id| self.may_be(id, &one.href));
            let listed: Vec<_> = listed.iter().filter(is_meant).collect();
            self.read_new(calendar, &listed).await?;
            own.extend(listed.into_iter().filter_map(|one| {
                let (_, parsed) = self.known.get(&one.href)?;
                let path = PathBuf::from(&one.href);
                Some((path, calendar.name.clone(), parsed.clone()))
            }));
        }
        Ok(own)
    }

    /// The paths and ETags of a calendar's events, without those outside a wanted span.
    async fn list(&self, calendar: Collection, wanted: Wanted<'_>) -> Result<Listing> {
        let events = ListCalendarResources::new(&calendar.href);
        let events = match wanted {
            Wanted::In(span) => {
                let range = range(span).ok_or_else(|| not_reached(&"no such dates"))?;
                events.with_component_and_time_range(CalendarComponent::VEvent, range)
            }
            Wanted::Event(_) | Wanted::Made(_) => events.with_component(CalendarComponent::VEvent),
        };
        let listed = self.client.request(events).await.map_err(asked)?.resources;
        Ok((calendar, listed))
    }

    /// Whether a resource is known to hold the event, or is named after its `UID`, as most programs do.
    fn may_be(&self, id: &str, href: &str) -> bool {
        let name = percent_encoding::percent_decode_str(last(href)).decode_utf8_lossy();
        let known = self.known.get(href).and_then(|(_, known)| known.find(id));
        known.is_some() || id_of(name.strip_suffix(".ics").unwrap_or(&name)) == id
    }

    async fn read_new(&mut self, calendar: &Collection, listed: &[&ListedResource]) -> Result<()> {
        let is_new = |one: &&&ListedResource| {
            let known = self.known.get(&one.href).map(|(version, _)| version);
            known.is_none() || known != one.etag.as_ref()
        };
        let new: Vec<&str> = listed.iter().filter(is_new).map(|one| &*one.href).collect();
        if self.known.len() + new.len() > MOST_KNOWN {
            let here: HashSet<&str> = listed.iter().map(|one| &*one.href).collect();
            self.known.retain(|href, _| here.contains(&**href));
        }
        for some in new.chunks(AT_ONCE) {
            let asked_for = GetCalendarResources::new(&calendar.href).with_hrefs(some);
            let got = self.client.request(asked_for).await.map_err(asked)?;
            for resource in got.resources {
                // A resource may have been deleted since it was listed.
                if let Ok(content) = resource.content {
                    let parsed =
                        Parsed::new(&calendar.name, content.data.into_bytes(), &self.floating);
                    let version = (content.etag, Arc::new(parsed));
                    self.known.insert(resource.href, version);
                }
            }
        }
        Ok(())
    }
}

impl Shelf for CalDav {
    fn own(&mut self, wanted: Wanted<'_>) -> Result<Vec<Own>> {
        Handle::current().block_on(async {
            let mut calendars = self.collections().await?;
            calendars.retain(|one| one.href == self.own || one.address().is_none());
            calendars.sort_by_key(|calendar| calendar.href != self.own);
            let mut listings = Vec::with_capacity(calendars.len());
            for calendar in calendars {
                listings.push(self.list(calendar, wanted).await?);
            }
            if let Wanted::Event(id) | Wanted::Made(id) = wanted {
                let named = self.read_listed(&listings, Some(id)).await?;
                let is_there = named.iter().any(|(_, _, parsed)| parsed.find(id).is_some());
                if is_there || matches!(wanted, Wanted::Made(_)) {
                    return Ok(named);
                }
            }
            self.read_listed(&listings, None).await
        })
    }

    fn others(&mut self, address: &str, span: &Span) -> Result<Option<Vec<Arc<Parsed>>>> {
        Handle::current().block_on(async {
            let mut calendars = self.collections().await?;
            calendars.retain(|one| one.href != self.own);
            let theirs = |one: &Collection| one.address().is_some_and(|named| named == address);
            let Some(calendar) = calendars.into_iter().find(theirs) else {
                return Ok(None);
            };
            let listing = self.list(calendar, Wanted::In(span)).await?;
            let read = self.read_listed(&[listing], None).await?;
            let read = read.into_iter().map(|(_, _, parsed)| parsed);
            Ok(Some(read.collect()))
        })
    }

    fn place_of(&self, uid: &str) -> (PathBuf, String) {
        let path = PathBuf::from(format!("{}{uid}.ics", self.own));
        (path, last(&self.own).to_owned())
    }

    fn read(&mut self, path: &Path) -> Result<Option<(Vec<u8>, String)>> {
        let href = path.to_string_lossy();
        let calendar = href.rsplit_once('/').map_or("", |(calendar, _)| calendar);
        let calendar = format!("{calendar}/");
        let asked_for = GetCalendarResources::new(&calendar).with_hrefs([&*href]);
        let got = Handle::current().block_on(self.client.request(asked_for));
        let got = got.map_err(asked)?.resources.into_iter();
        let content = got.filter_map(|one| one.content.ok()).next();
        Ok(content.map(|content| (content.data.into_bytes(), content.etag)))
    }

    fn write(&mut self, path: &Path, version: Option<String>, text: String) -> Result<bool> {
        let href = path.to_string_lossy();
        let put = PutResource::new(&href);
        let client = &self.client;
        let done = Handle::current().block_on(async {
            match version {
                Some(etag) => client.request(put.update(text, ICALENDAR, etag)).await,
                None => client.request(put.create(text, ICALENDAR)).await,
            }
        });
        if let Err(error) = done.map_err(changed) {
            return error.map_or(Ok(false), Err);
        }
        self.known.remove(&*href);
        Ok(true)
    }
}
