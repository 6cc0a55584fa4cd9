//! What guests are told of a change, and what a change leaves as it is.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Attendance, Calendar, Event, EventTime, Mailbox, NewEvent, Notice as Words, Response, Span,
};
use alfred_google_local::calendar::Told;
use alfred_testkit::conformance::calendar::{COLLEAGUE, owner, span};
use serde_json::{Value, json};

use super::{guest_of, world};
use crate::google::support::{ANA, World, account};

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
    async fn made(&self, attendees: Vec<Mailbox>) -> Event {
        let (of, new) = (account(), lunch(attendees));
        self.google.create(&of, &new, "made").await.unwrap()
    }

    async fn moved(&self, id: &EventId, to: Span, notice: Option<&Words>, key: &str) -> Event {
        let of = account();
        let moved = self.google.reschedule(&of, id, to, notice, key);
        moved.await.unwrap()
    }

    async fn answered(&self, id: &EventId, response: &Response, key: &str) -> Event {
        let of = account();
        let answered = self.google.respond(&of, id, response, key);
        answered.await.unwrap()
    }

    async fn cancelled(&self, id: &EventId, notify: bool) {
        let cancelled = self.google.cancel(&account(), id, notify, "cancel").await;
        assert!(cancelled.unwrap());
    }
}

#[tokio::test]
async fn guests_are_told_what_was_promised_and_nothing_else() {
    let world = world().await;
    let guests = vec![ben(), Mailbox::new("", "out@elsewhere.example")];
    let made = world.made(guests).await;
    let both = |told| [COLLEAGUE, "out@elsewhere.example"].map(|to| (to.to_owned(), told));
    let mut told = both(Told::Invited).to_vec();
    assert_eq!(world.notices(), told);
    let quiet = span("2026-12-14T15:00:00", "2026-12-14T16:00:00");
    let moved = world.moved(&made.id, quiet, None, "quiet").await;
    assert_eq!(moved.description, "At noon");
    assert_eq!(world.notices(), told);
    let moved = world.moved(&made.id, later(), Some(&sorry()), "loud").await;
    assert_eq!(moved.attendees, made.attendees);
    told.extend(both(Told::Changed));
    assert_eq!(world.notices(), told);
    let notice = world.ana(|account| account.calendar.notices.last().cloned());
    let notice = notice.unwrap();
    let words = "At noon\n\nNote of 21 November 2026: The room is taken";
    assert_eq!(notice.event["description"], words);
    assert_eq!(notice.event["start"]["dateTime"], "2026-12-14T14:00:00Z");
    // Under the same key nobody is told a second time, wherever it was meanwhile.
    world.moved(&made.id, quiet, None, "quiet again").await;
    let again = world.moved(&made.id, later(), Some(&sorry()), "loud").await;
    assert_eq!(again, moved);
    assert_eq!(world.notices(), told);
    world.cancelled(&made.id, true).await;
    told.extend(both(Told::Cancelled));
    assert_eq!(world.notices(), told);
    let gone = world.kept(COLLEAGUE, &made.id).unwrap();
    assert_eq!(gone["status"], "cancelled");
}

#[tokio::test]
async fn every_change_says_whom_it_tells() {
    let world = world().await;
    let alone = world.made(Vec::new()).await;
    let moved = world.moved(&alone.id, later(), Some(&sorry()), "k").await;
    assert_eq!(moved.description, "At noon");
    world.cancelled(&alone.id, true).await;
    world.answered(&"review".into(), &no(), "k").await;
    assert_eq!(world.notices(), [(COLLEAGUE.to_owned(), Told::Answered)]);
    let is_write = |method: &str| {
        let mut verbs = ["insert", "patch", "delete"].iter();
        verbs.any(|verb| method.ends_with(verb))
    };
    let calls = world.local().calls().into_iter();
    let writes = calls.filter(|call| is_write(&call.method));
    let said: Vec<Value> = writes.map(|call| call.arguments["query"].clone()).collect();
    let expected = ["none", "none", "none", "all"].map(|how| json!([["sendUpdates", how]]));
    assert_eq!(said, expected);
}

