//! Answers to invitations.

use alfred_core::ports::{Attendance, Event, Response};

use super::{CalendarUnderTest, named, refused, unique};

/// A no, with words that a careless side would take for more than words.
pub(super) fn no() -> Response {
    Response {
        attendance: Attendance::Declined,
        note: "I'm away;\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@evil.example\nEND:VEVENT".into(),
    }
}

fn yes() -> Response {
    Response {
        attendance: Attendance::Accepted,
        note: String::new(),
    }
}

fn answered(mut event: Event, response: &Response) -> Event {
    event.attendance = response.attendance;
    event.busy = response.attendance != Attendance::Declined;
    event.attendees[0].attendance = response.attendance;
    event
}

/// Once and again, and otherwise; it stays in the calendar, at least until it is declined.
pub async fn an_invitation_is_answered(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let review = named(fixture, "Review").await.remove(0);
    let answers = match fixture.keeps_declined() {
        true => [no(), yes()],
        false => [yes(), no()],
    };
    for response in answers {
        let (key, expected) = (unique(), answered(review.clone(), &response));
        let look = || calendar.find_responded(&account, &review.id, response.attendance, &key);
        assert_eq!(look().await.unwrap(), None);
        for _ in 0..2 {
            let made = calendar
                .respond(&account, &review.id, &response, &key)
                .await;
            assert_eq!(made.unwrap(), expected);
            assert_eq!(look().await.unwrap().as_ref(), Some(&expected));
        }
        let stays = fixture.keeps_declined() || response != no();
        let there = stays.then_some(expected).into_iter();
        assert_eq!(named(fixture, "Review").await, there.collect::<Vec<_>>());
    }
}

/// An answer to the series leaves it as it is.
pub async fn one_of_a_series_is_answered_alone(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    let mut sync = named(fixture, "Sync").await;
    assert_eq!(sync.len(), 3);
    let made = calendar
        .respond(&account, &sync[1].id, &no(), &unique())
        .await;
    sync[1] = answered(sync[1].clone(), &no());
    assert_eq!(made.unwrap(), sync[1]);
    if !fixture.keeps_declined() {
        sync.remove(1);
    }
    assert_eq!(named(fixture, "Sync").await, sync);
    let id = sync[0].series.clone().unwrap();
    let made = calendar.respond(&account, &id, &yes(), &unique()).await;
    assert!(made.unwrap().is_series());
    let there = named(fixture, "Sync").await;
    let said: Vec<_> = there.iter().map(|event| event.attendance).collect();
    let (yes, no) = (Attendance::Accepted, Attendance::Declined);
    let expected = match fixture.keeps_declined() {
        true => vec![yes, no, yes],
        false => vec![yes, yes],
    };
    assert_eq!(said, expected);
    let look = calendar.find_responded(&account, &id, yes, &unique()).await;
    assert!(look.unwrap().is_some());
}

/// One's own events, and what is no answer.
pub async fn what_isnt_asked_isnt_answered(fixture: &impl CalendarUnderTest) {
    let (calendar, account) = (fixture.calendar(), fixture.account());
    for title in ["Dentist", "Team"] {
        let event = named(fixture, title).await.remove(0);
        assert!(!event.invited, "{title}");
        refused(
            calendar
                .respond(&account, &event.id, &no(), &unique())
                .await,
        );
        assert_eq!(named(fixture, title).await[0], event);
    }
    let review = named(fixture, "Review").await.remove(0);
    assert!(review.invited);
    let nothing = Response::default();
    refused(
        calendar
            .respond(&account, &review.id, &nothing, &unique())
            .await,
    );
    assert_eq!(named(fixture, "Review").await, [review]);
}
