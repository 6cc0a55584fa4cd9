//! Events and free time, as Google tells of them.

use alfred_core::ports::{AccountError, Attendance, Availability, Calendar, EventTime, Span};
use alfred_core::text;
use alfred_google_local::{Account as GoogleAccount, Fault, Hold, Release};
use alfred_testkit::conformance::calendar::{COLLEAGUE, owner, span};
use serde_json::json;

use super::{guest_of, world};
use crate::google::support::{ANA, account};

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
    let world = world().await;
    world.put(ANA, daily(2_510));
    let long = span("2019-01-01T00:00:00", "2026-01-01T00:00:00");
    let page = world.google.events(&account(), long).await.unwrap();
    assert_eq!(page.events.len(), 2_510);
    assert_eq!(world.calls("calendar.events.list"), 2);
    let local = &world.local();
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
    let world = world().await;
    let start = json!({"dateTime": "2026-12-17T09:00:00Z"});
    let end = json!({"dateTime": "2026-12-17T10:00:00Z"});
    let organizer = json!({"email": ANA});
    world.put(ANA, json!({"id": "good", "summary": "Good", "start": start, "end": end, "organizer": organizer}));
    for odd in [
        json!({"id": "odd1", "summary": "No start", "end": end}),
        json!({"id": "odd2", "start": start}),
        json!({"id": "odd3", "summary": "Backwards", "start": end, "end": start}),
        json!({"id": "odd4", "summary": "Words", "start": {"dateTime": "2026-12-17T99:00:00Z"}}),
    ] {
        world.put(ANA, odd);
    }
    let page = world.google.events(&account(), thursday()).await.unwrap();
    let titles: Vec<_> = page.events.into_iter().map(|event| event.title).collect();
    assert_eq!(titles, ["Good"]);
    let unreadable = page.unreadable.into_iter();
    let mut unreadable: Vec<_> = unreadable.map(|one| (one.name, one.reason)).collect();
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
    let world = world().await;
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
    assert_eq!(page.events.len(), 6, "{page:?}");
    let named = |title: &str| {
        let mut events = page.events.iter();
        events.find(|event| event.title == title).unwrap()
    };
    let meet = named("meet");
    assert_eq!(meet.location, "https://meet.google.com/abc-defg-hij");
    let Span { start, end } = span("2026-12-17T08:00:00", "2026-12-17T09:00:00");
    assert_eq!(meet.time, EventTime::Timed { start, end });
    assert_eq!(named("room").location, "Room 2");
    let first: jiff::civil::Date = "2026-12-17".parse().unwrap();
    let last = first;
    assert_eq!(named("day").time, EventTime::AllDay { first, last });
    let declined = named("ownno");
    assert!(declined.own && !declined.busy && declined.attendance == Attendance::Declined);
    assert_eq!(named("hidden").attendees, []);
    let others = named("others");
    assert_eq!(others.organizer.as_ref().unwrap().name, "Eve");
    assert!(!others.own && others.attendance == Attendance::Unanswered);
}

#[tokio::test]
async fn whole_days_begin_where_the_calendar_is() {
    let world = world().await;
    world.ana(|account| account.calendar.time_zone = "Asia/Tokyo".into());
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
    let world = world().await;
    let first = world.named("Team").await;
    let second = json!({
        "id": "team_20261130T100000Z", "recurringEventId": "team", "iCalUID": "team@google.com",
        "originalStartTime": {"dateTime": "2026-11-30T10:00:00Z"}, "organizer": {"email": ANA},
        "start": {"dateTime": "2026-11-30T10:00:00Z"}, "end": {"dateTime": "2026-11-30T11:00:00Z"},
        "attendees": [{"email": "chiyo@example.com"}, {"email": COLLEAGUE}],
    });
    world.put(ANA, second);
    let series = first.series.unwrap();
    let series = world.google.event(&account(), &series).await;
    let series = series.unwrap().unwrap();
    let invited = series.attendees.iter();
    let invited: Vec<_> = invited.map(|one| one.mailbox.address.as_str()).collect();
    assert_eq!(invited, [COLLEAGUE, "chiyo@example.com"]);
}

#[tokio::test]
async fn many_addresses_and_long_spans_are_asked_for_in_parts() {
    let world = world().await;
    let long = span("2026-11-01T00:00:00", "2027-05-01T00:00:00");
    let mut asked: Vec<String> = (0..60).map(|n| format!("p{n}@example.com")).collect();
    asked.extend(["P1@Example.com".into(), COLLEAGUE.into()]);
    for n in [1, 2] {
        let known = GoogleAccount::new(&format!("p{n}@example.com"), "");
        world.local().put_account(known);
    }
    let hide = |account: &mut GoogleAccount| account.calendar.shared = false;
    world.local().with_account("p2@example.com", hide);
    let of = account();
    let ask = || world.google.availability(&of, &asked, long);
    let mut got = ask().await.unwrap();
    let busy = alfred_testkit::conformance::calendar::colleague();
    let busy = Availability::Busy(Span::merged(busy, &long));
    assert_eq!(got.pop(), Some(busy));
    let mut expected = vec![Availability::Hidden; 61];
    for free in [1, 60] {
        expected[free] = Availability::Busy(Vec::new());
    }
    assert_eq!(got, expected);
    assert_eq!(world.calls("calendar.freebusy.query"), 8);
    let query = "calendar.freebusy.query";
    world.local().fail_next(query, 9, Fault::DropBefore);
    assert!(ask().await.is_err());
}