#[tokio::test]
async fn an_answer_changes_the_own_entry_alone() {
    let world = world().await;
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
    let said = world.answered(&id, &no(), "k").await;
    assert_eq!(said.attendees.len(), 500);
    for email in [ANA, COLLEAGUE] {
        let mut kept = world.kept(email, &id).unwrap();
        assert_eq!(kept["recurrence"], json!(["RRULE:FREQ=WEEKLY"]));
        let own = kept["attendees"][499].take();
        assert_eq!(own["responseStatus"], "declined");
        assert_eq!(own["comment"], "I'm away");
        assert_eq!(kept["attendees"].as_array().unwrap()[..499], many[..499]);
    }
    let sent = world.local().calls().into_iter();
    let mut patches = sent.filter(|call| call.method == "calendar.events.patch");
    let body = &patches.next().unwrap().arguments["body"];
    assert_eq!(body["attendees"].as_array().unwrap().len(), 1);
    assert_eq!(body["attendeesOmitted"], true);
    let yes = Response {
        attendance: Attendance::Accepted,
        note: String::new(),
    };
    world.answered(&id, &yes, "k2").await;
    let kept = world.kept(ANA, &id).unwrap();
    assert_eq!(kept["attendees"][499].get("comment"), None);
}

#[tokio::test]
async fn a_change_of_one_date_leaves_the_rule_and_the_guests() {
    let world = world().await;
    let before = world.kept(ANA, &"team".into()).unwrap();
    let first = world.named("Team").await;
    let moved = world.moved(&first.id, later(), Some(&sorry()), "k").await;
    assert_eq!(moved.attendees, first.attendees);
    assert_eq!(moved.series, first.series);
    assert_eq!(world.kept(ANA, &"team".into()).unwrap(), before);
    let changed = world.kept(ANA, &first.id).unwrap();
    assert_eq!(changed["start"]["timeZone"], "Europe/Lisbon");
    assert_eq!(changed["recurringEventId"], "team");
}

#[tokio::test]
async fn a_whole_day_moves_to_a_time() {
    let world = world().await;
    let mut fair = world.named("Fair").await;
    let Span { start, end } = later();
    fair.time = EventTime::Timed { start, end };
    assert_eq!(world.moved(&fair.id, later(), None, "k").await, fair);
    assert_eq!(world.named("Fair").await, fair);
}

#[tokio::test]
async fn a_series_that_was_made_and_cancelled_is_found() {
    let world = world().await;
    let new = NewEvent {
        repeat: Some("FREQ=WEEKLY;COUNT=3".parse().unwrap()),
        ..lunch(Vec::new())
    };
    let of = account();
    let create = || world.google.create(&of, &new, "k");
    let find = || world.google.find_created(&of, "k");
    let made = create().await.unwrap();
    assert!(!made.is_series());
    world.cancelled(&made.id, false).await;
    assert_eq!(find().await.unwrap().as_ref(), Some(&made));
    world.cancelled(&made.series.unwrap(), false).await;
    assert_eq!(find().await.unwrap().unwrap().title, "Lunch");
    let again = create().await.unwrap();
    assert_eq!(world.google.event(&of, &again.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_video_call_is_made_once_with_its_event() {
    let world = world().await;
    let new = NewEvent {
        video_call: true,
        ..lunch(Vec::new())
    };
    let of = account();
    let create = || world.google.create(&of, &new, "k");
    let made = create().await.unwrap();
    let link = "https://meet.google.com/";
    assert!(made.location.starts_with(link), "{made:?}");
    assert_eq!(create().await.unwrap(), made);
    assert_eq!(world.made(Vec::new()).await.location, "");
    assert!(world.google.video_calls(&of).await.unwrap());
}
