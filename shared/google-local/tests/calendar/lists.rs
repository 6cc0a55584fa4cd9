//! Lists, series, and when people are busy.

use alfred_google_local::{Account, scope};
use reqwest::Method;
use serde_json::json;

use super::{ANA, Ask, BEN, EVENTS, OUT, World, ask, event, items, reason};

#[tokio::test]
async fn a_series_is_its_dates_and_their_exceptions() {
    let world = World::new().await;
    // Noon in Lisbon: over the change of its clocks in March.
    let times = |day: &str| {
        let [start, end] = ["12:00:00", "13:00:00"]
            .map(|at| json!({"dateTime": format!("{day}T{at}"), "timeZone": "Europe/Lisbon"}));
        (start, end)
    };
    let (start, end) = times("2026-03-22");
    let rule = "RRULE:FREQ=WEEKLY;COUNT=4";
    let series = json!({"id": "series", "start": start, "end": end, "recurrence": [rule], "attendees": [{"email": BEN}]});
    world.insert(event(series)).await;
    let within = "timeMin=2026-03-01T00:00:00Z&timeMax=2026-05-01T00:00:00Z";
    let listed = format!("{EVENTS}?{within}&singleEvents=true&orderBy=startTime");
    let ids = [
        "series_20260322T120000Z",
        "series_20260329T110000Z",
        "series_20260405T110000Z",
        "series_20260412T110000Z",
    ];
    let (_, all) = world.get(ANA, &listed).await;
    assert_eq!(items(&all, "id"), ids);
    assert_eq!(
        all["items"][1]["start"]["dateTime"],
        "2026-03-29T12:00:00+01:00"
    );
    assert_eq!(all["items"][1]["recurringEventId"], "series");
    let (start, end) = times("2026-03-30");
    let (status, moved) = world
        .patch(ANA, ids[1], json!({"start": start, "end": end}))
        .await;
    assert_eq!(status, 200);
    assert_eq!(
        moved["originalStartTime"]["dateTime"],
        "2026-03-29T12:00:00+01:00"
    );
    assert_eq!(world.delete(ANA, ids[2]).await, 204);
    assert_eq!(world.delete(ANA, ids[2]).await, 410);
    for who in [ANA, BEN] {
        let (_, all) = world.get(who, &listed).await;
        assert_eq!(items(&all, "id"), [ids[0], ids[1], ids[3]], "{who}");
        assert_eq!(all["items"][1]["start"], moved["start"]);
    }
    let (_, gone) = world.get(ANA, &format!("{EVENTS}/{}", ids[2])).await;
    assert_eq!(gone["status"], "cancelled");
    assert_eq!(gone.get("summary"), None);
    let original = format!("{EVENTS}/series/instances?originalStart=2026-04-05T11:00:00Z");
    for (query, expected) in [("", vec![]), ("&showDeleted=true", vec![ids[2]])] {
        let (_, one) = world.get(ANA, &format!("{original}{query}")).await;
        assert_eq!(items(&one, "id"), expected);
    }
    let (_, raw) = world
        .get(ANA, &format!("{EVENTS}?{within}&iCalUID=series@google.com"))
        .await;
    assert_eq!(items(&raw, "id"), ["series", ids[1], ids[2]]);
    for id in [
        "series_20260323T120000Z",
        "series_20260322",
        "series_x",
        "none_20260322T120000Z",
    ] {
        assert_eq!(
            world.get(ANA, &format!("{EVENTS}/{id}")).await.0,
            404,
            "{id}"
        );
    }
    assert_eq!(world.delete(ANA, "series").await, 204);
    for who in [ANA, BEN] {
        let (_, none) = world.get(who, &listed).await;
        assert_eq!(items(&none, "id"), [""; 0], "{who}");
    }
}

