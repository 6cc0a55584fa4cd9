//! Moves, changes and cancels one's own events.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendee, Event, EventChange, EventTime, Notice, Span};
use alfred_core::text;
use std::path::PathBuf;

use super::edit::{Change, Target};
use super::file::{Parsed, Wanted};
use super::invite::{Invitation, Message};
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
        let found = self.find(id)?.ok_or_else(gone)?;
        let event = own_date(&found.event)?;
        if event.time == timed(span) {
            return Ok(Step::Done(Some(found.event)));
        }
        let (who, note) = (self.who.clone(), notice.map(|notice| &*notice.note));
        let message = note.map(|note| Message::moved(event, &who, &span, note, &pass.key));
        let moved = |target: &Target<'_>| Some(target.moved(&who, span, note, pass.at));
        let is_done = |series: &Series| {
            let now = found.now(series, &who);
            now.is_some_and(|now| now.time == timed(span))
        };
        match self.apply(&found, pass.unsent(message), moved, is_done)? {
            Some(invitation) => Ok(Step::Notify(invitation)),
            None => self.event(id).map(Step::Done),
        }
    }

    /// Changes place and attendees.
    pub fn edit(&mut self, id: &EventId, change: &EventChange, pass: &Pass) -> Result<Step> {
        change.check()?;
        let found = self.find(id)?.ok_or_else(gone)?;
        let (event, who) = (own_date(&found.event)?, self.who.clone());
        let after = change.applied(event);
        if after == *event {
            return Ok(Step::Done(Some(found.event)));
        }
        let message = Message::changed(event, &after, &who, &pass.key);
        let edited = |target: &Target<'_>| target.edited((event, &after), &who, pass.at);
        let is_done = |series: &Series| {
            let people = |all: &[Attendee]| {
                all.iter()
                    .map(|one| one.mailbox.address.clone())
                    .collect::<Vec<_>>()
            };
            let now = found.now(series, &who);
            now.is_some_and(|Occurrence { event, .. }| {
                event.location == after.location
                    && people(&event.attendees) == people(&after.attendees)
            })
        };
        match self.apply(&found, pass.unsent(Some(message)), edited, is_done)? {
            Some(invitation) => Ok(Step::Notify(invitation)),
            None => self.event(id).map(Step::Done),
        }
    }

    pub fn cancel(&mut self, id: &EventId, notify: bool, pass: &Pass) -> Result<Step> {
        let Some(found) = self.find(id)? else {
            return Ok(Step::Done(None));
        };
        let (who, event) = (self.who.clone(), own(&found.event)?);
        let message = notify.then(|| Message::cancelled(event, &who, &pass.key));
        let cancelled = |target: &Target<'_>| Some(target.cancelled(pass.at));
        let is_done = |series: &Series| {
            found.now(series, &who).is_none() && series.cancelled(found.key).is_some()
        };
        let invitation = self.apply(&found, pass.unsent(message), cancelled, is_done)?;
        Ok(invitation.map_or(Step::Done(Some(found.event)), Step::Notify))
    }

    pub fn find_cancelled(&mut self, id: &EventId) -> Result<Option<Event>> {
        match (self.find(id)?, Key::of_id(id)) {
            (None, Some((uid, at))) => self.gone(uid, at),
            (Some(_), _) | (None, None) => Ok(None),
        }
    }

    fn gone(&mut self, uid: &str, key: Option<Key>) -> Result<Option<Event>> {
        for (_, _, parsed) in self.shelf.own(Wanted::Event(uid))? {
            let mut series = parsed.series.iter().filter(|series| series.has(uid));
            let gone = series.find_map(|series| Some((series, series.cancelled(key)?)));
            if let Some((series, gone)) = gone {
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

    /// Changes an event in its file. If others must be notified first, returns their notice instead.
    pub(super) fn apply(
        &mut self,
        found: &Found,
        message: Option<Message>,
        edit: impl Fn(&Target<'_>) -> Option<Change>,
        is_done: impl Fn(&Series) -> bool,
    ) -> Result<Option<Invitation>> {
        let (name, zone) = (&*found.name, self.who.zone.clone());
        self.change(&found.path, name, message, |parsed, source| {
            let series = found.series_in(parsed).ok_or_else(gone)?;
            let target = Target::new(source, series, found.key);
            let change = target.and_then(|target| edit(&target)).ok_or_else(gone)?;
            // An unusual file could turn the change into something else.
            let after = Parsed::new(name, change.text.clone().into_bytes(), &zone);
            if found.series_in(&after).is_some_and(&is_done) {
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
    fn series_in<'a>(&self, parsed: &'a Parsed) -> Option<&'a Series> {
        parsed.series.iter().find(|series| series.has(&self.id))
    }

    /// The event's current state in a series, unless it is cancelled.
    pub fn now<'a>(&self, series: &'a Series, who: &Identity) -> Option<Occurrence<'a>> {
        if self.event.is_series() {
            series.whole().filter(|whole| !whole.event.cancelled)
        } else {
            series.occurrence(self.key, &who.zone)
        }
    }
}

pub(crate) fn timed(Span { start, end }: Span) -> EventTime {
    EventTime::Timed { start, end }
}

fn own(event: &Event) -> Result<&Event> {
    if !event.own {
        return Err(AccountError::refused(text::not_your_event(&event.title)));
    }
    Ok(event)
}

fn own_date(event: &Event) -> Result<&Event> {
    if own(event)?.is_series() {
        return Err(AccountError::refused(text::SERIES_NOT_CHANGED));
    }
    Ok(event)
}

pub(super) fn gone() -> AccountError {
    AccountError::refused(text::EVENT_GONE)
}
