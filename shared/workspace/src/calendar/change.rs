//! Moves and cancels one's own events.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Event, EventTime, Notice, Span};
use alfred_core::text;
use jiff::Timestamp;
use std::path::PathBuf;

use super::file::{Parsed, Wanted};
use super::invite::Invitation;
use super::series::{Occurrence, Series};
use super::when::Key;
use super::{CalendarFolder, Pass, Step, calendar_not_written, edit, lost, source};
use crate::person::Identity;

impl CalendarFolder {
    pub fn reschedule(
        &mut self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        pass: &Pass,
    ) -> Result<Step<Event>> {
        span.check()?;
        let found = self.find(id)?.ok_or_else(gone)?;
        let event = own(found.event.clone())?;
        if event.is_series() {
            return Err(AccountError::refused(text::SERIES_NOT_MOVED));
        }
        if event.time == timed(span) {
            return Ok(Step::Done(event));
        }
        let note = notice.map(|notice| notice.note.as_str());
        let who = self.who.clone();
        let changed =
            |parsed: &Parsed, source: &_| found.moved(parsed, source, &who, span, pass.at, note);
        let notice = self.apply(&found, pass, changed, |change| {
            Invitation::moved(&event, change, &who, (span, note?), &pass.key)
        });
        match notice? {
            Some(invitation) => Ok(Step::Notify(invitation)),
            None => self.event(id)?.map(Step::Done).ok_or_else(lost),
        }
    }

    pub fn cancel(&mut self, id: &EventId, notify: bool, pass: &Pass) -> Result<Step<bool>> {
        let Some(found) = self.find(id)? else {
            return Ok(Step::Done(false));
        };
        let event = own(found.event.clone())?;
        let who = self.who.clone();
        let changed = |parsed: &Parsed, source: &_| {
            let series = found.series_in(parsed).ok_or_else(gone)?;
            let change = edit::cancelled(source, series, found.key, pass.at);
            found.after(change.ok_or_else(gone)?, &who, |series| {
                found.now(series, &who).is_none() && series.cancelled(found.key).is_some()
            })
        };
        let notice = self.apply(&found, pass, changed, |change| {
            let notice = Invitation::cancelled(&event, change, &who, &pass.key);
            notice.filter(|_| notify)
        });
        Ok(notice?.map_or(Step::Done(true), Step::Notify))
    }

    /// The cancelled event.
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

    /// Writes a change. If others must be notified first, returns their notice instead.
    pub(super) fn apply(
        &mut self,
        found: &Found,
        pass: &Pass,
        changed: impl Fn(&Parsed, &source::Source) -> Result<edit::Change>,
        notice: impl Fn(&edit::Change) -> Option<Invitation>,
    ) -> Result<Option<Invitation>> {
        self.change((&found.path, &found.name), |parsed, source| {
            let change = changed(parsed, source)?;
            let notice = if pass.notified { None } else { notice(&change) };
            let new = notice.is_none().then_some(change.text);
            Ok((notice, new))
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
        source: &source::Source,
        who: &Identity,
        to: Span,
        now: Timestamp,
        note: Option<&str>,
    ) -> Result<edit::Change> {
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
    ) -> Result<edit::Change> {
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

pub(crate) fn timed(Span { start, end }: Span) -> EventTime {
    EventTime::Timed { start, end }
}

fn own(event: Event) -> Result<Event> {
    if !event.own {
        return Err(AccountError::refused(text::not_your_event(&event.title)));
    }
    Ok(event)
}

pub(super) fn gone() -> AccountError {
    AccountError::refused(text::EVENT_GONE)
}
