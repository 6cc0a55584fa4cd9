//! Calendars, put to the suite of the port, and what is Google's own.

mod calls;

use alfred_core::id::EventId;
use alfred_core::ports::{Attendance, Event, EventTime, Mailbox};
use alfred_google_local::Account as GoogleAccount;
use alfred_testkit::conformance::calendar::{COLLEAGUE, Given, colleague, given, owner};
use alfred_testkit::conformance::{self, AccountSide};
use serde_json::{Value, json};

use crate::google::once::once;
use crate::google::support::{ANA, World, account};

const ZONE: &str = "Europe/Lisbon";

/// Puts into Ana's calendar what the suite gives, and Ben's.
fn prepare(world: &World) {
    let ben = GoogleAccount::new(COLLEAGUE, "Ben Okafor");
    world.local().put_account(ben);
    for email in [ANA, COLLEAGUE] {
        world.of(email, |account| account.calendar.time_zone = ZONE.into());
    }
    for given in given() {
        world.put(ANA, seeded(&given));
    }
    for (number, span) in colleague().into_iter().enumerate() {
        let [start, end] = [span.start, span.end].map(|at| json!({"dateTime": at.to_string()}));
        let organizer = json!({"email": COLLEAGUE});
        world.put(
            COLLEAGUE,
            json!({"id": format!("ben{number}"), "organizer": organizer, "start": start, "end": end}),
        );
    }
}

impl World {
    fn of<T>(&self, email: &str, work: impl FnOnce(&mut GoogleAccount) -> T) -> T {
        self.local().with_account(email, work).unwrap()
    }

    fn put(&self, email: &str, event: Value) {
        self.of(email, |account| account.calendar.put(event).unwrap());
    }

    /// What somebody's calendar keeps under an id.
    fn kept(&self, email: &str, id: &EventId) -> Option<Value> {
        let kept = self.of(email, |account| account.calendar.kept());
        kept.into_iter().find(|event| event["id"] == id.as_str())
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

fn guest_of(mailbox: &Mailbox, said: Attendance) -> Value {
    let said = match said {
        Attendance::Unanswered => "needsAction",
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "tentative",
        Attendance::Declined => "declined",
    };
    json!({"email": mailbox.address, "displayName": mailbox.name, "responseStatus": said})
}

#[tokio::test(flavor = "multi_thread")]
async fn calendars_pass_the_suite() {
    let given = async || {
        let world = World::new().await;
        prepare(&world);
        AccountSide::new(world.google.clone(), account(), world)
    };
    conformance::calendar(given).await;
}

#[tokio::test]
async fn each_change_is_made_once() {
    once("calendar", calls::calendar).await;
}
