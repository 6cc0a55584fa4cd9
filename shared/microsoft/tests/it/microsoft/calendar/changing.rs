//! What guests are told of a change, and what a change leaves as it is.

use alfred_core::ports::{
    AccountError, Attendance, Calendar, Event, EventTime, Mailbox, NewEvent, Notice as Words,
    Response, Span,
};
use alfred_core::text;
use alfred_testkit::conformance::calendar::{COLLEAGUE, span};
use alfred_testkit::conformance::unique;

use super::World;
use crate::microsoft::support::account;
use crate::outlook::{Fault, Told};

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

/// Where the first date of "Team" may go: it stays before the second.
pub fn later() -> Span {
    span("2026-11-23T14:00:00", "2026-11-23T15:00:00")
}

pub fn sorry() -> Words {
    Words {
        note: "The room is <taken>".into(),
    }
}

pub fn no() -> Response {
    Response {
        attendance: Attendance::Declined,
        note: "I'm away".into(),
    }
}

fn refused_for<T: std::fmt::Debug>(told: Result<T, AccountError>, words: &str) {
    match told {
        Err(AccountError::Refused { reason }) => assert_eq!(reason, words),
        other => panic!("{other:?}"),
    }
}

impl World {
    pub async fn made(&self, new: &NewEvent) -> Event {
        self.mail.create(&account(), new, &unique()).await.unwrap()
    }
}

#[tokio::test]
async fn guests_are_told_once_and_never_passed_over() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let made = world.made(&lunch(vec![ben()])).await;
    let ben = COLLEAGUE.to_owned();
    let mut told = vec![(ben.clone(), Told::Invited)];
    assert_eq!(world.told(), told);
    let there = later();
    // Graph would tell them.
    let quiet = calendar.reschedule(&of, &made.id, there, None, "q");
    refused_for(quiet.await, &text::outlook_tells_guests("Lunch"));
    let quiet = calendar.cancel(&of, &made.id, false, "q");
    refused_for(quiet.await, &text::outlook_tells_guests("Lunch"));
    assert_eq!(world.told(), told);
    let key = unique();
    let words = sorry();
    let moved = calendar
        .reschedule(&of, &made.id, there, Some(&words), &key)
        .await
        .unwrap();
    let said = "At noon\n\nNote of 21 November 2026: The room is <taken>";
    assert_eq!(moved.description, said);
    assert_eq!(moved.attendees, made.attendees);
    told.push((ben.clone(), Told::Changed));
    assert_eq!(world.told(), told);
    let EventTime::Timed { start, end } = made.time else {
        panic!("{made:?}")
    };
    let back = Span { start, end };
    calendar
        .reschedule(&of, &made.id, back, Some(&Words::default()), &unique())
        .await
        .unwrap();
    told.push((ben.clone(), Told::Changed));
    // It was moved under this key, and somebody wants it elsewhere since.
    let again = calendar.reschedule(&of, &made.id, there, Some(&words), &key);
    refused_for(
        again.await,
        "I did that with \u{201c}Lunch\u{201d} once, and it was changed again since. If it is to be done anew, please ask me again.",
    );
    assert_eq!(world.told(), told);
    assert!(calendar.cancel(&of, &made.id, true, "c").await.unwrap());
    told.push((ben, Told::Cancelled));
    assert_eq!(world.told(), told);
}

#[tokio::test]
async fn an_event_without_guests_changes_in_silence() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let words = sorry();
    let alone = world.made(&lunch(Vec::new())).await;
    let moved = calendar.reschedule(&of, &alone.id, later(), Some(&words), "k");
    assert_eq!(moved.await.unwrap().description, "At noon");
    assert!(calendar.cancel(&of, &alone.id, false, "k").await.unwrap());
    assert_eq!(world.told(), []);
    let counts = (world.calls("events.delete"), world.calls("events.cancel"));
    assert_eq!(counts, (1, 0));
}

#[tokio::test]
async fn a_series_with_guests_at_one_date_isnt_cancelled_in_silence() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let new = NewEvent {
        repeat: Some("FREQ=WEEKLY;COUNT=3".parse().unwrap()),
        ..lunch(vec![ben()])
    };
    let made = world.made(&new).await;
    let series = made.series.clone().unwrap();
    let quiet = calendar.cancel(&of, &series, false, "c");
    refused_for(quiet.await, &text::outlook_tells_guests("Lunch"));
    assert!(calendar.cancel(&of, &series, true, "c").await.unwrap());
    assert_eq!(calendar.event(&of, &series).await.unwrap(), None);
}

#[tokio::test]
async fn a_date_of_a_series_stays_between_its_neighbours() {
    let world = World::new().await;
    let (first, of, words) = (world.named("Team").await, account(), sorry());
    let crosses = Fault::Error(400, "ErrorOccurrenceCrossingBoundary", None);
    world.graph().fail_next("events.patch", 1, crosses);
    let moving = || {
        world
            .mail
            .reschedule(&of, &first.id, later(), Some(&words), "k")
    };
    refused_for(
        moving().await,
        "Outlook keeps every date of a series between the one before and the one after it. Please choose a day in between.",
    );
    let moved = moving().await.unwrap();
    let (guests, series) = (&first.attendees, &first.series);
    assert_eq!((&moved.attendees, &moved.series), (guests, series));
    let notice = world.notices().pop().unwrap();
    assert_eq!(notice.event["originalStartTimeZone"], "Europe/Lisbon");
}

#[tokio::test]
async fn a_whole_day_moves_to_a_time() {
    let world = World::new().await;
    let (fair, of) = (world.named("Fair").await, account());
    let Span { start, end } = later();
    let moved = world.mail.reschedule(&of, &fair.id, later(), None, "k");
    let time = EventTime::Timed { start, end };
    let expected = Event {
        time,
        ..fair.clone()
    };
    assert_eq!(moved.await.unwrap(), expected);
    assert_eq!(world.named("Fair").await, expected);
}

#[tokio::test]
async fn a_video_call_is_made_once_with_its_event_and_stays_when_it_moves() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let words = sorry();
    let new = NewEvent {
        video_call: true,
        ..lunch(vec![ben()])
    };
    let made = calendar.create(&of, &new, "k").await.unwrap();
    let join = "https://teams.microsoft.com/l/meetup-join/";
    assert!(made.location.starts_with(join), "{made:?}");
    assert_eq!(calendar.create(&of, &new, "k").await.unwrap(), made);
    let moved = calendar.reschedule(&of, &made.id, later(), Some(&words), "m");
    assert_eq!(moved.await.unwrap().location, made.location);
    let without = calendar.create(&of, &lunch(Vec::new()), "l").await;
    assert_eq!(without.unwrap().location, "");
    assert!(calendar.video_calls(&of).await.unwrap());
    world.mailbox().calendar.without_teams = true;
    assert!(!calendar.video_calls(&of).await.unwrap());
}

#[tokio::test]
async fn an_answer_tells_the_organiser_once_and_in_the_owners_words() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let review = world.named("Review").await;
    calendar.respond(&of, &review.id, &no(), "k").await.unwrap();
    // Outlook takes a declined event out of the calendar.
    let other = calendar.respond(&of, &review.id, &no(), "l").await;
    refused_for(other, text::EVENT_GONE);
    let notice = world.notices().remove(0);
    let told = (notice.to.as_str(), notice.told, notice.comment.as_str());
    assert_eq!(told, (COLLEAGUE, Told::Answered, "I'm away"));
    assert_eq!(world.notices().len(), 1);
}
