//! What a person's calendar in memory holds, and what becomes of it.

use super::super::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Attendee, Availability, Event, EventPage, Mailbox, NewEvent,
    Response, Span, Unreadable,
};
use alfred_core::text;
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};

const OCCURRENCES: usize = 60;

pub(super) struct Person {
    pub mailbox: Mailbox,
    pub zone: TimeZone,
    pub events: Vec<Kept>,
    pub unreadable: Vec<Unreadable>,
    pub colleagues: HashMap<String, Vec<Span>>,
    pub told: Vec<EventId>,
    pub notes: Vec<String>,
    pub told_under: HashSet<String>,
}

pub(super) struct Kept {
    pub event: Event,
    pub key: Option<String>,
    pub cancelled: bool,
    /// Whether this one of a series was answered by itself.
    pub answered: bool,
}

impl Person {
    /// What isn't cancelled and touches the span, in order.
    pub fn within(&self, span: Span) -> EventPage {
        let there = self.events.iter().filter(|kept| !kept.cancelled);
        let page = EventPage {
            events: there.map(|kept| kept.event.clone()).collect(),
            unreadable: self.unreadable.clone(),
        };
        page.within(&span, &self.zone)
    }

    pub fn availability(&self, address: &str, span: Span) -> Availability {
        let address = address.to_lowercase();
        if address == self.mailbox.address {
            let events = self.within(span).events.into_iter();
            let busy = events.filter(|event| event.busy);
            let busy = busy.map(|event| event.time.span(&self.zone)).collect();
            return Availability::Busy(Span::merged(busy, &span));
        }
        match self.colleagues.get(&address) {
            Some(busy) => Availability::Busy(Span::merged(busy.clone(), &span)),
            None => Availability::Hidden,
        }
    }

    pub fn create(&mut self, new: &NewEvent, key: &str) -> Result<Event> {
        new.check()?;
        if let Some(made) = self.made_under(key) {
            return Ok(made);
        }
        let attendee = |mailbox: &Mailbox| Attendee {
            mailbox: mailbox.clone(),
            attendance: Attendance::Unanswered,
        };
        let id = EventId(format!("made-{key}"));
        let event = Event {
            id: id.clone(),
            title: new.title.clone(),
            time: new.span.into(),
            description: new.description.clone(),
            location: new.location.clone(),
            organizer: Some(self.mailbox.clone()),
            own: true,
            attendees: new.attendees.iter().map(attendee).collect(),
            attendance: Attendance::Accepted,
            invited: false,
            busy: true,
            series: new.repeat.as_ref().map(|_| id.clone()),
        };
        if !event.attendees.is_empty() {
            self.told.push(id.clone());
        }
        let zone = TimeZone::get(&new.time_zone).unwrap();
        let rule = new.repeat.as_ref();
        let spans = rule.map_or(vec![new.span], |rule| {
            rule.spans(new.span, zone).take(OCCURRENCES).collect()
        });
        for (number, span) in spans.into_iter().enumerate() {
            let numbered = || EventId(format!("{id}/{number}"));
            let event = Event {
                id: rule.map_or(id.clone(), |_| numbered()),
                time: span.into(),
                ..event.clone()
            };
            self.events.push(Kept {
                event,
                key: Some(key.to_owned()),
                cancelled: false,
                answered: false,
            });
        }
        Ok(self.made_under(key).unwrap())
    }

    /// The occurrence or the series of this id, cancelled or not.
    pub fn find(&self, id: &EventId, cancelled: bool) -> Option<Event> {
        let events = self.events.iter();
        let of_id = events.filter(|kept| is(&kept.event, id) && kept.cancelled == cancelled);
        // A series is like those of it that nothing was said about.
        let kept = of_id.min_by_key(|kept| kept.answered)?;
        let mut event = kept.event.clone();
        event.id = id.clone();
        Some(event)
    }

    /// What isn't cancelled of an own event or series.
    pub fn own(&mut self, id: &EventId) -> Result<Vec<&mut Kept>> {
        let kept = self.events.iter_mut();
        let kept = kept.filter(|kept| is(&kept.event, id) && !kept.cancelled);
        let kept: Vec<&mut Kept> = kept.collect();
        kept.iter().try_for_each(|kept| kept.event.check_own())?;
        Ok(kept)
    }

    pub fn own_date(&mut self, id: &EventId) -> Result<&mut Kept> {
        let event = self.find(id, false).ok_or_else(Event::gone)?;
        event.check_own_date()?;
        self.own(id)?.into_iter().next().ok_or_else(Event::gone)
    }

    pub fn respond(&mut self, id: &EventId, response: &Response, key: &str) -> Result<Event> {
        let event = self.find(id, false).ok_or_else(Event::gone)?;
        let own = self.mailbox.address.clone();
        if !event.invited || response.attendance == Attendance::Unanswered {
            return Err(AccountError::refused(text::not_invited(&event.title)));
        }
        if event.attendance == response.attendance {
            return Ok(event);
        }
        for kept in self.events.iter_mut().filter(|kept| is(&kept.event, id)) {
            let alone = kept.event.id == *id;
            if kept.answered && !alone {
                continue;
            }
            kept.answered |= alone;
            let event = &mut kept.event;
            event.attendance = response.attendance;
            event.busy = response.attendance != Attendance::Declined;
            let mut people = event.attendees.iter_mut();
            if let Some(me) = people.find(|one| one.mailbox.address == own) {
                me.attendance = response.attendance;
            }
        }
        if self.told_under.insert(key.to_owned()) {
            self.told.push(id.clone());
            self.notes.push(response.note.clone());
        }
        self.find(id, false).ok_or_else(Event::gone)
    }

    pub fn made_under(&self, key: &str) -> Option<Event> {
        let mut events = self.events.iter();
        let made = events.find(|kept| kept.key.as_deref() == Some(key))?;
        Some(made.event.clone())
    }
}

/// Whether it is this occurrence, or one of this series.
fn is(event: &Event, id: &EventId) -> bool {
    event.id == *id || event.series.as_ref() == Some(id)
}
