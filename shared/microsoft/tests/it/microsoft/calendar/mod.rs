//! Calendars, put to the suite of the port, and what is Outlook's own.

pub mod changing;
mod reading;

use alfred_core::ports::{Attendance, Calendar, Event, EventTime, Mailbox};
use alfred_microsoft::Microsoft;
use alfred_testkit::conformance::calendar::{COLLEAGUE, Given, colleague, given, owner, span};
use alfred_testkit::conformance::{self, AccountSide};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::ops::Deref;

use crate::microsoft::support::{Outlook, account};
use crate::outlook::{ANA, Notice, Told};

const ZONE: &str = "Europe/Lisbon";

/// Ana's calendar with what the suite gives, and Ben's.
pub struct World {
    outlook: Outlook,
}

impl Deref for World {
    type Target = Outlook;

    fn deref(&self) -> &Outlook {
        &self.outlook
    }
}

impl World {
    pub async fn new() -> Self {
        let world = Self {
            outlook: Outlook::new().await,
        };
        let mut mailbox = world.mailbox();
        let calendar = &mut mailbox.calendar;
        calendar.zone = "GMT Standard Time".into();
        calendar.others.insert(COLLEAGUE.into(), colleague());
        for given in given() {
            calendar.put(&seeded(&given));
        }
        drop(mailbox);
        world
    }

    /// One in which meetings stay that are declined.
    async fn keeping() -> Self {
        let world = Self::new().await;
        world.mailbox().calendar.keeps_declined = true;
        world
    }

    /// Its id.
    pub fn put(&self, event: &Value) -> String {
        self.mailbox().calendar.put(event)
    }

    /// What Ana's changes told others.
    pub fn notices(&self) -> Vec<Notice> {
        self.mailbox().calendar.notices.clone()
    }

    /// Who was told of what, in order.
    pub fn told(&self) -> Vec<(String, Told)> {
        let notices = self.notices().into_iter();
        notices.map(|notice| (notice.to, notice.told)).collect()
    }

    pub fn calls(&self, method: &str) -> u64 {
        self.graph().calls(method)
    }

    /// Ana's first event of this name.
    pub async fn named(&self, title: &str) -> Event {
        let whole = span("2026-11-01T00:00:00", "2027-01-31T00:00:00");
        let page = self.mail.events(&account(), whole).await.unwrap();
        let mut events = page.events.into_iter();
        events.find(|event| event.title == title).unwrap()
    }
}

/// An event with when it is, by Lisbon's clocks.
pub fn timed(mut event: Value, time: &EventTime) -> Value {
    let zone = TimeZone::get(ZONE).unwrap();
    let (start, end) = match *time {
        EventTime::Timed { start, end } => (zone.to_datetime(start), zone.to_datetime(end)),
        EventTime::AllDay { first, last } => {
            event["isAllDay"] = json!(true);
            let midnight = |day: jiff::civil::Date| day.to_datetime(Default::default());
            (midnight(first), midnight(last.tomorrow().unwrap()))
        }
    };
    for (name, at) in [("start", start), ("end", end)] {
        event[name] = json!({"dateTime": at.to_string(), "timeZone": ZONE});
    }
    event
}

fn seeded(given: &Given) -> Value {
    let event = &given.event;
    let free = !event.busy && event.attendance != Attendance::Declined;
    let guests = event.attendees.iter();
    let guests = guests.map(|guest| guest_of(&guest.mailbox, guest.attendance));
    let mut seeded = json!({
        "subject": event.title,
        "body": {"contentType": "text", "content": event.description},
        "location": {"displayName": event.location},
        "attendees": guests.collect::<Vec<_>>(),
        "showAs": if free { "free" } else { "busy" },
        "isCancelled": given.cancelled,
    });
    let organizer = event.organizer.clone().unwrap_or_else(owner);
    seeded["organizer"] = person(&organizer);
    if !event.own {
        seeded["responseStatus"] = json!({"response": said(event.attendance)});
    }
    seeded = timed(seeded, &event.time);
    if given.weeks > 1 {
        let first = event.time.span(&TimeZone::get(ZONE).unwrap()).start;
        let first = first.to_zoned(TimeZone::get(ZONE).unwrap()).date();
        let day = format!("{:?}", first.weekday()).to_lowercase();
        seeded["recurrence"] = json!({
            "pattern": {"type": "weekly", "interval": 1, "daysOfWeek": [day], "firstDayOfWeek": "sunday"},
            "range": {
                "type": "numbered", "numberOfOccurrences": given.weeks,
                "startDate": first.to_string(), "recurrenceTimeZone": ZONE,
            },
        });
    }
    seeded
}

pub fn person(mailbox: &Mailbox) -> Value {
    json!({"emailAddress": {"name": mailbox.name, "address": mailbox.address}})
}

/// As an organiser's calendar has them; those of guests know nothing of their own answers among the others'.
pub fn guest_of(mailbox: &Mailbox, attendance: Attendance) -> Value {
    let mut guest = person(mailbox);
    let own = mailbox.address == ANA;
    guest["status"] = json!({"response": if own { "none" } else { said(attendance) }});
    guest
}

fn said(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Unanswered => "notResponded",
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "tentativelyAccepted",
        Attendance::Declined => "declined",
    }
}

fn side(world: World) -> AccountSide<Microsoft> {
    AccountSide::new(world.mail.clone(), account(), world)
}

#[tokio::test(flavor = "multi_thread")]
async fn calendars_pass_the_suite() {
    conformance::calendar_losing_declined(async || side(World::new().await)).await;
    conformance::calendar(async || side(World::keeping().await)).await;
}
