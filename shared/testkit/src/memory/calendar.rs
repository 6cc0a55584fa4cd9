//! Calendars in memory.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Attendee, Availability, Calendar, Event,
    EventPage, EventTime, Mailbox, NewEvent, Notice, Span, Unreadable,
};
use alfred_core::text;
use async_trait::async_trait;
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// The calendars of some people. Whoever has none here is `NotConnected`.
#[derive(Default)]
pub struct MemoryCalendar {
    people: Mutex<HashMap<Account, Person>>,
}

struct Person {
    mailbox: Mailbox,
    zone: TimeZone,
    events: Vec<Kept>,
    unreadable: Vec<Unreadable>,
    colleagues: HashMap<String, Vec<Span>>,
    told: Vec<EventId>,
    notes: Vec<String>,
    told_under: HashSet<String>,
}

struct Kept {
    event: Event,
    key: Option<String>,
    cancelled: bool,
}

impl MemoryCalendar {
    /// With this person's calendar. The events keep their ids; a series is given as its occurrences.
    #[must_use]
    pub fn with(
        self,
        account: &Account,
        mailbox: Mailbox,
        zone: TimeZone,
        events: Vec<Event>,
    ) -> Self {
        let keep = |event| Kept {
            event,
            key: None,
            cancelled: false,
        };
        let person = Person {
            mailbox,
            zone,
            events: events.into_iter().map(keep).collect(),
            unreadable: Vec::new(),
            colleagues: HashMap::new(),
            told: Vec::new(),
            notes: Vec::new(),
            told_under: HashSet::new(),
        };
        self.people.lock().unwrap().insert(account.clone(), person);
        self
    }

    /// With a colleague whose calendar this person can see.
    #[must_use]
    pub fn with_colleague(self, account: &Account, address: &str, busy: Vec<Span>) -> Self {
        self.account(account, |person| {
            person.colleagues.insert(address.to_lowercase(), busy)
        })
        .unwrap();
        self
    }

    /// An entry that can't be read lies in the calendar.
    pub fn spoil(&self, account: &Account, unreadable: Unreadable) {
        self.account(account, |person| person.unreadable.push(unreadable))
            .unwrap();
    }

    /// The events whose attendees were told of something, in order.
    #[must_use]
    pub fn told(&self, account: &Account) -> Vec<EventId> {
        self.account(account, |person| person.told.clone()).unwrap()
    }

    /// What attendees of moved events were told beside the time, in order.
    #[must_use]
    pub fn notes(&self, account: &Account) -> Vec<String> {
        self.account(account, |person| person.notes.clone())
            .unwrap()
    }

    fn account<T>(
        &self,
        account: &Account,
        act: impl FnOnce(&mut Person) -> T,
    ) -> Result<T, AccountError> {
        let mut people = self.people.lock().unwrap();
        let person = people.get_mut(account);
        person
            .map(act)
            .ok_or(AccountError::NotConnected(AccountService::Calendar))
    }
}

impl Person {
    /// What isn't cancelled and touches the span, in order.
    fn within(&self, span: Span) -> Vec<Event> {
        let there = self.events.iter().filter(|kept| !kept.cancelled);
        let mut events: Vec<Event> = there
            .filter(|kept| kept.event.time.span(&self.zone).touches(&span))
            .map(|kept| kept.event.clone())
            .collect();
        events.sort_by_key(|event| (event.time.span(&self.zone).start, event.id.clone()));
        events
    }

    fn availability(&self, address: &str, span: Span) -> Availability {
        let address = address.to_lowercase();
        if address == self.mailbox.address {
            let busy = self.within(span).into_iter().filter(|event| event.busy);
            let busy = busy.map(|event| event.time.span(&self.zone)).collect();
            return Availability::Busy(Span::merged(busy, &span));
        }
        match self.colleagues.get(&address) {
            Some(busy) => Availability::Busy(Span::merged(busy.clone(), &span)),
            None => Availability::Hidden,
        }
    }

