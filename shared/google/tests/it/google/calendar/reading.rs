//! Events and free time, as Google tells of them.

use alfred_core::ports::{AccountError, Attendance, Availability, Calendar, EventTime, Span};
use alfred_core::text;
use alfred_google_local::{Fault, Hold, Release};
use alfred_testkit::conformance::calendar::{COLLEAGUE, owner, span};
use serde_json::json;

use super::{ANA, World, guest_of};
use crate::google::support::account;

fn thursday() -> Span {
    span("2026-12-17T00:00:00", "2026-12-18T00:00:00")
}

fn daily(count: usize) -> serde_json::Value {
    json!({
        "id": "standup", "summary": "Stand-up", "organizer": {"email": ANA},
        "start": {"dateTime": "2019-01-01T08:00:00Z", "timeZone": "Europe/Lisbon"},
        "end": {"dateTime": "2019-01-01T08:15:00Z", "timeZone": "Europe/Lisbon"},
        "recurrence": [format!("RRULE:FREQ=DAILY;COUNT={count}")],
    })
}

#[tokio::test]
async fn a_list_is_all_its_pages_or_none() {
    let world = World::new().await;
    world.put(ANA, daily(2_510));
    let long = span("2019-01-01T00:00:00", "2026-01-01T00:00:00");
    let page = world.google.events(&account(), long).await.unwrap();
    assert_eq!(page.events.len(), 2_510);
    assert_eq!(world.calls("calendar.events.list"), 2);
    let local = &world.running.google;
    let mut gate = local.hold("calendar.events.list", Hold::BeforeEffect);
    let second_fails = async {
        gate.arrived().await.release(Release::Complete);
        let second = gate.arrived().await;
        local.fail_next("calendar.events.list", 9, Fault::DropBefore);
        second.release(Release::Complete);
        drop(gate);
    };
    let accounts = account();
    let (half, ()) = tokio::join!(world.google.events(&accounts, long), second_fails);
    assert!(
        matches!(half, Err(AccountError::NotReached { .. })),
        "{half:?}"
    );
}

#[tokio::test]
async fn what_cant_be_read_is_named_beside_the_rest() {
    let world = World::new().await;
    let start = json!({"dateTime": "2026-12-17T09:00:00Z"});
    let end = json!({"dateTime": "2026-12-17T10:00:00Z"});
    let organizer = json!({"email": ANA});
    world.put(ANA, json!({"id": "good", "summary": "Good", "start": start, "end": end, "organizer": organizer}));
    world.put(
        ANA,
        json!({"id": "odd1", "summary": "No start", "end": end}),
    );
    world.put(ANA, json!({"id": "odd2", "start": start}));
    world.put(
        ANA,
        json!({"id": "odd3", "summary": "Backwards", "start": end, "end": start}),
    );
    world.put(
        ANA,
        json!({"id": "odd4", "summary": "Words", "start": {"dateTime": "2026-12-17T99:00:00Z"}}),
    );
    let page = world.google.events(&account(), thursday()).await.unwrap();
    let titles: Vec<_> = page
        .events
        .iter()
        .map(|event| event.title.as_str())
        .collect();
    assert_eq!(titles, ["Good"]);
    let mut unreadable: Vec<_> = page
        .unreadable
        .into_iter()
        .map(|u| (u.name, u.reason))
        .collect();
    unreadable.sort();
    let expected = [
        ("Backwards", text::event_without("end")),
        ("No start", text::event_without("start")),
        ("Words", text::EVENT_NOT_READ.to_owned()),
        ("odd2", text::event_without("end")),
    ];
    assert_eq!(
        unreadable,
        expected.map(|(name, reason)| (name.to_owned(), reason))
    );
}

#[tokio::test]
async fn events_are_told_in_the_ports_words() {
    let world = World::new().await;
    let [start, end] = ["2026-12-17T09:00:00+01:00", "2026-12-17T10:00:00+01:00"]
        .map(|time| json!({"dateTime": time, "timeZone": "Europe/Berlin"}));
    let [first, after] = ["2026-12-17", "2026-12-18"].map(|day| json!({"date": day}));
    let put = |id: &str, fields: serde_json::Value| {
        let mut event = json!({"id": id, "summary": id, "start": start, "end": end, "organizer": {"email": ANA}});
        for (name, value) in fields.as_object().unwrap() {
            event[name] = value.clone();
        }
        world.put(ANA, event);
    };
    let own_no = guest_of(&owner(), Attendance::Declined);
    put(
        "meet",
        json!({"hangoutLink": "https://meet.google.com/abc-defg-hij"}),
    );
    put(
        "room",
        json!({"hangoutLink": "https://meet.google.com/x", "location": "Room 2"}),
    );
    put("day", json!({"start": first, "end": after}));
    put("ownno", json!({"attendees": [own_no]}));
    put(
        "hidden",
        json!({"attendees": [{"email": "", "displayName": "Somebody"}]}),
    );
    put(
        "others",
        json!({"organizer": {"email": "eve@example.com", "displayName": "Eve"}}),
    );
    put("home", json!({"eventType": "workingLocation"}));
    let page = world.google.events(&account(), thursday()).await.unwrap();
    let named = |title: &str| {
        page.events
            .iter()
            .find(|event| event.title == title)
            .unwrap()
    };
    assert_eq!(page.events.len(), 6, "{page:?}");
    assert_eq!(
        named("meet").location,
        "https://meet.google.com/abc-defg-hij"
    );
    assert_eq!(named("room").location, "Room 2");
    let day = "2026-12-17".parse().unwrap();
    assert_eq!(
        named("day").time,
        EventTime::AllDay {
            first: day,
            last: day
        }
    );
    let eight = span("2026-12-17T08:00:00", "2026-12-17T09:00:00");
    let Span { start, end } = eight;
    assert_eq!(named("meet").time, EventTime::Timed { start, end });
    let declined = named("ownno");
    assert!(declined.own && !declined.busy && declined.attendance == Attendance::Declined);
    assert_eq!(named("hidden").attendees, []);
    let others = named("others");
    assert_eq!(others.organizer.as_ref().unwrap().name, "Eve");
    assert!(!others.own && others.attendance == Attendance::Unanswered);
}

