//! Moves and cancels one's own events. Guests are notified before the calendar is written.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Event, EventTime, Notice, Span};
use alfred_core::text;
use jiff::Timestamp;
use std::path::PathBuf;

use super::file::{Parsed, Wanted};
use super::invite::{self, Invitation};
use super::series::{Occurrence, Series};
use super::when::Key;
use super::{CalendarFolder, calendar_not_written, edit, lost, source};
use crate::person::{Identity, Post};

impl CalendarFolder {
    pub fn reschedule(
        &mut self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
        post: &Post<'_>,
    ) -> Result<Event, AccountError> {
        span.check()?;
        let found = self.find(id)?.ok_or_else(gone)?;
        let event = own(found.event.clone())?;
        if event.is_series() {
            return Err(AccountError::refused(text::SERIES_NOT_MOVED));
        }
        if event.time == timed(span) {
            return Ok(event);
        }
        let note = notice.map(|notice| notice.note.as_str());
        let who = self.who.clone();
        let changed =
            |parsed: &Parsed, source: &_| found.moved(parsed, source, &who, span, post.at, note);
        self.apply(&found, changed, |change| {
            let told =
                note.and_then(|note| Invitation::moved(&event, change, &who, (span, note), key));
            told.map_or(Ok(()), |told| told.send(post))
        })?;
        self.event(id)?.ok_or_else(lost)
    }

    /// The occurrence, if it is at this time. Otherwise `Unknown` if guests may have been notified of the
    /// move under this key.
    pub fn find_moved(
        &mut self,
        id: &EventId,
        span: Span,
        key: &str,
        post: &Post<'_>,
    ) -> Result<Option<Event>, AccountError> {
        let there = self.event(id)?.filter(|event| event.time == timed(span));
        if there.is_none() {
            post.was_told(&invite::moved_key(key))?;
        }
        Ok(there)
    }

    pub fn cancel(
        &mut self,
        id: &EventId,
        notify: bool,
        key: &str,
        post: &Post<'_>,
    ) -> Result<bool, AccountError> {
        let Some(found) = self.find(id)? else {
            return Ok(false);
        };
        let event = own(found.event.clone())?;
        let who = self.who.clone();
        let changed = |parsed: &Parsed, source: &_| {
            let series = found.series_in(parsed).ok_or_else(gone)?;
            let change = edit::cancelled(source, series, found.key, post.at);
            found.after(change.ok_or_else(gone)?, &who, |series| {
                found.now(series, &who).is_none() && series.cancelled(found.key).is_some()
            })
        };
        self.apply(&found, changed, |change| {
            let told = Invitation::cancelled(&event, change, &who, key);
            let told = told.filter(|_| notify);
            told.map_or(Ok(()), |told| told.send(post))
        })?;
        Ok(true)
    }

    /// The cancelled event. `Unknown` if it still exists and guests may have been notified of the
    /// cancellation under this key.
    pub fn find_cancelled(
        &mut self,
        id: &EventId,
        key: &str,
        post: &Post<'_>,
    ) -> Result<Option<Event>, AccountError> {
        let gone = match (self.find(id)?, Key::of_id(id)) {
            (None, Some((uid, at))) => self.gone(uid, at)?,
            (Some(_), _) | (None, None) => None,
        };
        if gone.is_none() {
            post.was_told(&invite::cancelled_key(key))?;
        }
        Ok(gone)
    }

    fn gone(&mut self, uid: &str, key: Option<Key>) -> Result<Option<Event>, AccountError> {
        for (_, _, parsed) in self.own(Wanted::Event(uid))? {
            let mut series = parsed.series.iter().filter(|series| series.has(uid));
            let gone = series.find_map(|series| Some((series, series.cancelled(key)?)));
            if let Some((series, gone)) = gone {
                let whole = key.is_none() && series.whole().is_some();
                return Ok(Some(match whole {
                    true => self.series_of(series, &gone),
                    false => self.event_of(series, &gone),
                }));
            }
        }
        Ok(None)
    }

    /// Notifies guests, then writes the change, in the same order as `create`.
    pub(super) fn apply(
        &mut self,
        found: &Found,
        changed: impl Fn(&Parsed, &source::Source) -> Result<edit::Change, AccountError>,
        tell: impl FnOnce(&edit::Change) -> Result<(), AccountError>,
    ) -> Result<(), AccountError> {
        tell(&self.planned(found, &changed)?)?;
        self.change((&found.path, &found.name), |parsed, source| {
            Ok(((), Some(changed(parsed, source)?.text)))
        })
    }

    /// Computes a change without writing it.
    fn planned(
        &mut self,
        found: &Found,
        changed: impl Fn(&Parsed, &source::Source) -> Result<edit::Change, AccountError>,
    ) -> Result<edit::Change, AccountError> {
        let look = |parsed: &Parsed, source: &_| Ok((changed(parsed, source)?, None));
        self.change((&found.path, &found.name), look)
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
        source: &source::Source,
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
        match self.event.is_series() {
            true => series.whole().filter(|whole| !whole.event.cancelled),
            false => series.occurrence(self.key, &who.zone),
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
