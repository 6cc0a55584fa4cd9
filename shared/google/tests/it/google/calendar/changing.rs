//! What guests are told of a change, and what a change leaves as it is.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Attendance, Calendar, Event, Mailbox, NewEvent, Notice as Words, Response, Span,
};
use alfred_google_local::calendar::Told;
use alfred_testkit::conformance::calendar::{COLLEAGUE, owner, span};
use alfred_testkit::conformance::unique;
use serde_json::{Value, json};

use super::{ANA, World, guest_of};
use crate::google::support::account;

pub fn lunch(attendees: Vec<Mailbox>) -> NewEvent {
    NewEvent {
        title: "Lunch".into(),
        span: span("2026-12-14T12:00:00", "2026-12-14T13:00:00"),
        time_zone: "Europe/Lisbon".into(),
        description: "At noon".into(),
        attendees,
        repeat: None,
        video_call: false,
    }
}

pub fn ben() -> Mailbox {
    Mailbox::new("Ben Okafor", COLLEAGUE)
}

pub fn later() -> Span {
    span("2026-12-14T14:00:00", "2026-12-14T15:00:00")
}

pub fn sorry() -> Words {
    Words {
        note: "The room is taken".into(),
    }
}

pub fn no() -> Response {
    Response {
        attendance: Attendance::Declined,
        note: "I'm away".into(),
    }
}

impl World {
    pub async fn made(&self, attendees: Vec<Mailbox>) -> Event {
        let new = lunch(attendees);
        self.google
            .create(&account(), &new, &unique())
            .await
            .unwrap()
    }

    /// Who was told of what, in order.
    pub fn told(&self) -> Vec<(String, Told)> {
        let notices = self.notices().into_iter();
        notices.map(|notice| (notice.to, notice.told)).collect()
    }
}

#[tokio::test]
async fn guests_are_told_what_was_promised_and_nothing_else() {
    let world = World::new().await;
    let calendar = &world.google;
    let guests = vec![ben(), Mailbox::new("", "out@elsewhere.example")];
    let made = world.made(guests.clone()).await;
    let (to_ben, to_out) = (COLLEAGUE.to_owned(), guests[1].address.clone());
    let mut told = vec![
        (to_ben.clone(), Told::Invited),
        (to_out.clone(), Told::Invited),
    ];
    assert_eq!(world.told(), told);
    let (there, key) = (later(), unique());
    let quiet = span("2026-12-14T15:00:00", "2026-12-14T16:00:00");
    let moved = calendar
        .reschedule(&account(), &made.id, quiet, None, &unique())
        .await
        .unwrap();
    assert_eq!(moved.description, "At noon");
    assert_eq!(world.told(), told);
    let moved = calendar
        .reschedule(&account(), &made.id, there, Some(&sorry()), &key)
        .await
        .unwrap();
    assert_eq!(moved.attendees, made.attendees);
    told.extend([
        (to_ben.clone(), Told::Changed),
        (to_out.clone(), Told::Changed),
    ]);
    assert_eq!(world.told(), told);
    let notice = world.notices().pop().unwrap();
    let words = "At noon\n\nNote of 21 November 2026: The room is taken";
    assert_eq!(notice.event["description"], words);
    assert_eq!(notice.event["start"]["dateTime"], "2026-12-14T14:00:00Z");
    // Under the same key nobody is told a second time, wherever it was meanwhile.
    calendar
        .reschedule(&account(), &made.id, quiet, None, &unique())
        .await
        .unwrap();
    let again = calendar
        .reschedule(&account(), &made.id, there, Some(&sorry()), &key)
        .await
        .unwrap();
    assert_eq!(again, moved);
    assert_eq!(world.told(), told);
    assert!(
        calendar
            .cancel(&account(), &made.id, true, &unique())
            .await
            .unwrap()
    );
    told.extend([(to_ben, Told::Cancelled), (to_out, Told::Cancelled)]);
    assert_eq!(world.told(), told);
    let gone = world.kept(COLLEAGUE, &made.id).unwrap();
    assert_eq!(gone["status"], "cancelled");
}

#[tokio::test]
async fn every_change_says_whom_it_tells() {
    let world = World::new().await;
    let calendar = &world.google;
    let alone = world.made(Vec::new()).await;
    let moved = calendar
        .reschedule(&account(), &alone.id, later(), Some(&sorry()), "k")
        .await;
    assert_eq!(moved.unwrap().description, "At noon");
    assert!(
        calendar
            .cancel(&account(), &alone.id, true, "k")
            .await
            .unwrap()
    );
    let review = world.named("Review").await;
    calendar
        .respond(&account(), &review.id, &no(), "k")
        .await
        .unwrap();
    assert_eq!(world.told(), [(COLLEAGUE.to_owned(), Told::Answered)]);
    let calls = world.running.google.calls();
    let writes = calls.iter().filter(|call| {
        ["insert", "patch", "delete"]
            .iter()
            .any(|verb| call.method.ends_with(verb))
    });
    let said: Vec<Value> = writes.map(|call| call.arguments["query"].clone()).collect();
    let expected = ["none", "none", "none", "all"].map(|how| json!([["sendUpdates", how]]));
    assert_eq!(said, expected);
}

