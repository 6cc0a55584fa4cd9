//! What every side of `Calendar` must do. Zones, summer time and rules beyond
//! "every week" are each reader's own to test.

mod given;
mod ics;
mod making;
mod moving;
mod repeating;
mod responding;

use alfred_core::id::EventId;
use alfred_core::ports::{Account, AccountService, Availability, Calendar, Event, Notice, Span};
use std::sync::Arc;

use super::{not_connected, refused, unique};
pub use given::{COLLEAGUE, Given, colleague, given, owner, span};
use given::{at, timed};
pub use ics::{colleague_ics, ics};
use making::new_event;
pub use making::{
    an_event_is_made_once, made_at_once_it_is_made_once, what_cant_be_made_is_refused,
    what_was_cancelled_isnt_made_again,
};
pub use moving::{
    an_event_moves_again_under_its_key, an_own_event_moves_and_keeps_its_id,
    one_of_a_series_moves_alone,
};
pub use repeating::{
    a_cancelled_event_is_found, a_series_is_cancelled_whole, a_series_is_read_whole,
    what_repeats_is_made_as_its_occurrences,
};
use responding::no;
pub use responding::{
    an_invitation_is_answered, one_of_a_series_is_answered_alone, what_isnt_asked_isnt_answered,
};

/// Makes a test of each function of this suite; the argument makes a [`CalendarUnderTest`].
#[macro_export]
macro_rules! calendar_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            calendar,
            $fixture,
            [
                events_of_a_span_come_in_order_and_cancelled_ones_dont,
                a_span_is_half_open,
                a_series_is_its_occurrences,
                one_occurrence_is_read_by_its_id,
                an_unknown_event_is_nothing,
                busy_is_what_takes_time,
                colleagues_are_busy_or_hidden,
                an_event_is_made_once,
                made_at_once_it_is_made_once,
                what_was_cancelled_isnt_made_again,
                what_cant_be_made_is_refused,
                an_own_event_moves_and_keeps_its_id,
                an_event_moves_again_under_its_key,
                one_of_a_series_moves_alone,
                one_of_a_series_is_cancelled_alone,
                cancelling_again_does_nothing,
                what_others_organise_stays,
                what_repeats_is_made_as_its_occurrences,
                a_series_is_read_whole,
                a_series_is_cancelled_whole,
                a_cancelled_event_is_found,
                an_invitation_is_answered,
                one_of_a_series_is_answered_alone,
                what_isnt_asked_isnt_answered,
                whoever_has_connected_nothing_is_told_so,
            ]
        );
    };
}

/// A calendar to put to the test, fresh for each.
pub trait CalendarUnderTest: Send + Sync {
    /// The port.
    fn calendar(&self) -> Arc<dyn Calendar>;
    /// Whose calendar holds [`given`] and nothing else. They live in Lisbon and see the calendar
    /// of [`COLLEAGUE`], which holds [`colleague`].
    fn account(&self) -> Account;
    /// Somebody who has connected nothing.
    fn stranger(&self) -> Account;
    /// Whether what is declined stays in the calendar.
    fn keeps_declined(&self) -> bool {
        true
    }
}

/// Whether guests hear of every change.
async fn tells_guests(fixture: &impl CalendarUnderTest) -> bool {
    let told = fixture.calendar().tells_guests(&fixture.account()).await;
    told.unwrap()
}

/// Nothing for guests to hear, where that can be.
async fn quiet(fixture: &impl CalendarUnderTest) -> Option<Notice> {
    tells_guests(fixture).await.then(Notice::default)
}

async fn events(fixture: &impl CalendarUnderTest, span: Span) -> Vec<Event> {
    let page = fixture.calendar().events(&fixture.account(), span).await;
    let page = page.unwrap();
    assert_eq!(page.unreadable, []);
    page.events
}

async fn titles(fixture: &impl CalendarUnderTest, span: Span) -> Vec<String> {
    let events = events(fixture, span).await.into_iter();
    events.map(|event| event.title).collect()
}

fn whole() -> Span {
    span("2026-11-01T00:00:00", "2027-01-31T00:00:00")
}

async fn named(fixture: &impl CalendarUnderTest, title: &str) -> Vec<Event> {
    let mut events = events(fixture, whole()).await;
    events.retain(|event| event.title == title);
    events
}