    fn create(&mut self, new: &NewEvent, key: &str) -> Result<Event, AccountError> {
        new.check()?;
        if let Some(made) = self.made_under(key) {
            return Ok(made);
        }
        let attendee = |mailbox: &Mailbox| Attendee {
            mailbox: mailbox.clone(),
            attendance: Attendance::Unanswered,
        };
        let event = Event {
            id: format!("made-{key}").into(),
            title: new.title.clone(),
            time: EventTime::Timed {
                start: new.span.start,
                end: new.span.end,
            },
            description: new.description.clone(),
            location: String::new(),
            organizer: Some(self.mailbox.clone()),
            own: true,
            attendees: new.attendees.iter().map(attendee).collect(),
            attendance: Attendance::Accepted,
            busy: true,
            recurring: false,
        };
        if !event.attendees.is_empty() {
            self.told.push(event.id.clone());
        }
        self.events.push(Kept {
            event: event.clone(),
            key: Some(key.to_owned()),
            cancelled: false,
        });
        Ok(event)
    }

    fn made_under(&self, key: &str) -> Option<Event> {
        let mut events = self.events.iter();
        let made = events.find(|kept| kept.key.as_deref() == Some(key))?;
        Some(made.event.clone())
    }

    fn own(&mut self, id: &EventId) -> Result<Option<&mut Kept>, AccountError> {
        let mut events = self.events.iter_mut();
        match events.find(|kept| kept.event.id == *id && !kept.cancelled) {
            Some(kept) if !kept.event.own => Err(AccountError::refused(text::not_your_event(
                &kept.event.title,
            ))),
            found => Ok(found),
        }
    }
}

#[async_trait]
impl Calendar for MemoryCalendar {
    async fn events(&self, account: &Account, span: Span) -> Result<EventPage, AccountError> {
        self.account(account, |person| EventPage {
            events: person.within(span),
            unreadable: person.unreadable.clone(),
        })
    }

    async fn event(&self, account: &Account, id: &EventId) -> Result<Option<Event>, AccountError> {
        self.account(account, |person| {
            let mut events = person.events.iter();
            let kept = events.find(|kept| kept.event.id == *id && !kept.cancelled)?;
            Some(kept.event.clone())
        })
    }

    async fn availability(
        &self,
        account: &Account,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        self.account(account, |person| {
            let answers = addresses.iter();
            answers
                .map(|address| person.availability(address, span))
                .collect()
        })
    }

    async fn create(
        &self,
        account: &Account,
        event: &NewEvent,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        self.account(account, |person| person.create(event, idempotency_key))?
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Event>, AccountError> {
        self.account(account, |person| person.made_under(idempotency_key))
    }

    async fn reschedule(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        notice: Option<&Notice>,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        self.account(account, |person| {
            span.check()?;
            let kept = person.own(id)?;
            let kept = kept.ok_or_else(|| AccountError::refused(text::event_gone()))?;
            let time = EventTime::Timed {
                start: span.start,
                end: span.end,
            };
            let moved = std::mem::replace(&mut kept.event.time, time) != time;
            let event = kept.event.clone();
            let notice = notice.filter(|_| moved && !event.attendees.is_empty());
            if let Some(notice) = notice
                && person.told_under.insert(idempotency_key.to_owned())
            {
                person.told.push(event.id.clone());
                person.notes.push(notice.note.clone());
            }
            Ok(event)
        })?
    }

    async fn find_moved(
        &self,
        account: &Account,
        id: &EventId,
        span: Span,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        let (start, end) = (span.start, span.end);
        let there = self.event(account, id).await?;
        Ok(there.filter(|event| event.time == EventTime::Timed { start, end }))
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
    ) -> Result<bool, AccountError> {
        self.account(account, |person| {
            let Some(kept) = person.own(id)? else {
                return Ok(false);
            };
            kept.cancelled = true;
            if notify && !kept.event.attendees.is_empty() {
                person.told.push(id.clone());
            }
            Ok(true)
        })?
    }
}
