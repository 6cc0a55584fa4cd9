//! Events and free time, as Graph tells of them.

use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, EventTime, Mailbox, Span,
};
use alfred_loopback::{Hold, Release};
use alfred_testkit::conformance::calendar::{COLLEAGUE, colleague, owner, span};
use serde_json::{Value, json};

use super::{World, guest_of, person, timed};
use crate::microsoft::support::account;
use crate::outlook::Fault;

fn thursday() -> Span {
    span("2026-12-17T00:00:00", "2026-12-18T00:00:00")
}

fn at_nine(event: Value) -> Value {
    let Span { start, end } = span("2026-12-17T09:00:00", "2026-12-17T10:00:00");
    timed(event, &EventTime::Timed { start, end })
}

#[tokio::test]
async fn a_list_is_all_its_pages_or_none() {
    let world = World::new().await;
    let mut daily = timed(
        json!({"subject": "Stand-up"}),
        &EventTime::Timed {
            start: "2023-01-01T08:00:00Z".parse().unwrap(),
            end: "2023-01-01T08:15:00Z".parse().unwrap(),
        },
    );
    daily["recurrence"] = json!({
        "pattern": {"type": "daily", "interval": 1},
        "range": {
            "type": "numbered", "numberOfOccurrences": 999,
            "startDate": "2023-01-01", "recurrenceTimeZone": "Europe/Lisbon",
        },
    });
    world.put(&daily);
    let long = span("2023-01-01T00:00:00", "2026-11-01T00:00:00");
    let page = world.mail.events(&account(), long).await.unwrap();
    assert_eq!(page.events.len(), 999);
    assert_eq!(world.calls("calendarView.list"), 2);
    let graph = world.graph();
    let mut gate = graph.hold("calendarView.list", Hold::BeforeEffect);
    let second_fails = async {
        gate.arrived().await.release(Release::Complete);
        let second = gate.arrived().await;
        graph.fail_next("calendarView.list", 9, Fault::DropBefore);
        second.release(Release::Complete);
        drop(gate);
    };
    let whose = account();
    let (half, ()) = tokio::join!(world.mail.events(&whose, long), second_fails);
    assert!(
        matches!(half, Err(AccountError::NotReached { .. })),
        "{half:?}"
    );
}

#[tokio::test]
async fn events_are_told_in_the_ports_words() {
    let world = World::new().await;
    let put = |title: &str, fields: Value| {
        let mut event = at_nine(json!({"subject": title}));
        for (name, value) in fields.as_object().unwrap() {
            event[name] = value.clone();
        }
        world.put(&event);
    };
    let eve = Mailbox::new("", "eve@example.com");
    let invited = [person(&eve), guest_of(&owner(), Attendance::Unanswered)];
    put("off", json!({"isCancelled": true}));
    put("elsewhere", json!({"showAs": "workingElsewhere"}));
    put("away", json!({"showAs": "oof"}));
    put(
        "asked",
        json!({"attendees": invited, "organizer": person(&eve), "responseStatus": {"response": "notResponded"}}),
    );
    let said = json!({"attendees": invited, "organizer": person(&eve), "responseStatus": {"response": "accepted"}});
    put("said", said);
    let page = world.mail.events(&account(), thursday()).await.unwrap();
    assert_eq!((page.events.len(), page.unreadable), (4, vec![]));
    let named = |title: &str| {
        let mut events = page.events.iter();
        events.find(|event| event.title == title).unwrap()
    };
    assert!(!named("elsewhere").busy && named("away").busy);
    let asked = named("asked");
    assert!(asked.busy && !asked.own && asked.attendance == Attendance::Unanswered);
    assert_eq!(asked.organizer.as_ref(), Some(&eve));
    let only: Vec<_> = asked.attendees.iter().map(|one| &one.mailbox).collect();
    assert_eq!(only, [&owner()]);
    assert_eq!(named("said").attendees[0].attendance, Attendance::Accepted);
    assert_eq!(named("away").organizer, None);
    // Whose it is and where they are is asked only where that is needed.
    assert_eq!(world.calls("me.get"), 1);
    assert_eq!(world.calls("mailboxSettings.get"), 0);
}

#[tokio::test]
async fn whole_days_begin_where_the_calendars_owner_is() {
    let world = World::new().await;
    world.mailbox().calendar.zone = "Tokyo Standard Time".into();
    // The 25th and 26th of November, by Tokyo's clocks.
    for (time, expected) in [
        ("24T14:30:00", false),
        ("24T15:30:00", true),
        ("26T14:30:00", true),
        ("26T15:00:00", false),
    ] {
        let start = span(&format!("2026-11-{time}"), "2026-12-01T00:00:00").start;
        let end = start + jiff::SignedDuration::from_mins(10);
        let span = Span { start, end };
        let page = world.mail.events(&account(), span).await.unwrap();
        let fair = page.events.iter().any(|event| event.title == "Fair");
        assert_eq!(fair, expected, "{time}");
    }
}

#[tokio::test]
async fn long_spans_are_asked_for_in_parts() {
    let world = World::new().await;
    let long = span("2026-11-01T00:00:00", "2027-02-28T00:00:00");
    let asked = [COLLEAGUE.to_owned()];
    let got = world.mail.availability(&account(), &asked, long).await;
    let expected = Availability::Busy(Span::merged(colleague(), &long));
    assert_eq!(got.unwrap(), [expected]);
    assert_eq!(world.calls("calendar.getSchedule"), 3);
}