#[tokio::test]
async fn whole_days_begin_where_the_calendar_is() {
    let world = World::new().await;
    let local = &world.running.google;
    let tokyo = |account: &mut alfred_google_local::Account| {
        account.calendar.time_zone = "Asia/Tokyo".into();
    };
    local.with_account(ANA, tokyo).unwrap();
    // The 25th and 26th of November, by Tokyo's clocks.
    for (time, expected) in [
        ("24T14:30:00", false),
        ("24T15:30:00", true),
        ("26T14:30:00", true),
        ("26T15:00:00", false),
    ] {
        let from = format!("2026-11-{time}");
        let from = span(&from, &from).start;
        let end = from + jiff::SignedDuration::from_mins(10);
        let page = world
            .google
            .events(&account(), Span { start: from, end })
            .await
            .unwrap();
        let fair = page.events.iter().any(|event| event.title == "Fair");
        assert_eq!(fair, expected, "{time}");
    }
}

#[tokio::test]
async fn a_series_names_the_guests_of_its_changed_dates() {
    let world = World::new().await;
    let first = world.named("Team").await;
    let second = json!({
        "id": "team_20261130T100000Z", "recurringEventId": "team", "iCalUID": "team@google.com",
        "originalStartTime": {"dateTime": "2026-11-30T10:00:00Z"}, "organizer": {"email": ANA},
        "start": {"dateTime": "2026-11-30T10:00:00Z"}, "end": {"dateTime": "2026-11-30T11:00:00Z"},
        "attendees": [{"email": "chiyo@example.com"}, {"email": COLLEAGUE}],
    });
    world.put(ANA, second);
    let series = first.series.unwrap();
    let series = world
        .google
        .event(&account(), &series)
        .await
        .unwrap()
        .unwrap();
    let invited: Vec<_> = series
        .attendees
        .iter()
        .map(|one| one.mailbox.address.as_str())
        .collect();
    assert_eq!(invited, [COLLEAGUE, "chiyo@example.com"]);
}

#[tokio::test]
async fn a_calendar_that_cant_be_seen_is_neither_busy_nor_free() {
    let world = World::new().await;
    let local = &world.running.google;
    for number in 0..60 {
        let email = format!("p{number}@example.com");
        local.put_account(alfred_google_local::Account::new(&email, ""));
    }
    local.with_account("p7@example.com", |account| account.calendar.shared = false);
    let mut asked: Vec<String> = (0..61).map(|n| format!("P{n}@example.com")).collect();
    asked.push(asked[0].clone());
    let got = world
        .google
        .availability(&account(), &asked, thursday())
        .await
        .unwrap();
    for (at, one) in got.iter().enumerate() {
        let expected = match at {
            7 | 60 => Availability::Hidden,
            _ => Availability::Busy(Vec::new()),
        };
        assert_eq!(*one, expected, "{at}");
    }
    assert_eq!(world.calls("calendar.freebusy.query"), 2);
    local.fail_next("calendar.freebusy.query", 9, Fault::DropBefore);
    let failed = world
        .google
        .availability(&account(), &asked, thursday())
        .await;
    assert!(failed.is_err(), "{failed:?}");
}

#[tokio::test]
async fn long_spans_are_asked_for_in_parts() {
    let world = World::new().await;
    let long = span("2026-11-01T00:00:00", "2027-05-01T00:00:00");
    let asked = [COLLEAGUE.to_owned()];
    let got = world
        .google
        .availability(&account(), &asked, long)
        .await
        .unwrap();
    let expected = alfred_testkit::conformance::calendar::colleague();
    assert_eq!(got, [Availability::Busy(Span::merged(expected, &long))]);
    assert_eq!(world.calls("calendar.freebusy.query"), 4);
}
