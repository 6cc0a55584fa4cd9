//! Calendars in memory.

mod person;

use super::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountService, Attendance, Availability, Calendar, CalendarAccount, Event,
    EventChange, EventPage, Mailbox, NewEvent, Notice, Response, Span, Unreadable,
};
use async_trait::async_trait;
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::people::{MemoryAccount, People};
use person::{Kept, Person};

pub struct MemoryCalendar {
    people: People<Person>,
    tells_guests: AtomicBool,
}

impl Default for MemoryCalendar {
    fn default() -> Self {
        Self {
            people: People::new(AccountService::Calendar),
            tells_guests: AtomicBool::default(),
        }
    }
}

impl MemoryCalendar {
    /// With this person's calendar. The events keep their ids; a series is given as its occurrences, which name it.
    pub fn with(self, account: &Account, own: Mailbox, zone: TimeZone, events: Vec<Event>) -> Self {
        let keep = |event: Event| Kept {
            event: Event {
                invited: !event.own && event.invites(&own.address),
                ..event
            },
            key: None,
            cancelled: false,
            answered: false,
        };
        let events = events.into_iter().map(keep).collect();
        let person = Person {
            mailbox: own,
            zone,
            events,
            unreadable: Vec::new(),
            colleagues: HashMap::new(),
            told: Vec::new(),
            notes: Vec::new(),
            told_under: HashSet::new(),
        };
        self.people.add(account, person);
        self
    }

    pub fn with_colleague(self, account: &Account, address: &str, busy: Vec<Span>) -> Self {
        let address = address.to_lowercase();
        self.people
            .known(account, |it| it.colleagues.insert(address, busy));
        self
    }

    pub fn spoil(&self, account: &Account, one: Unreadable) {
        self.people.known(account, |it| it.unreadable.push(one));
    }

    /// Says from now on that guests hear of every change.
    pub fn tell_guests(&self) {
        self.tells_guests.store(true, Ordering::Relaxed);
    }

    pub fn told(&self, account: &Account) -> Vec<EventId> {
        self.people.known(account, |person| person.told.clone())
    }

    /// What attendees of moved events, and organisers of answered ones, were told in words, in order.
    pub fn notes(&self, account: &Account) -> Vec<String> {
        self.people.known(account, |person| person.notes.clone())
    }
}

#[async_trait]
impl CalendarAccount for MemoryAccount<'_, MemoryCalendar, Person> {
    async fn events(&self, span: Span) -> Result<EventPage> {
        self.of(|person| person.within(span))
    }

    async fn event(&self, id: &EventId) -> Result<Option<Event>> {
        self.of(|person| person.find(id, false))
    }

    async fn tells_guests(&self) -> Result<bool> {
        Ok(self.port.tells_guests.load(Ordering::Relaxed))
    }

    async fn availability(&self, addresses: &[String], span: Span) -> Result<Vec<Availability>> {
        self.of(|person| {
            let answer = |address: &String| person.availability(address, span);
            addresses.iter().map(answer).collect()
        })
    }

    async fn create(&self, event: &NewEvent, key: &str) -> Result<Event> {
        self.of(|person| person.create(event, key))?
    }

    async fn find_created(&self, key: &str) -> Result<Option<Event>> {
        self.of(|person| person.made_under(key))
    }

    async fn reschedule(
        &self,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        key: &str,
    ) -> Result<Event> {
        self.of(|person| {
            span.check()?;
            let kept = person.own_date(id)?;
            let moved = std::mem::replace(&mut kept.event.time, span.into()) != span.into();
            let event = kept.event.clone();
            let notice = notice.filter(|_| moved && !event.attendees.is_empty());
            if let Some(notice) = notice
                && person.told_under.insert(key.to_owned())
            {
                person.told.push(event.id.clone());
                person.notes.push(notice.note.clone());
            }
            Ok(event)
        })?
    }

    async fn find_moved(&self, id: &EventId, span: Span, _: &str) -> Result<Option<Event>> {
        let there = self.event(id).await?;
        Ok(there.filter(|event| event.time == span.into()))
    }

    async fn change(&self, id: &EventId, change: &EventChange, key: &str) -> Result<Event> {
        self.of(|person| {
            change.check()?;
            let kept = person.own_date(id)?;
            let after = change.applied(&kept.event);
            let before = std::mem::replace(&mut kept.event, after.clone());
            let tells = !before.attendees.is_empty() || !after.attendees.is_empty();
            if tells && before != after && person.told_under.insert(key.to_owned()) {
                person.told.push(id.clone());
            }
            Ok(after)
        })?
    }

    async fn find_changed(
        &self,
        id: &EventId,
        change: &EventChange,
        _: &str,
    ) -> Result<Option<Event>> {
        Ok(self.event(id).await?.filter(|event| change.is_made(event)))
    }

    async fn cancel(&self, id: &EventId, notify: bool, key: &str) -> Result<bool> {
        self.of(|person| {
            let mut kept = person.own(id)?;
            let Some(first) = kept.first() else {
                return Ok(false);
            };
            let notify = notify && !first.event.attendees.is_empty();
            kept.iter_mut().for_each(|kept| kept.cancelled = true);
            if notify && person.told_under.insert(key.to_owned()) {
                person.told.push(id.clone());
            }
            Ok(true)
        })?
    }

    async fn find_cancelled(&self, id: &EventId, _: &str) -> Result<Option<Event>> {
        self.of(|person| {
            let there = person.find(id, false).is_some();
            person.find(id, true).filter(|_| !there)
        })
    }

    async fn respond(&self, id: &EventId, response: &Response, key: &str) -> Result<Event> {
        self.of(|person| person.respond(id, response, key))?
    }

    async fn find_responded(
        &self,
        id: &EventId,
        attendance: Attendance,
        _: &str,
    ) -> Result<Option<Event>> {
        let there = self.event(id).await?;
        Ok(there.filter(|event| event.attendance == attendance))
    }
}

#[async_trait]
impl Calendar for MemoryCalendar {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn CalendarAccount + 'a>> {
        Ok(Box::new(MemoryAccount {
            port: self,
            people: &self.people,
            account,
        }))
    }
}
