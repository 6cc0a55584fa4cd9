//! Computes changes of one's own events, without writing them or notifying anybody.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Event, EventTime, NewEvent, Span};
use alfred_core::text;
use jiff::Timestamp;
use std::path::PathBuf;

use super::file::Parsed;
use super::invite::Invitation;
use super::series::{self, Occurrence, Series};
use super::source::Source;
use super::when::Key;
use super::{CalendarFolder, calendar_not_written, edit};
use crate::person::Identity;

/// A computed change that isn't written yet.
pub(super) struct Plan {
    path: PathBuf,
    name: String,
    /// Computes the calendar's new text. `None` leaves it unchanged.
    edit: Box<dyn Fn(&Parsed, &Source) -> Result<Option<String>, AccountError> + Send>,
    pub invitation: Option<Invitation>,
}

impl CalendarFolder {
    /// `None` if the event was made under this key before.
    pub(super) fn plan_create(
        &mut self,
        new: &NewEvent,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Plan>, AccountError> {
        if self.made_under(key)?.is_some() {
            return Ok(None);
        }
        let uid = super::uid_of(&self.who, key);
        let made = edit::made(new, &self.who, &uid, now);
        let (path, name) = self.shelf.place_of(&uid);
        let invited = !new.attendees.is_empty();
        let invitation = invited.then(|| Invitation::to(new, &made, &self.who));
        // Checks that the calendar can be written before anybody is notified.
        self.change((&path, &name), |_, source| {
            made.added_to(source)
                .ok_or_else(|| AccountError::refused(calendar_not_written(&name)))?;
            Ok(((), None))
        })?;
        let edit = move |parsed: &Parsed, source: &Source| {
            let there = parsed.series.iter().any(|s| s.has(&series::id_of(&uid)));
            Ok(if there { None } else { made.added_to(source) })
        };
        Ok(Some(Plan {
            path,
            name,
            edit: Box::new(edit),
            invitation,
        }))
    }

    /// `None` if the event is at this time. The note is for its guests; without one they aren't notified.
    pub(super) fn plan_move(
        &mut self,
        id: &EventId,
        (span, note): (Span, Option<String>),
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Plan>, AccountError> {
        let found = self.find(id)?.ok_or_else(gone)?;
        let event = own(found.event.clone())?;
        if event.is_series() {
            return Err(AccountError::refused(text::SERIES_NOT_MOVED));
        }
        if event.time == timed(span) {
            return Ok(None);
        }
        let (who, said) = (self.who.clone(), note.clone());
        let changed = move |found: &Found, parsed: &Parsed, source: &Source| {
            found.moved(parsed, source, &who, span, now, said.as_deref())
        };
        let who = self.who.clone();
        self.plan(found, changed, |change| {
            Invitation::moved(&event, change, &who, (span, &note?), key)
        })
        .map(Some)
    }

    /// `None` if there is no such event.
    pub(super) fn plan_cancel(
        &mut self,
        id: &EventId,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Plan>, AccountError> {
        let Some(found) = self.find(id)? else {
            return Ok(None);
        };
        let event = own(found.event.clone())?;
        let who = self.who.clone();
        let changed = move |found: &Found, parsed: &Parsed, source: &Source| {
            let series = found.series_in(parsed).ok_or_else(gone)?;
            let change = edit::cancelled(source, series, found.key, now);
            found.after(change.ok_or_else(gone)?, &who, |series| {
                found.now(series, &who).is_none() && series.cancelled(found.key).is_some()
            })
        };
        let who = self.who.clone();
        self.plan(found, changed, |change| {
            Invitation::cancelled(&event, change, &who, key)
        })
        .map(Some)
    }

    /// The cancelled event or occurrence.
    pub(super) fn gone(
        &mut self,
        uid: &str,
        key: Option<Key>,
    ) -> Result<Option<Event>, AccountError> {
        for (_, _, parsed) in self.own()? {
            let mut series = parsed.series.iter().filter(|series| series.has(uid));
            let gone = series.find_map(|series| Some((series, series.cancelled(key)?)));
            if let Some((series, gone)) = gone {
                let whole = key.is_none() && series.whole().is_some();
                let event = if whole {
                    self.series_of(series, &gone)
                } else {
                    self.event_of(series, &gone)
                };
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Computes a change of an event, and the notification of it, without writing.
    pub(super) fn plan(
        &mut self,
        found: Found,
        changed: impl Fn(&Found, &Parsed, &Source) -> Result<edit::Change, AccountError>
        + Send
        + 'static,
        invitation: impl FnOnce(&edit::Change) -> Option<Invitation>,
    ) -> Result<Plan, AccountError> {
        let change = self.change((&found.path, &found.name), |parsed, source| {
            Ok((changed(&found, parsed, source)?, None))
        })?;
        Ok(Plan {
            path: found.path.clone(),
            name: found.name.clone(),
            invitation: invitation(&change),
            edit: Box::new(move |parsed, source| Ok(Some(changed(&found, parsed, source)?.text))),
        })
    }

    pub(super) fn write(&mut self, plan: &Plan) -> Result<(), AccountError> {
        self.change((&plan.path, &plan.name), |parsed, source| {
            Ok(((), (plan.edit)(parsed, source)?))
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
    pub fn series_in<'a>(&self, parsed: &'a Parsed) -> Option<&'a Series> {
        parsed.series.iter().find(|series| series.has(&self.id))
    }

    fn moved(
        &self,
        parsed: &Parsed,
        source: &Source,
        who: &Identity,
        to: Span,
        now: Timestamp,
        note: Option<&str>,
    ) -> Result<edit::Change, AccountError> {
        let series = self.series_in(parsed).ok_or_else(gone)?;
        let change = edit::moved(source, series, self.key, who, (to, note), now);
        self.after(change.ok_or_else(gone)?, who, |series| {
            let now = self.now(series, who);
            now.is_some_and(|now| now.time == timed(to))
        })
    }

    /// Rejects a change that an unusual file would turn into something else.
    pub fn after(
        &self,
        change: edit::Change,
        who: &Identity,
        is_meant: impl Fn(&Series) -> bool,
    ) -> Result<edit::Change, AccountError> {
        let parsed = Parsed::new(&self.name, change.text.clone().into_bytes(), &who.zone);
        match self.series_in(&parsed).filter(|series| is_meant(series)) {
            Some(_) => Ok(change),
            None => {
                let reason = calendar_not_written(&self.name);
                Err(AccountError::refused(reason))
            }
        }
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

pub(super) fn timed(Span { start, end }: Span) -> EventTime {
    EventTime::Timed { start, end }
}

fn own(event: Event) -> Result<Event, AccountError> {
    if !event.own {
        return Err(AccountError::refused(text::not_your_event(&event.title)));
    }
    Ok(event)
}

pub(super) fn gone() -> AccountError {
    AccountError::refused(text::EVENT_GONE)
}