#[tokio::test]
async fn an_answer_changes_the_own_entry_alone() {
    let world = World::new().await;
    let many: Vec<Value> = (1..500)
        .map(|n| json!({"email": format!("p{n}@example.com"), "responseStatus": "accepted"}))
        .chain([guest_of(&owner(), Attendance::Unanswered)])
        .collect();
    let event = json!({
        "id": "all", "summary": "All hands", "organizer": {"email": COLLEAGUE},
        "start": {"dateTime": "2026-12-14T09:00:00Z", "timeZone": "Europe/Lisbon"},
        "end": {"dateTime": "2026-12-14T10:00:00Z", "timeZone": "Europe/Lisbon"},
        "recurrence": ["RRULE:FREQ=WEEKLY"],
        "attendees": many,
    });
    world.put(ANA, event.clone());
    world.put(COLLEAGUE, event);
    let id = EventId::from("all");
    let said = world
        .google
        .respond(&account(), &id, &no(), "k")
        .await
        .unwrap();
    assert_eq!(said.attendees.len(), 500);
    for email in [ANA, COLLEAGUE] {
        let mut kept = world.kept(email, &id).unwrap();
        assert_eq!(kept["recurrence"], json!(["RRULE:FREQ=WEEKLY"]));
        let own = kept["attendees"][499].take();
        assert_eq!(own["responseStatus"], "declined");
        assert_eq!(own["comment"], "I'm away");
        assert_eq!(kept["attendees"].as_array().unwrap()[..499], many[..499]);
    }
    let sent = world.running.google.calls();
    let sent = sent
        .iter()
        .find(|call| call.method == "calendar.events.patch")
        .unwrap();
    let body = &sent.arguments["body"];
    assert_eq!(body["attendees"].as_array().unwrap().len(), 1);
    assert_eq!(body["attendeesOmitted"], true);
    let yes = Response {
        attendance: Attendance::Accepted,
        note: String::new(),
    };
    world
        .google
        .respond(&account(), &id, &yes, "k2")
        .await
        .unwrap();
    let kept = world.kept(ANA, &id).unwrap();
    assert_eq!(kept["attendees"][499].get("comment"), None);
}

#[tokio::test]
async fn a_change_of_one_date_leaves_the_rule_and_the_guests() {
    let world = World::new().await;
    let before = world.kept(ANA, &"team".into()).unwrap();
    let first = world.named("Team").await;
    let to = later();
    let moved = world
        .google
        .reschedule(&account(), &first.id, to, Some(&sorry()), "k")
        .await
        .unwrap();
    assert_eq!(
        (&moved.attendees, &moved.series),
        (&first.attendees, &first.series)
    );
    assert_eq!(world.kept(ANA, &"team".into()).unwrap(), before);
    let changed = world.kept(ANA, &first.id).unwrap();
    assert_eq!(changed["start"]["timeZone"], "Europe/Lisbon");
    assert_eq!(changed["recurringEventId"], "team");
}

#[tokio::test]
async fn a_whole_day_moves_to_a_time() {
    let world = World::new().await;
    let fair = world.named("Fair").await;
    let moved = world
        .google
        .reschedule(&account(), &fair.id, later(), None, "k")
        .await
        .unwrap();
    let Span { start, end } = later();
    let time = alfred_core::ports::EventTime::Timed { start, end };
    assert_eq!(
        moved,
        Event {
            time,
            ..fair.clone()
        }
    );
    assert_eq!(world.named("Fair").await, moved);
}

#[tokio::test]
async fn a_series_that_was_made_and_cancelled_is_found() {
    let world = World::new().await;
    let new = NewEvent {
        repeat: Some("FREQ=WEEKLY;COUNT=3".parse().unwrap()),
        ..lunch(Vec::new())
    };
    let made = world.google.create(&account(), &new, "k").await.unwrap();
    let series = made.series.clone().unwrap();
    assert!(!made.is_series());
    assert!(
        world
            .google
            .cancel(&account(), &made.id, false, "c")
            .await
            .unwrap()
    );
    let found = world.google.find_created(&account(), "k").await.unwrap();
    assert_eq!(found, Some(made.clone()));
    assert!(
        world
            .google
            .cancel(&account(), &series, false, "c")
            .await
            .unwrap()
    );
    let found = world.google.find_created(&account(), "k").await.unwrap();
    assert_eq!(found.unwrap().title, "Lunch");
    let again = world.google.create(&account(), &new, "k").await.unwrap();
    assert_eq!(
        world.google.event(&account(), &again.id).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn a_video_call_is_made_once_with_its_event() {
    let world = World::new().await;
    let new = NewEvent {
        video_call: true,
        ..lunch(Vec::new())
    };
    let made = world.google.create(&account(), &new, "k").await.unwrap();
    assert!(
        made.location.starts_with("https://meet.google.com/"),
        "{made:?}"
    );
    let again = world.google.create(&account(), &new, "k").await.unwrap();
    assert_eq!(again, made);
    let without = world
        .google
        .create(&account(), &lunch(Vec::new()), "l")
        .await;
    assert_eq!(without.unwrap().location, "");
    assert!(world.google.video_calls(&account()).await.unwrap());
}
