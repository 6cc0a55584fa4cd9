//! Events that move.

use alfred_core::ports::{Event, Span};

use super::making::new_event;
use super::{CalendarUnderTest, named, quiet, refused, span, tells_guests, timed, unique, why};

/// To where it is, it doesn't.
pub async fn an_own_event_moves_and_keeps_its_id(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let dentist = named(fixture, "Dentist").await.remove(0);
    let to = span("2026-11-26T08:00:00", "2026-11-26T09:30:00");
    let expected = Event {
        time: timed(to.start, to.end),
        ..dentist.clone()
    };
    let key = unique();
    let look = || calendar.find_moved(&account, &dentist.id, to, &key);
    assert_eq!(look().await.unwrap(), None);
    for _ in 0..2 {
        let moved = calendar
            .reschedule(&account, &dentist.id, to, Some(&why()), &key)
            .await;
        assert_eq!(moved.unwrap(), expected);
        assert_eq!(look().await.unwrap().as_ref(), Some(&expected));
        let there = named(fixture, "Dentist").await;
        assert_eq!(there, std::slice::from_ref(&expected));
    }
    let backwards = Span {
        start: to.end,
        end: to.start,
    };
    let backward = calendar.reschedule(&account, &dentist.id, backwards, None, &key);
    refused(backward.await);
    assert_eq!(named(fixture, "Dentist").await, [expected]);
}

/// Back and forth, whatever was told under the key before; a look says where it is, not what was asked. Where that
/// would tell guests twice it isn't moved.
pub async fn an_event_moves_again_under_its_key(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let (new, key) = (new_event("Tables"), unique());
    let made = calendar.create(&account, &new, &key).await.unwrap();
    let to = span("2026-11-27T14:00:00", "2026-11-27T14:45:00");
    let (there, back) = (unique(), unique());
    let (mut told, always) = (Vec::new(), tells_guests(fixture).await);
    for (to, key) in [(to, &there), (new.span, &back), (to, &there)] {
        let look = calendar.find_moved(&account, &made.id, to, key).await;
        assert_eq!(look.unwrap(), None);
        let moved = calendar
            .reschedule(&account, &made.id, to, Some(&why()), key)
            .await;
        if always && moved.is_err() {
            assert!(told.contains(&key));
            refused(moved);
            continue;
        }
        let moved = moved.unwrap();
        told.push(key);
        assert_eq!(moved.time, timed(to.start, to.end));
        let look = calendar.find_moved(&account, &made.id, to, key).await;
        assert_eq!(look.unwrap(), Some(moved));
    }
}

/// Also when it moves twice; the others stay.
pub async fn one_of_a_series_moves_alone(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let mut team = named(fixture, "Team").await;
    let id = team[1].id.clone();
    for to in [
        span("2026-11-30T13:00:00", "2026-11-30T14:00:00"),
        span("2026-12-01T09:00:00", "2026-12-01T09:30:00"),
    ] {
        let notice = quiet(fixture).await;
        let moved = calendar
            .reschedule(&account, &id, to, notice.as_ref(), &unique())
            .await
            .unwrap();
        team[1].time = timed(to.start, to.end);
        assert_eq!(moved, team[1]);
        assert_eq!(named(fixture, "Team").await, team);
    }
}