#[tokio::test]
async fn lists_have_pages_and_changes_since() {
    let world = World::new().await;
    for id in ["aaaa1", "aaaa2", "aaaa3", "aaaa4", "aaaa5"] {
        world.insert(event(json!({"id": id}))).await;
    }
    let (_, first) = world.get(ANA, &format!("{EVENTS}?maxResults=2")).await;
    let token = first["nextPageToken"].as_str().unwrap();
    assert_eq!(first.get("nextSyncToken"), None);
    world.insert(event(json!({"id": "aaaa6"}))).await;
    let (_, second) = world
        .get(ANA, &format!("{EVENTS}?maxResults=9&pageToken={token}"))
        .await;
    assert_eq!(items(&second, "id"), ["aaaa3", "aaaa4", "aaaa5", "aaaa6"]);
    let sync = second["nextSyncToken"].as_str().unwrap();
    world.delete(ANA, "aaaa2").await;
    // What was made between two pages isn't lost.
    let (_, changed) = world.get(ANA, &format!("{EVENTS}?syncToken={sync}")).await;
    assert_eq!(items(&changed, "id"), ["aaaa2", "aaaa6"]);
    assert_eq!(items(&changed, "status"), ["cancelled", "confirmed"]);
    for query in [
        format!("pageToken={token}&singleEvents=true"),
        "pageToken=x".into(),
        "maxResults=0".into(),
        "syncToken=x".into(),
        format!("syncToken={sync}&timeMin=2026-11-01T00:00:00Z"),
        format!("syncToken={sync}&orderBy=updated"),
        format!("syncToken={sync}&q=lunch"),
        "orderBy=startTime".into(),
        "timeMin=2026-11-01".into(),
        "timeMin=2026-11-02T00:00:00Z&timeMax=2026-11-01T00:00:00Z".into(),
    ] {
        let (status, answer) = world.get(ANA, &format!("{EVENTS}?{query}")).await;
        assert_eq!(status, 400, "{query}: {answer}");
    }
    let expire = |account: &mut Account| account.calendar.expire_sync();
    world.running.google.with_account(ANA, expire).unwrap();
    let (status, expired) = world.get(ANA, &format!("{EVENTS}?syncToken={sync}")).await;
    assert_eq!((status, reason(&expired)), (410, "fullSyncRequired"));
}

#[tokio::test]
async fn busy_is_told_of_whom_one_may_see() {
    let world = World::new().await;
    world
        .insert(event(json!({"attendees": [{"email": BEN}]})))
        .await;
    world.insert(event(json!({"transparency": "transparent", "start": {"date": "2026-11-27"}, "end": {"date": "2026-11-28"}}))).await;
    let query = |items: Vec<&str>, max: &str| {
        let items: Vec<_> = items.into_iter().map(|id| json!({"id": id})).collect();
        Ask {
            body: json!({"timeMin": "2026-11-27T12:30:00Z", "timeMax": max, "items": items}),
            ..ask(ANA, Method::POST, "freeBusy")
        }
    };
    let end = "2026-11-28T00:00:00Z";
    let (_, answer) = world.call(query(vec!["primary", BEN, OUT], end)).await;
    let busy = json!([{"start": "2026-11-27T12:30:00Z", "end": "2026-11-27T13:00:00Z"}]);
    for id in ["primary", BEN] {
        assert_eq!(answer["calendars"][id], json!({"busy": busy}), "{id}");
    }
    assert_eq!(answer["calendars"][OUT]["errors"][0]["reason"], "notFound");
    let hide = |account: &mut Account| account.calendar.shared = false;
    world.running.google.with_account(BEN, hide).unwrap();
    let (_, answer) = world.call(query(vec![BEN], end)).await;
    assert_eq!(answer["calendars"][BEN]["errors"][0]["reason"], "notFound");
    assert_eq!(world.call(query(vec![BEN; 50], end)).await.0, 200);
    assert_eq!(world.call(query(vec![BEN; 51], end)).await.0, 400);
    assert_eq!(
        world.call(query(vec![BEN], "2027-04-01T00:00:00Z")).await.0,
        400
    );
    assert_eq!(
        world.call(query(vec![BEN], "2026-11-27T12:30:00Z")).await.0,
        400
    );
    let events = world
        .call_with(query(vec![BEN], end), &[scope::CALENDAR_EVENTS])
        .await;
    assert_eq!(
        (events.0, reason(&events.1)),
        (403, "insufficientPermissions")
    );
    let list = ask(ANA, Method::GET, EVENTS);
    assert_eq!(
        world.call_with(list, &[scope::CALENDAR_FREEBUSY]).await.0,
        403
    );
}
