//! Telling a person of their meetings before they begin: which, and when the calendar is looked at.

mod look;
mod mails;
mod told;

use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Span};
use alfred_core::{User, id::EventId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Between two looks at a calendar: a little less than a quarter of an hour, so what is put into it later than that before
/// it begins may not be told. That is about 100 reads a day for each person who asked for this; 5,000 people stay
/// below half of what Google gives a deployment (a million a day).
const LOOKS: SignedDuration = SignedDuration::from_secs(890);
/// Before a calendar that wasn't reached is read again.
const AWAY: SignedDuration = SignedDuration::from_secs(110);
/// How long it is remembered that somebody was told of a meeting, once it began: clocks are set back.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// Meetings that one message tells of.
const MOST: usize = 5;

/// Of which meetings a person is told, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meetings {
    /// So many minutes before each, 5 to 120.
    pub minutes: u32,
    /// Also of those without other people.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// What a look at a calendar found.
#[derive(Debug, PartialEq)]
struct Seen<'e> {
    /// What their owner is to be told of now, in order of their start.
    due: Vec<&'e Event>,
    /// When to look next.
    next: Timestamp,
}

impl Meetings {
    /// What of the calendar is looked at.
    fn window(&self, now: Timestamp) -> Span {
        let end = in_a(self.ahead() + LOOKS, now);
        Span { start: now, end }
    }

    /// What is due of these events, apart from what was told already.
    fn seen<'e>(
        &self,
        events: &'e [Event],
        user: &User,
        told: &BTreeMap<EventId, Timestamp>,
        now: Timestamp,
    ) -> Seen<'e> {
        let mut seen = Seen {
            due: Vec::new(),
            next: in_a(LOOKS, now),
        };
        for event in events {
            let Some(start) = start(event).filter(|start| *start > now) else {
                continue;
            };
            let has_others = self.alone || !others(event, user).is_empty();
            let is_told = told.get(&event.id) == Some(&start);
            if !has_others || event.attendance == Attendance::Declined || is_told {
                continue;
            }
            match start.saturating_sub(self.ahead()) {
                Ok(at) if at > now => seen.next = seen.next.min(at),
                _ => seen.due.push(event),
            }
        }
        seen
    }

    fn ahead(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.minutes))
    }
}

/// So long from now.
fn in_a(pause: SignedDuration, now: Timestamp) -> Timestamp {
    now.saturating_add(pause).unwrap_or(now)
}

/// When a meeting begins; one of whole days doesn't.
fn start(event: &Event) -> Option<Timestamp> {
    match event.time {
        EventTime::Timed { start, .. } => Some(start),
        EventTime::AllDay { .. } => None,
    }
}

/// Who else is there, who invited first.
fn others(event: &Event, user: &User) -> Vec<Attendee> {
    let organizer = event.organizer.as_ref();
    let own = organizer.filter(|_| event.own);
    let is_own = |address: &str| {
        address.eq_ignore_ascii_case(&user.email) || own.is_some_and(|own| own.address == address)
    };
    let inviting = organizer.map(|mailbox| Attendee {
        mailbox: mailbox.clone(),
        attendance: Attendance::Accepted,
    });
    let mut others: Vec<Attendee> = Vec::new();
    for one in inviting.into_iter().chain(event.attendees.iter().cloned()) {
        let address = &one.mailbox.address;
        if !is_own(address) && !others.iter().any(|known| known.mailbox.address == *address) {
            others.push(one);
        }
    }
    others
}

/// What was told, with what is told now and without what is long over.
fn remembered(
    told: &BTreeMap<EventId, Timestamp>,
    due: &[&Event],
    now: Timestamp,
) -> BTreeMap<EventId, Timestamp> {
    let since = now.saturating_sub(REMEMBERED).unwrap_or(now);
    let known = told.iter().map(|(id, start)| (id.clone(), *start));
    let new = due
        .iter()
        .filter_map(|event| Some((event.id.clone(), start(event)?)));
    known
        .chain(new)
        .filter(|(_, start)| *start > since)
        .collect()
}
