//! A person's calendar as files: `calendar.ics` is written, `calendar/*.ics` are also read (own events in
//! them can be moved), `people/ADDRESS.ics` are visible calendars of others.

mod caldav;
mod change;
mod edit;
mod file;
mod files;
pub(crate) mod invite;
mod respond;
mod series;
mod source;
mod vevent;
mod when;
mod zone;

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Availability, Event, EventPage, Mailbox, NewEvent, Span,
};
use jiff::Timestamp;
use std::path::Path;
use std::sync::Arc;

use crate::person::Identity;
use caldav::CalDav;
use change::Found;
use edit::Change;
use file::{EMPTY, Parsed, Shelf, Wanted};
use files::Files;
use invite::Message;
use series::{Occurrence, Series};
use source::Source;
use when::Key;

pub use caldav::CalDavServer;
pub(crate) use invite::Invitation;

/// One of at most two passes of a change.
#[derive(Clone)]
pub(crate) struct Pass {
    pub key: String,
    pub at: Timestamp,
    /// Whether others have been notified.
    pub notified: bool,
}

impl Pass {
    /// The messages, unless they were sent before this pass.
    fn unsent(&self, messages: impl IntoIterator<Item = Message>) -> Vec<Message> {
        let messages = messages.into_iter();
        messages.filter(|_| !self.notified).collect()
    }

    /// An error of this pass. A refusal adds that others have been notified.
    pub fn refused(&self, error: AccountError) -> AccountError {
        match error {
            AccountError::Refused { reason } if self.notified => {
                let reason = format!("{reason} Others were already notified by mail.");
                AccountError::Refused { reason }
            }
            other => other,
        }
    }
}

#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Step {
    /// The event as changed, or as it was before its cancellation. `None` if there is no such event.
    Done(Option<Event>),
    /// Nothing is written yet: others are to be notified before the second pass. After a crash in between, a
    /// repetition doesn't notify them again.
    Notify(Vec<Invitation>),
}

/// Attempts when another program changes the calendar.
const TRIES: usize = 5;

pub(crate) struct CalendarFolder {
    who: Identity,
    shelf: Box<dyn Shelf>,
}

impl CalendarFolder {
    pub fn new(root: &Path, who: &Identity) -> Self {
        Self {
            who: who.clone(),
            shelf: Box::new(Files::new(root, who)),
        }
    }

    /// For calendars on a server. `NotReached` if there can be no client.
    pub fn on(server: &CalDavServer, who: &Identity) -> Result<Self> {
        Ok(Self {
            who: who.clone(),
            shelf: Box::new(CalDav::new(server, who.zone.clone())?),
        })
    }

    pub fn events(&mut self, span: Span) -> Result<EventPage> {
        let mut page = EventPage::default();
        for (_, name, parsed) in self.shelf.own(Wanted::In(&span))? {
            page.unreadable.extend(parsed.unreadable.iter().cloned());
            for series in &parsed.series {
                let within = series.within(&span, &self.who.zone);
                let title = series.master.as_ref().map_or("", |master| &master.title);
                for problem in within.problems {
                    page.unreadable.push(file::entry(&name, title, problem));
                }
                let seen = within.occurrences.iter();
                page.events.extend(seen.map(|o| self.event_of(series, o)));
            }
        }
        page.unreadable.dedup();
        let mut page = page.within(&span, &self.who.zone);
        // An event may be in two files: `calendar.ics` wins.
        page.events.dedup_by(|later, first| later.id == first.id);
        Ok(page)
    }

    pub fn event(&mut self, id: &EventId) -> Result<Option<Event>> {
        Ok(self.find(id)?.map(|found| found.event))
    }

    pub fn availability(&mut self, addresses: &[String], span: Span) -> Result<Vec<Availability>> {
        let looks = addresses.iter();
        looks
            .map(|address| {
                let address = address.trim().to_lowercase();
                if address == self.who.mailbox.address {
                    let busy = self.events(span)?.events.into_iter().filter(|e| e.busy);
                    let busy = busy.map(|event| event.time.span(&self.who.zone)).collect();
                    return Ok(Availability::Busy(Span::merged(busy, &span)));
                }
                self.others(&address, &span)
            })
            .collect()
    }

