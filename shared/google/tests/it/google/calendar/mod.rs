//! Calendars, put to the suite of the port, and what is Google's own.

mod changing;
mod failing;
mod reading;

use alfred_core::id::EventId;
use alfred_core::ports::{Account, Attendance, Calendar, Event, EventTime, Mailbox};
use alfred_google::Google;
use alfred_google_local::calendar::Notice;
use alfred_google_local::{Account as GoogleAccount, Options, Running};
use alfred_testkit::conformance::calendar::{
    COLLEAGUE, CalendarUnderTest, Given, colleague, given, owner,
};
use alfred_testkit::{ManualClock, MemoryStore};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::google::support::{self, account, connected};

pub const ANA: &str = "ana@example.com";
const ZONE: &str = "Europe/Lisbon";

/// Ana's calendar with what the suite gives, and Ben's.
pub struct World {
    pub running: Running,
    pub google: Arc<Google>,
    pub clock: ManualClock,
}

impl World {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let (running, google) = connected(options, store, Arc::new(clock.clone())).await;
        let local = &running.google;
        local.put_account(GoogleAccount::new(COLLEAGUE, "Ben Okafor"));
        for email in [ANA, COLLEAGUE] {
            let zone = |account: &mut GoogleAccount| account.calendar.time_zone = ZONE.into();
            local.with_account(email, zone).unwrap();
        }
        let world = Self {
            running,
            google: Arc::new(google),
            clock,
        };
        for given in given() {
            world.put(ANA, seeded(&given));
        }
        for (number, span) in colleague().into_iter().enumerate() {
            let [start, end] = [span.start, span.end].map(|at| at.to_string());
            let organizer = json!({"email": COLLEAGUE});
            world.put(
                COLLEAGUE,
                json!({
                    "id": format!("ben{number}"), "organizer": organizer,
                    "start": {"dateTime": start}, "end": {"dateTime": end},
                }),
            );
        }
        world
    }

    pub fn put(&self, email: &str, event: Value) {
        let put = |account: &mut GoogleAccount| account.calendar.put(event).unwrap();
        self.running.google.with_account(email, put).unwrap();
    }

    /// What Ana's changes told others.
    pub fn notices(&self) -> Vec<Notice> {
        let notices = |account: &mut GoogleAccount| account.calendar.notices.clone();
        self.running.google.with_account(ANA, notices).unwrap()
    }

    /// What somebody's calendar keeps under an id.
    pub fn kept(&self, email: &str, id: &EventId) -> Option<Value> {
        let kept = |account: &mut GoogleAccount| account.calendar.kept();
        let kept = self.running.google.with_account(email, kept).unwrap();
        kept.into_iter().find(|event| event["id"] == id.as_str())
    }

    pub fn calls(&self, method: &str) -> u64 {
        let counts = self.running.google.call_counts();
        counts.get(method).copied().unwrap_or_default()
    }

    /// Ana's one event of this name.
    pub async fn named(&self, title: &str) -> Event {
        let span = alfred_testkit::conformance::calendar::span(
            "2026-11-01T00:00:00",
            "2027-01-31T00:00:00",
        );
        let page = self.google.events(&account(), span).await.unwrap();
        let mut events = page.events.into_iter();
        events.find(|event| event.title == title).unwrap()
    }
}

fn seeded(given: &Given) -> Value {
    let Event {
        title,
        time,
        organizer,
        attendance,
        ..
    } = &given.event;
    let [start, end] = match *time {
        EventTime::Timed { start, end } => {
            [start, end].map(|at| json!({"dateTime": at.to_string(), "timeZone": ZONE}))
        }
        EventTime::AllDay { first, last } => {
            [first, last.tomorrow().unwrap()].map(|day| json!({"date": day.to_string()}))
        }
    };
    let organizer = organizer.clone().unwrap_or_else(owner);
    let free = !given.event.busy && *attendance != Attendance::Declined;
    let guests = given.event.attendees.iter();
    let guests = guests.map(|guest| guest_of(&guest.mailbox, guest.attendance));
    let mut event = json!({
        "id": title.to_lowercase(),
        "summary": title,
        "description": given.event.description,
        "location": given.event.location,
        "start": start,
        "end": end,
        "organizer": {"email": organizer.address, "displayName": organizer.name},
        "attendees": guests.collect::<Vec<_>>(),
        "transparency": if free { "transparent" } else { "opaque" },
        "status": if given.cancelled { "cancelled" } else { "confirmed" },
    });
    if given.weeks > 1 {
        event["recurrence"] = json!([format!("RRULE:FREQ=WEEKLY;COUNT={}", given.weeks)]);
    }
    event
}

pub fn guest_of(mailbox: &Mailbox, said: Attendance) -> Value {
    let said = match said {
        Attendance::Unanswered => "needsAction",
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "tentative",
        Attendance::Declined => "declined",
    };
    json!({"email": mailbox.address, "displayName": mailbox.name, "responseStatus": said})
}

impl CalendarUnderTest for World {
    fn calendar(&self) -> Arc<dyn Calendar> {
        self.google.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        support::stranger()
    }
}

mod suite {
    use super::World;
    alfred_testkit::calendar_conformance!(World::new().await);
}
