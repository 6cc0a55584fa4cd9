//! Moves, changes and cancels one's own events.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendee, Event, EventChange, Notice, Span};
use std::path::PathBuf;

use super::edit::{Change, Target};
use super::file::{Parsed, Wanted};
use super::invite::Message;
use super::series::{Occurrence, Series};
use super::when::Key;
use super::{CalendarFolder, Pass, Step, calendar_not_written};
use crate::person::Identity;

impl CalendarFolder {
    pub fn reschedule(
        &mut self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        pass: &Pass,
    ) -> Result<Step> {
        span.check()?;
        let found = self.find(id)?.ok_or_else(Event::gone)?;
        let event = &found.event;
        event.check_own_date()?;
        if event.time == span.into() {
            return Ok(Step::Done(Some(found.event)));
        }
        let (who, note) = (self.who.clone(), notice.map(|notice| &*notice.note));
        let message = note.map(|note| Message::moved(event, &who, &span, note, &pass.key));
        let moved = |target: &Target<'_>| Some(target.moved(&who, span, note, pass.at));
        let is_done = |series: &Series| {
            let now = found.now(series, &who);
            now.is_some_and(|now| now.time == span.into())
        };
        let notify = self.apply(&found, pass.unsent(message), moved, is_done)?;
        notify.map_or_else(|| self.event(id).map(Step::Done), Ok)
    }

    /// Changes place and attendees.
    pub fn edit(&mut self, id: &EventId, change: &EventChange, pass: &Pass) -> Result<Step> {
        change.check()?;
        let found = self.find(id)?.ok_or_else(Event::gone)?;
        let (event, who) = (&found.event, self.who.clone());
        event.check_own_date()?;
        let after = change.applied(event);
        if after == *event {
            return Ok(Step::Done(Some(found.event)));
        }
        let messages = Message::changed(event, &after, &who, &pass.key);
        let edited = |target: &Target<'_>| target.edited((event, &after), &who, pass.at);
        let is_done = |series: &Series| {
            fn address(one: &Attendee) -> &str {
                &one.mailbox.address
            }
            let now = found.now(series, &who);
            now.is_some_and(|Occurrence { event: now, .. }| {
                let people = now.attendees.iter().map(address);
                now.location == after.location && people.eq(after.attendees.iter().map(address))
            })
        };
        let notify = self.apply(&found, pass.unsent(messages), edited, is_done)?;
        notify.map_or_else(|| self.event(id).map(Step::Done), Ok)
    }

    pub fn cancel(&mut self, id: &EventId, notify: bool, pass: &Pass) -> Result<Step> {
        let Some(found) = self.find(id)? else {
            return Ok(Step::Done(None));
        };
        let (who, event) = (self.who.clone(), &found.event);
        event.check_own()?;
        let message = notify.then(|| Message::cancelled(event, &who, &pass.key));
        let cancelled = |target: &Target<'_>| Some(target.cancelled(pass.at));
        let is_done = |series: &Series| {
            found.now(series, &who).is_none() && series.cancelled(found.key).is_some()
        };
        let notify = self.apply(&found, pass.unsent(message), cancelled, is_done)?;
        Ok(notify.unwrap_or(Step::Done(Some(found.event))))
    }

    pub fn find_cancelled(&mut self, id: &EventId) -> Result<Option<Event>> {
        match (self.find(id)?, Key::of_id(id)) {
            (None, Some((uid, at))) => self.gone(uid, at),
            (Some(_), _) | (None, None) => Ok(None),
        }
    }

    fn gone(&mut self, uid: &str, key: Option<Key>) -> Result<Option<Event>> {
        for (_, _, parsed) in self.shelf.own(Wanted::Event(uid))? {
            if let Some(series) = parsed.find(uid)
                && let Some(gone) = series.cancelled(key)
            {
                let whole = key.is_none() && series.whole().is_some();
                return Ok(Some(if whole {
                    self.series_of(series, &gone)
                } else {
                    self.event_of(series, &gone)
                }));
            }
        }
        Ok(None)
    }

    /// Changes an event in its file. If others must be notified first, returns that step instead.
    pub(super) fn apply(
        &mut self,
        found: &Found,
        messages: Vec<Message>,
        edit: impl Fn(&Target<'_>) -> Option<Change>,
        is_done: impl Fn(&Series) -> bool,
    ) -> Result<Option<Step>> {
        let (name, zone) = (&*found.name, self.who.zone.clone());
        self.change(&found.path, name, messages, |parsed, source| {
            let series = parsed.find(&found.id).ok_or_else(Event::gone)?;
            let target = Target::new(source, series, found.key);
            let change = target.and_then(|target| edit(&target));
            let change = change.ok_or_else(Event::gone)?;
            // An unusual file could turn the change into something else.
            let after = Parsed::new(name, change.text.clone().into_bytes(), &zone);
            if after.find(&found.id).is_some_and(&is_done) {
                Ok(Some(change))
            } else {
                Err(AccountError::refused(calendar_not_written(name)))
            }
        })
    }
}

pub(super) struct Found {
    pub path: PathBuf,
    pub name: String,
    pub id: String,
    pub key: Option<Key>,
    pub event: Event,
}

impl Found {
    /// The event's current state in a series, unless it is cancelled.
    pub fn now<'a>(&self, series: &'a Series, who: &Identity) -> Option<Occurrence<'a>> {
        if self.event.is_series() {
            series.whole().filter(|whole| !whole.event.cancelled)
        } else {
            series.occurrence(self.key, &who.zone)
        }
    }
}