    fn others(&mut self, address: &str, span: &Span) -> Result<Availability> {
        let found = self.shelf.others(address, span)?;
        let readable = |all: &Vec<Arc<Parsed>>| all.iter().all(|p| p.unreadable.is_empty());
        let Some(calendars) = found.filter(readable) else {
            return Ok(Availability::Hidden);
        };
        let their = Mailbox::new("", address);
        let mut busy = Vec::new();
        for series in calendars.iter().flat_map(|parsed| &parsed.series) {
            let within = series.within(span, &self.who.zone);
            let takes_time = |o: &&Occurrence<'_>| {
                !o.event.free && answer_of(o.event, &their) != Some(Attendance::Declined)
            };
            let taken = within.occurrences.iter().filter(takes_time);
            busy.extend(taken.map(|o| o.time.span(&self.who.zone)));
        }
        Ok(Availability::Busy(Span::merged(busy, span)))
    }

    /// Creates an event in `calendar.ics`.
    pub fn create(&mut self, new: &NewEvent, pass: &Pass) -> Result<Step> {
        new.check()?;
        let made = self.made_under(&pass.key)?;
        if made.is_some() {
            return Ok(Step::Done(made));
        }
        let uid = invite::uid(&self.who.account, &pass.key);
        let made = edit::made(new, &self.who, &uid, pass.at);
        let messages = pass.unsent([Message::created(new, &self.who, &uid)]);
        let (path, name) = self.shelf.place_of(&uid);
        let notify = self.change(&path, &name, messages, |parsed, source| {
            if parsed.find(&series::id_of(&uid)).is_some() {
                return Ok(None);
            }
            let change = made.added_to(source).map(Some);
            change.ok_or_else(|| AccountError::refused(calendar_not_written(&name)))
        })?;
        notify.map_or_else(|| self.made_under(&pass.key).map(Step::Done), Ok)
    }

    pub fn made_under(&mut self, key: &str) -> Result<Option<Event>> {
        let id = series::id_of(&invite::uid(&self.who.account, key));
        for (_, _, parsed) in self.shelf.own(Wanted::Made(&id))? {
            let Some(series) = parsed.find(&id) else {
                continue;
            };
            let Some(master) = &series.master else {
                continue;
            };
            let key = master.start.key().filter(|_| master.recurs());
            // For a series, the first occurrence in its current state.
            let event = key.and_then(|key| series.changed.get(&key));
            let event = event.unwrap_or(master);
            let Some(time) = event.start.for_length(event.length) else {
                continue;
            };
            let made = Occurrence { key, event, time };
            return Ok(Some(self.event_of(series, &made)));
        }
        Ok(None)
    }

    fn find(&mut self, id: &EventId) -> Result<Option<Found>> {
        let Some((uid, key)) = Key::of_id(id) else {
            return Ok(None);
        };
        for (path, name, parsed) in self.shelf.own(Wanted::Event(uid))? {
            let series = parsed.find(uid);
            if let Some(event) = series.and_then(|series| self.seen(series, key)) {
                return Ok(Some(Found {
                    path,
                    name,
                    id: uid.to_owned(),
                    key,
                    event,
                }));
            }
        }
        Ok(None)
    }

    /// An event that isn't cancelled. Without a key, a series as a whole.
    fn seen(&self, series: &Series, key: Option<Key>) -> Option<Event> {
        if let Some(whole) = series.whole().filter(|_| key.is_none()) {
            return (!whole.event.cancelled).then(|| self.series_of(series, &whole));
        }
        let occurrence = series.occurrence(key, &self.who.zone)?;
        Some(self.event_of(series, &occurrence))
    }

    /// A series as a whole, with the guests of all its occurrences.
    fn series_of(&self, series: &Series, whole: &Occurrence<'_>) -> Event {
        let mut event = self.event_of(series, whole);
        let changed = series.changed.values().filter(|event| !event.cancelled);
        for attendee in changed.flat_map(|changed| &changed.attendees) {
            event.invite(attendee.clone());
        }
        event.series = Some(event.id.clone());
        event
    }

    /// Writes the result of `change` to a calendar. If others must be notified first, returns that step
    /// instead. If another program writes meanwhile, `change` is called again with the new content.
    fn change(
        &mut self,
        path: &Path,
        name: &str,
        messages: Vec<Message>,
        change: impl Fn(&Parsed, &Source) -> Result<Option<Change>>,
    ) -> Result<Option<Step>> {
        let damaged = || AccountError::refused(calendar_not_written(name));
        for _ in 0..TRIES {
            let (bytes, version) = match self.shelf.read(path)? {
                Some((bytes, version)) => (bytes, Some(version)),
                None => (EMPTY.into(), None),
            };
            if std::str::from_utf8(&bytes).is_err() {
                return Err(damaged());
            }
            let parsed = Parsed::new(name, bytes, &self.who.zone);
            let source = parsed.source.as_ref().ok_or_else(damaged)?;
            let Some(change) = change(&parsed, source)? else {
                return Ok(None);
            };
            let notices = messages.iter().zip(&change.notices);
            let notices = notices.filter_map(|(message, event)| message.about(event));
            let notices: Vec<Invitation> = notices.collect();
            if !notices.is_empty() {
                return Ok(Some(Step::Notify(notices)));
            }
            if self.shelf.write(path, version, change.text)? {
                return Ok(None);
            }
        }
        let detail = format!("{name} keeps changing");
        Err(AccountError::not_reached(detail))
    }

    fn event_of(&self, series: &Series, occurrence: &Occurrence<'_>) -> Event {
        let Occurrence { key, event, time } = occurrence;
        let own_address = &self.who.mailbox.address;
        let organizer = event.organizer.clone();
        let own = organizer.as_ref().is_none_or(|o| o.address == *own_address);
        let answer = answer_of(event, &self.who.mailbox);
        let attendance = match answer.unwrap_or_default() {
            Attendance::Unanswered if own => Attendance::Accepted,
            said => said,
        };
        Event {
            id: series.id(*key),
            title: event.title.clone(),
            time: *time,
            description: event.description.clone(),
            location: event.location.clone(),
            organizer,
            own,
            attendees: event.attendees.clone(),
            attendance,
            invited: !own && answer.is_some(),
            busy: !event.free && attendance != Attendance::Declined,
            series: key
                .filter(|_| series.master.is_some())
                .map(|_| series.id(None)),
        }
    }
}

pub(crate) fn calendar_not_written(file: &str) -> String {
    format!("`{file}` is damaged, so I don't write to it; please repair it or put it aside.")
}

pub(crate) fn lost() -> AccountError {
    AccountError::unknown("the event isn't there after it was written")
}

/// The answer of a person. `None` if they aren't invited directly, but only through a list.
fn answer_of(event: &vevent::Vevent, who: &Mailbox) -> Option<Attendance> {
    let mut people = event.attendees.iter();
    let invited = people.find(|attendee| attendee.mailbox.address == who.address);
    invited.map(|attendee| attendee.attendance)
}