fn without_id(mut event: Event) -> Event {
    event.id = "".into();
    event.series = event.series.map(|_| "".into());
    event
}

/// Each with everything that was given of it.
pub async fn events_of_a_span_come_in_order_and_cancelled_ones_dont(
    fixture: &impl CalendarUnderTest,
) {
    let mut expected: Vec<Event> = given().iter().flat_map(Given::occurrences).collect();
    let lisbon = jiff::tz::TimeZone::get("Europe/Lisbon").unwrap();
    expected.sort_by_key(|event| event.time.span(&lisbon).start);
    let got = events(fixture, whole()).await;
    let mut ids: Vec<_> = got.iter().map(|event| event.id.clone()).collect();
    let got: Vec<_> = got.into_iter().map(without_id).collect();
    let expected: Vec<_> = expected.into_iter().map(without_id).collect();
    assert_eq!(got, expected);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), expected.len());
}

/// What ends when it begins, or begins when it ends, isn't within.
pub async fn a_span_is_half_open(fixture: &impl CalendarUnderTest) {
    for (start, end, expected) in [
        ("24T15:00:00", "24T15:30:00", "Review"),
        ("24T13:00:00", "24T14:00:00", ""),
        ("24T13:00:00", "24T14:00:01", "Dentist"),
        ("25T00:00:00", "25T02:00:00", "Night, Fair"),
        ("26T23:59:00", "27T00:00:00", "Fair"),
        ("27T00:00:00", "27T09:00:00", ""),
    ] {
        let [start, end] = [start, end].map(|time| format!("2026-11-{time}"));
        let there = titles(fixture, span(&start, &end)).await;
        assert_eq!(there.join(", "), expected, "{start}");
    }
}

/// Each has an id of its own.
pub async fn a_series_is_its_occurrences(fixture: &impl CalendarUnderTest) {
    let third = span("2026-12-07T00:00:00", "2026-12-08T00:00:00");
    let got = events(fixture, third).await;
    let [event] = got.as_slice() else {
        panic!("{got:?}")
    };
    assert!(event.series.is_some() && !event.is_series());
    let hour = timed(at("2026-12-07T10:00:00"), at("2026-12-07T11:00:00"));
    assert_eq!(event.time, hour);
    assert_eq!(named(fixture, "Team").await.len(), 4);
}

/// The very same as in the list.
pub async fn one_occurrence_is_read_by_its_id(fixture: &impl CalendarUnderTest) {
    for event in events(fixture, whole()).await {
        let read = fixture
            .calendar()
            .event(&fixture.account(), &event.id)
            .await;
        assert_eq!(read.unwrap(), Some(event));
    }
}

/// Nor can it be moved; it counts as cancelled.
pub async fn an_unknown_event_is_nothing(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let to = span("2026-11-24T09:00:00", "2026-11-24T10:00:00");
    for id in ["nowhere", "../calendar", ""] {
        let id = EventId::from(id);
        assert_eq!(calendar.event(&account, &id).await.unwrap(), None);
        let found = calendar.find_moved(&account, &id, to, "k").await;
        assert_eq!(found.unwrap(), None);
        assert!(
            !calendar
                .cancel(&account, &id, true, &unique())
                .await
                .unwrap()
        );
        let gone = calendar.find_cancelled(&account, &id, "k").await;
        assert_eq!(gone.unwrap(), None);
        let moved = calendar
            .reschedule(&account, &id, to, Some(&why()), &unique())
            .await;
        refused(moved);
        refused(calendar.respond(&account, &id, &no(), &unique()).await);
    }
}

/// Not what is marked as free, declined or cancelled; merged, and cut to the span.
pub async fn busy_is_what_takes_time(fixture: &impl CalendarUnderTest) {
    let day = span("2026-11-24T14:15:00", "2026-11-25T00:30:00");
    let own = [owner().address.to_uppercase()];
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let got = calendar.availability(&account, &own, day).await;
    let busy = vec![
        span("2026-11-24T14:15:00", "2026-11-24T16:00:00"),
        span("2026-11-24T23:00:00", "2026-11-25T00:30:00"),
    ];
    assert_eq!(got.unwrap(), [Availability::Busy(busy)]);
}

