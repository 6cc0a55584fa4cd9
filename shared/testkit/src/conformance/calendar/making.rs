//! What is made in a calendar, once under a key.

use alfred_core::ports::{Attendance, Mailbox, NewEvent};

use super::{COLLEAGUE, CalendarUnderTest, events, refused, span, tells_guests, timed, unique};

pub(super) fn new_event(title: &str) -> NewEvent {
    NewEvent {
        title: title.into(),
        span: span("2026-11-27T09:00:00", "2026-11-27T09:45:00"),
        time_zone: "Europe/Lisbon".into(),
        description: "To talk about:\n- tables; chairs, benches\n- größer".into(),
        attendees: vec![Mailbox::new("Ben Okafor", COLLEAGUE)],
        repeat: None,
        video_call: false,
    }
}

/// Under a key, whatever comes again.
pub async fn an_event_is_made_once(fixture: &impl CalendarUnderTest) {
    let (calendar, account, key) = (fixture.calendar(), fixture.account(), unique());
    assert_eq!(calendar.find_created(&account, &key).await.unwrap(), None);
    let new = new_event("Tables, and chairs");
    let made = calendar.create(&account, &new, &key).await.unwrap();
    assert_eq!(made.title, new.title);
    assert_eq!(made.description, new.description);
    assert_eq!(made.time, timed(new.span.start, new.span.end));
    assert!(made.own && made.busy && made.series.is_none());
    let invited = made.attendees.iter().map(|a| (&a.mailbox, a.attendance));
    let invited: Vec<_> = invited.collect();
    assert_eq!(invited, [(&new.attendees[0], Attendance::Unanswered)]);
    let again = calendar.create(&account, &new_event("Other"), &key).await;
    assert_eq!(again.unwrap(), made);
    let found = calendar.find_created(&account, &key).await;
    assert_eq!(found.unwrap().as_ref(), Some(&made));
    let there = events(fixture, new.span).await;
    assert_eq!(there, std::slice::from_ref(&made));
    let other = calendar.create(&account, &new, &unique()).await.unwrap();
    assert_ne!(other.id, made.id);
    assert_eq!(events(fixture, new.span).await.len(), 2);
}

/// By several at a time.
pub async fn made_at_once_it_is_made_once(fixture: &impl CalendarUnderTest) {
    let (calendar, account, key) = (fixture.calendar(), fixture.account(), unique());
    let new = new_event("Once");
    let make = || calendar.create(&account, &new, &key);
    let (a, b, c, d) = tokio::join!(make(), make(), make(), make());
    let first = a.unwrap();
    for other in [b, c, d] {
        assert_eq!(other.unwrap(), first);
    }
    assert_eq!(events(fixture, new.span).await, [first]);
}

/// It is known to have been made.
pub async fn what_was_cancelled_isnt_made_again(fixture: &impl CalendarUnderTest) {
    let (calendar, account, key) = (fixture.calendar(), fixture.account(), unique());
    let new = new_event("Short-lived");
    let made = calendar.create(&account, &new, &key).await.unwrap();
    let notify = tells_guests(fixture).await;
    assert!(
        calendar
            .cancel(&account, &made.id, notify, &unique())
            .await
            .unwrap()
    );
    let found = calendar.find_created(&account, &key).await.unwrap();
    assert_eq!(found.map(|event| event.id), Some(made.id.clone()));
    let again = calendar.create(&account, &new, &key).await.unwrap();
    assert_eq!(again.id, made.id);
    assert_eq!(events(fixture, new.span).await, []);
    assert_eq!(calendar.event(&account, &made.id).await.unwrap(), None);
}

/// With a reason; nothing is made of it.
pub async fn what_cant_be_made_is_refused(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let good = new_event("Never");
    let backwards = NewEvent {
        span: span("2026-11-27T10:00:00", "2026-11-27T09:00:00"),
        ..good.clone()
    };
    let at_once = NewEvent {
        span: span("2026-11-27T10:00:00", "2026-11-27T10:00:00"),
        ..good.clone()
    };
    let nowhere = NewEvent {
        time_zone: "Mars/Olympus".into(),
        ..good.clone()
    };
    let nobody = NewEvent {
        attendees: vec![Mailbox::new("Ben", "ben")],
        ..good.clone()
    };
    for new in [backwards, at_once, nowhere, nobody] {
        let key = unique();
        refused(calendar.create(&account, &new, &key).await);
        assert_eq!(calendar.find_created(&account, &key).await.unwrap(), None);
    }
    let mut there = events(fixture, good.span).await;
    there.retain(|event| event.title == good.title);
    assert_eq!(there, []);
}
