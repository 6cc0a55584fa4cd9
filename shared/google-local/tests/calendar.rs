//! The local Google's calendars over HTTP: what they take, what they refuse, and who hears of it.

use alfred_google_local::calendar::{Notice, Told};
use alfred_google_local::{Account, GoogleLocal, Options, Running, scope};
use alfred_testkit::ManualClock;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const ANA: &str = "ana@example.com";
const BEN: &str = "ben@example.com";
const OUT: &str = "out@elsewhere.example";

struct World {
    running: Running,
    http: reqwest::Client,
}

/// A call as somebody.
struct Ask<'a> {
    who: &'a str,
    verb: Method,
    path: String,
    body: Value,
    etag: Option<String>,
}

fn ask(who: &str, verb: Method, path: impl Into<String>) -> Ask<'_> {
    Ask {
        who,
        verb,
        path: path.into(),
        body: Value::Null,
        etag: None,
    }
}

impl World {
    async fn new() -> Self {
        Self::with(Options::default()).await
    }

    async fn with(options: Options) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let google = GoogleLocal::open(options, Arc::new(ManualClock::default())).unwrap();
        for (email, name) in [(ANA, "Ana"), (BEN, "Ben")] {
            if !google.has_account(email) {
                let mut account = Account::new(email, name);
                account.calendar.time_zone = "Europe/Lisbon".into();
                google.put_account(account);
            }
        }
        Self {
            running: google.listen().await.unwrap(),
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
        }
    }

    async fn call(&self, ask: Ask<'_>) -> (u16, Value) {
        self.call_with(ask, &scope::ALL).await
    }

    async fn call_with(&self, ask: Ask<'_>, scopes: &[&str]) -> (u16, Value) {
        let url = format!("{}/calendar/v3/{}", self.running.url, ask.path);
        let token = self.running.google.access_token(ask.who, scopes);
        let mut request = self.http.request(ask.verb, url).bearer_auth(token);
        if !ask.body.is_null() {
            request = request.json(&ask.body);
        }
        if let Some(etag) = ask.etag {
            request = request.header("If-Match", etag);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body = response.bytes().await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn get(&self, who: &str, path: &str) -> (u16, Value) {
        self.call(ask(who, Method::GET, path)).await
    }

    async fn insert(&self, body: Value) -> (u16, Value) {
        let mut ask = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates=all"));
        ask.body = body;
        self.call(ask).await
    }

    async fn patch(&self, who: &str, id: &str, body: Value) -> (u16, Value) {
        let path = format!("{EVENTS}/{id}?sendUpdates=all");
        self.call(Ask {
            body,
            ..ask(who, Method::PATCH, path)
        })
        .await
    }

    async fn delete(&self, who: &str, id: &str) -> u16 {
        let path = format!("{EVENTS}/{id}?sendUpdates=all");
        self.call(ask(who, Method::DELETE, path)).await.0
    }

    fn told(&self, who: &str) -> Vec<(String, Told)> {
        let notices = |account: &mut Account| account.calendar.notices.clone();
        let notices: Vec<Notice> = self.running.google.with_account(who, notices).unwrap();
        notices
            .into_iter()
            .map(|notice| (notice.to, notice.told))
            .collect()
    }
}

const EVENTS: &str = "calendars/primary/events";

fn reason(answer: &Value) -> &str {
    answer["error"]["errors"][0]["reason"]
        .as_str()
        .unwrap_or_default()
}

fn event(fields: Value) -> Value {
    let mut event = json!({
        "summary": "Lunch",
        "start": {"dateTime": "2026-11-27T12:00:00Z", "timeZone": "Europe/Lisbon"},
        "end": {"dateTime": "2026-11-27T13:00:00Z", "timeZone": "Europe/Lisbon"},
    });
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

fn items<'a>(answer: &'a Value, field: &str) -> Vec<&'a str> {
    let items = answer["items"].as_array().unwrap().iter();
    items
        .map(|item| item[field].as_str().unwrap_or_default())
        .collect()
}

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
async fn guests_have_copies_and_say_only_their_own() {
    let world = World::new().await;
    let guests = json!([{"email": BEN}, {"email": OUT}]);
    let (_, made) = world
        .insert(event(json!({"id": "lunch", "attendees": guests})))
        .await;
    assert_eq!(made["organizer"]["self"], true);
    let at = format!("{EVENTS}/lunch");
    let (_, copy) = world.get(BEN, &at).await;
    assert_eq!(copy["organizer"]["email"], ANA);
    assert_eq!(copy["attendees"][0]["self"], true);
    let moved = json!({"start": {"dateTime": "2026-11-27T11:00:00Z"}});
    let (status, refused) = world.patch(BEN, "lunch", moved).await;
    assert_eq!(
        (status, reason(&refused)),
        (403, "forbiddenForNonOrganizer")
    );
    let yes = json!({"email": BEN, "responseStatus": "accepted", "comment": "Hungry"});
    let (status, _) = world.patch(BEN, "lunch", json!({"attendees": [yes]})).await;
    assert_eq!(status, 403);
    let own = json!({"attendeesOmitted": true, "attendees": [yes], "transparency": "transparent"});
    let (status, said) = world.patch(BEN, "lunch", own).await;
    assert_eq!(
        (status, &said["transparency"]),
        (200, &json!("transparent"))
    );
    let (_, anas) = world.get(ANA, &at).await;
    let answers: Vec<_> = anas["attendees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["responseStatus"])
        .collect();
    assert_eq!(answers, ["accepted", "needsAction"]);
    assert_eq!(anas["attendees"][0]["comment"], "Hungry");
    assert_eq!(anas.get("transparency"), None);
    assert_eq!(world.told(BEN), [(ANA.to_owned(), Told::Answered)]);
    let (_, copy) = world
        .patch(ANA, "lunch", json!({"location": "Room 2"}))
        .await;
    assert_eq!(copy["location"], "Room 2");
    let (_, copy) = world.get(BEN, &at).await;
    assert_eq!(
        (&copy["location"], &copy["transparency"]),
        (&json!("Room 2"), &json!("transparent"))
    );
    assert_eq!(world.delete(BEN, "lunch").await, 204);
    let (_, anas) = world.get(ANA, &at).await;
    assert_eq!(anas["status"], "confirmed");
    assert_eq!(anas["attendees"][0]["responseStatus"], "declined");
}

#[tokio::test]
async fn send_updates_says_who_hears_of_it() {
    for (how, expected) in [
        ("all", vec![BEN, OUT]),
        ("externalOnly", vec![OUT]),
        ("none", vec![]),
    ] {
        let world = World::new().await;
        let guests = json!([{"email": BEN}, {"email": OUT}, {"email": ANA}]);
        let mut insert = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates={how}"));
        insert.body = event(json!({"id": "lunch", "attendees": guests}));
        assert_eq!(world.call(insert).await.0, 200);
        let path = format!("{EVENTS}/lunch?sendUpdates={how}");
        assert_eq!(world.call(ask(ANA, Method::DELETE, path)).await.0, 204);
        let told = [Told::Invited, Told::Cancelled].into_iter();
        let told = told.flat_map(|told| expected.iter().map(move |&to| (to.to_owned(), told)));
        assert_eq!(world.told(ANA), told.collect::<Vec<_>>(), "{how}");
    }
    let world = World::new().await;
    let mut insert = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates=some"));
    insert.body = event(json!({}));
    assert_eq!(world.call(insert).await.0, 400);
}

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
    assert_eq!(items(&raw, "id"), ["series", ids[1]]);
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
