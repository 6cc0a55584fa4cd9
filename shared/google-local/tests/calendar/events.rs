//! What an event may be, and its versions.

use alfred_google_local::Options;
use alfred_google_local::calendar::Told;
use reqwest::Method;
use serde_json::{Value, json};

use super::{ANA, Ask, BEN, EVENTS, World, ask, event, reason};

#[tokio::test]
async fn an_id_is_base32hex_and_used_once() {
    let world = World::new().await;
    let longest = "v".repeat(1_024);
    let longer = "v".repeat(1_025);
    for (id, expected) in [
        ("abcd", 400),
        ("abcdw", 400),
        ("ABCDE", 400),
        ("abc_e", 400),
        (longer.as_str(), 400),
        (longest.as_str(), 200),
        ("0v9af", 200),
        ("0v9af", 409),
    ] {
        let (status, answer) = world.insert(event(json!({"id": id}))).await;
        assert_eq!(status, expected, "{id}: {answer}");
    }
    assert_eq!(world.delete(ANA, "0v9af").await, 204);
    assert_eq!(world.delete(ANA, "0v9af").await, 410);
    let (status, again) = world.insert(event(json!({"id": "0v9af"}))).await;
    assert_eq!((status, reason(&again)), (409, "duplicate"));
    let (status, gone) = world.get(ANA, &format!("{EVENTS}/0v9af")).await;
    assert_eq!((status, gone["status"].as_str()), (200, Some("cancelled")));
    assert_eq!(gone["summary"], "Lunch");
    assert_eq!(
        world.patch(ANA, "0v9af", json!({"summary": "x"})).await.0,
        410
    );
    assert_eq!(world.get(ANA, &format!("{EVENTS}/nowhere")).await.0, 404);
    let others = format!("calendars/{BEN}/events");
    assert_eq!(world.get(ANA, &others).await.0, 404);
}

#[tokio::test]
async fn an_event_has_a_time_a_rule_and_guests_that_are_some() {
    let world = World::new().await;
    let many = |count: usize| {
        let all = (0..count).map(|n| json!({"email": format!("p{n}@x.example")}));
        json!({"attendees": all.collect::<Vec<_>>()})
    };
    let rule = |rule: &str| json!({"recurrence": [rule]});
    let start = |start: Value| json!({"start": start});
    for (fields, expected) in [
        (start(json!(null)), 400),
        (start(json!({"date": "2026-11-27"})), 400),
        (start(json!({"dateTime": "soon"})), 400),
        (start(json!({"dateTime": "2026-11-27T12:00:00"})), 400),
        (
            start(json!({"dateTime": "2026-11-27T12:00:00Z", "timeZone": "Mars"})),
            400,
        ),
        (
            start(json!({"dateTime": "2026-11-27T12:00:00Z", "date": "2026-11-27"})),
            400,
        ),
        (start(json!({"dateTime": "2026-11-27T14:00:00Z"})), 400),
        (
            start(json!({"dateTime": "2026-11-27T12:30:00", "timeZone": "Europe/Lisbon"})),
            200,
        ),
        (
            json!({"start": {"date": "2026-11-27"}, "end": {"date": "2026-11-28"}}),
            200,
        ),
        (
            json!({"start": {"dateTime": "2026-11-27T12:00:00Z"}, "recurrence": ["RRULE:FREQ=DAILY"]}),
            400,
        ),
        (rule("FREQ=DAILY"), 400),
        (rule("RRULE:FREQ=SECONDLY"), 400),
        (rule("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"), 400),
        (rule("RRULE:FREQ=DAILY;UNTIL=20261201"), 400),
        (rule("RRULE:FREQ=DAILY;UNTIL=20261201T235959Z"), 200),
        (rule("RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=3"), 200),
        (json!({"attendees": [{"email": "ben"}]}), 400),
        (
            json!({"attendees": [{"email": BEN, "responseStatus": "perhaps"}]}),
            400,
        ),
        (many(500), 200),
        (many(501), 400),
    ] {
        let (status, answer) = world.insert(event(fields.clone())).await;
        assert_eq!(status, expected, "{fields}: {answer}");
    }
}

#[tokio::test]
async fn a_version_that_is_no_more_changes_nothing() {
    let world = World::new().await;
    let (_, made) = world.insert(event(json!({"id": "lunch"}))).await;
    let etag = made["etag"].as_str().map(str::to_owned);
    let change = |verb: Method| Ask {
        etag: etag.clone(),
        body: json!({"summary": "Late lunch"}),
        ..ask(ANA, verb, format!("{EVENTS}/lunch"))
    };
    let (status, changed) = world.call(change(Method::PATCH)).await;
    assert_eq!((status, &changed["summary"]), (200, &json!("Late lunch")));
    assert_ne!(changed["etag"], made["etag"]);
    for verb in [Method::PATCH, Method::DELETE] {
        let (status, answer) = world.call(change(verb)).await;
        assert_eq!((status, reason(&answer)), (412, "conditionNotMet"));
    }
    assert_eq!(world.get(ANA, &format!("{EVENTS}/lunch")).await.1, changed);
}

#[tokio::test]
async fn a_conference_is_made_once_for_its_request() {
    let world = World::new().await;
    let wish = json!({"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}});
    let mut links = Vec::new();
    for version in ["", "?conferenceDataVersion=1", "?conferenceDataVersion=1"] {
        let (_, made) = world
            .call(Ask {
                body: event(json!({"conferenceData": wish})),
                ..ask(ANA, Method::POST, format!("{EVENTS}{version}"))
            })
            .await;
        links.push(made["hangoutLink"].as_str().map(str::to_owned));
    }
    assert_eq!(links[0], None);
    assert!(links[1].is_some());
    assert_eq!(links[1], links[2]);
}

#[tokio::test]
async fn calendars_are_kept_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options {
        file: Some(folder.path().join("google.json")),
        ..Options::default()
    };
    let world = World::with(options()).await;
    let (_, made) = world
        .insert(event(json!({"id": "lunch", "attendees": [{"email": BEN}]})))
        .await;
    drop(world);
    let world = World::with(options()).await;
    let (status, kept) = world.get(ANA, &format!("{EVENTS}/lunch")).await;
    assert_eq!((status, kept), (200, made));
    assert_eq!(world.told(ANA), [(BEN.to_owned(), Told::Invited)]);
}
