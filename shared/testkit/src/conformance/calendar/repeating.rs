//! Series: made by a rule, read and cancelled whole.

use alfred_core::ports::{Event, EventTime, NewEvent, Span};
use jiff::tz::TimeZone;

use super::making::new_event;
use super::{CalendarUnderTest, events, named, quiet, refused, span, unique, whole};

fn times(events: &[Event]) -> Vec<Span> {
    let span = |event: &Event| match event.time {
        EventTime::Timed { start, end } => Span { start, end },
        EventTime::AllDay { .. } => panic!("{event:?}"),
    };
    events.iter().map(span).collect()
}

/// Also over a change of the clocks; what one day can't hold is refused.
pub async fn what_repeats_is_made_as_its_occurrences(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
    // A Tuesday; on the 28th clocks go forward.
    let first = span("2028-02-29T09:00:00", "2028-02-29T09:45:00");
    let until = span("2028-02-01T00:00:00", "2028-09-01T00:00:00");
    for rule in [
        "FREQ=DAILY;INTERVAL=3;UNTIL=20280415",
        "FREQ=WEEKLY;COUNT=6",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,FR;UNTIL=20280402",
        "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=9",
        "FREQ=WEEKLY;INTERVAL=3",
        "FREQ=MONTHLY;UNTIL=20280831",
    ] {
        let new = NewEvent {
            span: first,
            repeat: Some(rule.parse().unwrap()),
            ..new_event(rule)
        };
        let key = unique();
        let made = calendar.create(&account, &new, &key).await.unwrap();
        let again = calendar.create(&account, &new, &key).await.unwrap();
        assert_eq!(made, again);
        let mut there = events(fixture, until).await;
        there.retain(|event| event.title == rule);
        assert_eq!(there[0], made, "{rule}");
        assert!(
            there.iter().all(|event| event.series == made.series),
            "{rule}"
        );
        let expected = new.repeat.as_ref().unwrap().spans(first, lisbon.clone());
        let expected = expected.take_while(|span| span.start < until.end);
        assert_eq!(times(&there), expected.collect::<Vec<_>>(), "{rule}");
    }
    let other_day = NewEvent {
        repeat: Some("FREQ=WEEKLY;BYDAY=MO".parse().unwrap()),
        span: first,
        ..new_event("Never")
    };
    refused(calendar.create(&account, &other_day, &unique()).await);
}

/// By the id its occurrences name: when it is first, and who is invited. It can't be moved.
pub async fn a_series_is_read_whole(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let first = named(fixture, "Team").await.remove(0);
    let id = first.series.clone().unwrap();
    let series = calendar.event(&account, &id).await.unwrap().unwrap();
    assert!(series.is_series());
    assert_eq!(
        Event {
            id: first.id.clone(),
            ..series
        },
        first
    );
    let to = span("2026-11-23T12:00:00", "2026-11-23T13:00:00");
    let moved = calendar
        .reschedule(&account, &id, to, None, &unique())
        .await;
    refused(moved);
    assert_eq!(named(fixture, "Team").await[0], first);
}

/// Also what of it was moved.
pub async fn a_series_is_cancelled_whole(fixture: &impl CalendarUnderTest) {
    let (calendar, account, key) = (fixture.calendar(), fixture.account(), unique());
    let team = named(fixture, "Team").await;
    let to = span("2026-11-30T13:00:00", "2026-11-30T14:00:00");
    let notice = quiet(fixture).await;
    let moved = calendar
        .reschedule(&account, &team[1].id, to, notice.as_ref(), &unique())
        .await;
    moved.unwrap();
    let id = team[0].series.clone().unwrap();
    let others = events(fixture, whole()).await.len() - team.len();
    assert!(calendar.cancel(&account, &id, true, &key).await.unwrap());
    assert!(!calendar.cancel(&account, &id, true, &key).await.unwrap());
    assert_eq!(events(fixture, whole()).await.len(), others);
    assert_eq!(calendar.event(&account, &id).await.unwrap(), None);
    let gone = calendar.find_cancelled(&account, &id, &key).await.unwrap();
    let gone = gone.unwrap();
    assert!(gone.is_series() && gone.title == "Team");
}

/// With when it would have been; not one that is there.
pub async fn a_cancelled_event_is_found(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let dentist = named(fixture, "Dentist").await.remove(0);
    let third = named(fixture, "Team").await.remove(2);
    for event in [dentist, third] {
        let key = unique();
        let look = || calendar.find_cancelled(&account, &event.id, &key);
        assert_eq!(look().await.unwrap(), None);
        assert!(
            calendar
                .cancel(&account, &event.id, true, &key)
                .await
                .unwrap()
        );
        assert_eq!(look().await.unwrap(), Some(event.clone()));
    }
}
