mod look;
mod mails;
mod told;

use alfred_core::User;
use alfred_core::id::EventId;
use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Span};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Just under 15 minutes: about 100 calendar reads per person a day, so 5,000 people use half of
/// Google's quota of a million.
const LOOKS: SignedDuration = SignedDuration::from_secs(890);
const AWAY: SignedDuration = SignedDuration::from_secs(110);
/// Since the meeting's start, in case the clock is set back.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
const MOST: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meetings {
    /// Before the start, 5 to 120.
    pub minutes: u32,
    pub alone: bool,
}

#[derive(Debug, PartialEq)]
struct Seen<'e> {
    /// In order of their start.
    due: Vec<&'e Event>,
    next: Timestamp,
}

impl Meetings {
    fn window(&self, now: Timestamp) -> Span {
        let end = in_a(self.ahead() + LOOKS, now);
        Span { start: now, end }
    }

    /// `told` maps the meetings with a reminder to their start.
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

fn in_a(pause: SignedDuration, now: Timestamp) -> Timestamp {
    now.saturating_add(pause).unwrap_or(now)
}

fn start(event: &Event) -> Option<Timestamp> {
    match event.time {
        EventTime::Timed { start, .. } => Some(start),
        EventTime::AllDay { .. } => None,
    }
}

/// The other participants, the organizer first.
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

fn remembered(
    told: &BTreeMap<EventId, Timestamp>,
    due: &[&Event],
    now: Timestamp,
) -> BTreeMap<EventId, Timestamp> {
    let since = now.saturating_sub(REMEMBERED).unwrap_or(now);
    let known = told.iter().map(|(id, start)| (id.clone(), *start));
    let due = due.iter();
    let new = due.filter_map(|event| Some((event.id.clone(), start(event)?)));
    let all = known.chain(new);
    all.filter(|(_, start)| *start > since).collect()
}
