//! Calendars in memory.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attendance, Attendee, Availability, Calendar, Event,
    EventPage, EventTime, Mailbox, NewEvent, Notice, Response, Span, Unreadable,
};
use alfred_core::text;
use async_trait::async_trait;
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// Occurrences that are made of a rule.
const OCCURRENCES: usize = 60;

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
    /// Whether this one of a series was answered by itself.
    answered: bool,
}

impl MemoryCalendar {
    /// With this person's calendar. The events keep their ids; a series is given as its occurrences, which name it.
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
            answered: false,
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

    /// What attendees of moved events, and organisers of answered ones, were told in words, in order.
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
        let id = EventId(format!("made-{key}"));
        let event = Event {
            id: id.clone(),
            title: new.title.clone(),
            time: timed(new.span),
            description: new.description.clone(),
            location: String::new(),
            organizer: Some(self.mailbox.clone()),
            own: true,
            attendees: new.attendees.iter().map(attendee).collect(),
            attendance: Attendance::Accepted,
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
                time: timed(span),
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
    fn find(&self, id: &EventId, cancelled: bool) -> Option<Event> {
        let events = self.events.iter();
        let of_id = events.filter(|kept| is(&kept.event, id) && kept.cancelled == cancelled);
        // A series is like those of it that nothing was said about.
        let kept = of_id.min_by_key(|kept| kept.answered)?;
        Some(Event {
            id: id.clone(),
            ..kept.event.clone()
        })
    }

    /// What isn't cancelled of an own event or series.
    fn own(&mut self, id: &EventId) -> Result<Vec<&mut Kept>, AccountError> {
        let kept = self.events.iter_mut();
        let kept = kept.filter(|kept| is(&kept.event, id) && !kept.cancelled);
        let kept: Vec<&mut Kept> = kept.collect();
        match kept.iter().find(|kept| !kept.event.own) {
            Some(other) => Err(AccountError::refused(text::not_your_event(
                &other.event.title,
            ))),
            None => Ok(kept),
        }
    }

    fn respond(
        &mut self,
        id: &EventId,
        response: &Response,
        key: &str,
    ) -> Result<Event, AccountError> {
        let gone = || AccountError::refused(text::event_gone());
        let event = self.find(id, false).ok_or_else(gone)?;
        let own = self.mailbox.address.clone();
        let mut invited = event.attendees.iter();
        let invited = invited.any(|one| one.mailbox.address == own);
        if event.own || !invited || response.attendance == Attendance::Unanswered {
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
        self.find(id, false).ok_or_else(gone)
    }

    fn made_under(&self, key: &str) -> Option<Event> {
        let mut events = self.events.iter();
        let made = events.find(|kept| kept.key.as_deref() == Some(key))?;
        Some(made.event.clone())
    }
}

/// Whether it is this occurrence, or one of this series.
fn is(event: &Event, id: &EventId) -> bool {
    event.id == *id || event.series.as_ref() == Some(id)
}

fn timed(span: Span) -> EventTime {
    EventTime::Timed {
        start: span.start,
        end: span.end,
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
        self.account(account, |person| person.find(id, false))
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
            let mut kept = person.own(id)?;
            let kept = match kept.as_mut_slice() {
                [kept] if kept.event.id == *id => kept,
                [] => return Err(AccountError::refused(text::event_gone())),
                [..] => return Err(AccountError::refused(text::series_not_moved())),
            };
            let moved = std::mem::replace(&mut kept.event.time, timed(span)) != timed(span);
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
        let there = self.event(account, id).await?;
        Ok(there.filter(|event| event.time == timed(span)))
    }

    async fn cancel(
        &self,
        account: &Account,
        id: &EventId,
        notify: bool,
        idempotency_key: &str,
    ) -> Result<bool, AccountError> {
        self.account(account, |person| {
            let mut kept = person.own(id)?;
            let Some(first) = kept.first() else {
                return Ok(false);
            };
            let notify = notify && !first.event.attendees.is_empty();
            kept.iter_mut().for_each(|kept| kept.cancelled = true);
            if notify && person.told_under.insert(idempotency_key.to_owned()) {
                person.told.push(id.clone());
            }
            Ok(true)
        })?
    }

    async fn find_cancelled(
        &self,
        account: &Account,
        id: &EventId,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        self.account(account, |person| {
            let there = person.find(id, false).is_some();
            person.find(id, true).filter(|_| !there)
        })
    }

    async fn respond(
        &self,
        account: &Account,
        id: &EventId,
        response: &Response,
        idempotency_key: &str,
    ) -> Result<Event, AccountError> {
        self.account(account, |person| {
            person.respond(id, response, idempotency_key)
        })?
    }

    async fn find_responded(
        &self,
        account: &Account,
        id: &EventId,
        attendance: Attendance,
        _: &str,
    ) -> Result<Option<Event>, AccountError> {
        let there = self.event(account, id).await?;
        Ok(there.filter(|event| event.attendance == attendance))
    }
}