/// In the order they were asked for.
pub async fn colleagues_are_busy_or_hidden(fixture: &impl CalendarUnderTest) {
    let day = span("2026-11-24T09:30:00", "2026-11-24T18:00:00");
    let asked = ["nobody@example.com", COLLEAGUE, "../calendar"].map(String::from);
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let got = calendar.availability(&account, &asked, day).await;
    let busy = vec![
        span("2026-11-24T09:30:00", "2026-11-24T12:00:00"),
        span("2026-11-24T15:00:00", "2026-11-24T16:00:00"),
    ];
    let hidden = Availability::Hidden;
    assert_eq!(
        got.unwrap(),
        [hidden.clone(), Availability::Busy(busy), hidden]
    );
}

/// Words that a careless side would take for more than words.
fn why() -> Notice {
    Notice {
        note: "The room is taken;\r\nATTENDEE:mailto:eve@evil.example\nEND:VEVENT".into(),
    }
}

/// The others stay, also those that moved.
pub async fn one_of_a_series_is_cancelled_alone(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let mut team = named(fixture, "Team").await;
    let to = span("2026-11-30T13:00:00", "2026-11-30T14:00:00");
    calendar
        .reschedule(&account, &team[1].id, to, Some(&why()), &unique())
        .await
        .unwrap();
    for index in [2, 1] {
        let gone = team.remove(index);
        assert!(
            calendar
                .cancel(&account, &gone.id, true, &unique())
                .await
                .unwrap()
        );
        assert_eq!(calendar.event(&account, &gone.id).await.unwrap(), None);
        let left = named(fixture, "Team").await;
        let ids: Vec<_> = left.iter().map(|event| &event.id).collect();
        let expected: Vec<_> = team.iter().map(|event| &event.id).collect();
        assert_eq!(ids, expected);
    }
}

/// And it can't be moved any more.
pub async fn cancelling_again_does_nothing(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    for title in ["Dentist", "Team"] {
        let event = named(fixture, title).await.remove(0);
        assert!(
            calendar
                .cancel(&account, &event.id, true, &unique())
                .await
                .unwrap()
        );
        assert!(
            !calendar
                .cancel(&account, &event.id, true, &unique())
                .await
                .unwrap()
        );
        let to = span("2026-11-24T09:00:00", "2026-11-24T10:00:00");
        let moved = calendar
            .reschedule(&account, &event.id, to, None, &unique())
            .await;
        refused(moved);
    }
}

/// The owner can't move or cancel it.
pub async fn what_others_organise_stays(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let review = named(fixture, "Review").await.remove(0);
    let to = span("2026-11-24T09:00:00", "2026-11-24T10:00:00");
    let moved = calendar
        .reschedule(&account, &review.id, to, None, &unique())
        .await;
    refused(moved);
    let gone = calendar.cancel(&account, &review.id, true, &unique()).await;
    refused(gone);
    assert_eq!(named(fixture, "Review").await, [review]);
}

/// By every call; never with somebody else's events.
pub async fn whoever_has_connected_nothing_is_told_so(fixture: &impl CalendarUnderTest) {
    let (calendar, nobody) = (fixture.calendar(), fixture.stranger());
    let id = named(fixture, "Dentist").await.remove(0).id;
    let new = new_event("No");
    let moved = calendar.reschedule(&nobody, &id, new.span, None, "k");
    let told = [
        calendar.events(&nobody, whole()).await.err(),
        calendar.event(&nobody, &id).await.err(),
        calendar.availability(&nobody, &[], whole()).await.err(),
        calendar.create(&nobody, &new, "k").await.err(),
        calendar.find_created(&nobody, "k").await.err(),
        moved.await.err(),
        calendar.find_moved(&nobody, &id, new.span, "k").await.err(),
        calendar.cancel(&nobody, &id, true, "k").await.err(),
        calendar.find_cancelled(&nobody, &id, "k").await.err(),
        calendar.respond(&nobody, &id, &no(), "k").await.err(),
        calendar
            .find_responded(&nobody, &id, no().attendance, "k")
            .await
            .err(),
    ];
    for error in told {
        not_connected(error, AccountService::Calendar);
    }
}
