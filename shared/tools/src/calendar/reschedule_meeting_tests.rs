use crate::testing::*;
use alfred_core::ports::{AccountService, Span};

const TOOL: &str = "calendar_rescheduleMeeting";
const BEN: &str = "ben@example.com";

fn review() -> Span {
    span("2026-11-23T10:00", "2026-11-23T11:00")
}

async fn time(harness: &ToolHarness, id: &str) -> Span {
    let calendar = &harness.context.accounts.calendar;
    let event = calendar.event(&harness.context.account(), &id.into()).await;
    match event.unwrap().unwrap().time {
        EventTime::Timed { start, end } => Span { start, end },
        EventTime::AllDay { .. } => panic!("it has a time"),
    }
}

fn to(id: &str, new_time: &str) -> Value {
    json!({"eventId": id, "newTime": new_time})
}

#[tokio::test]
async fn a_meeting_moves_and_its_attendees_are_told() {
    // Ben's busy time is the meeting itself, so it is no conflict.
    let events = vec![own("e1", "Review", review(), &[BEN])];
    let (harness, calendar) = office(events, vec![review()]).await;
    let args = json!({"eventId": "review ben", "newTime": "10:30", "reason": "Train is late"});
    let tool = crate::tool(TOOL).unwrap();
    let named = tool.recipients(&harness.context, &args).await.unwrap();
    assert_eq!(named, [BEN]);
    let card = harness.card(TOOL, args.clone()).await;
    for part in [
        "Title: Review",
        "With: ben@example.com",
        "they are told of the new time",
        "Reason, for the attendees: Train is late",
        "When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin) → Monday 2026-11-23, 10:30–11:30 (Europe/Berlin)",
    ] {
        assert!(card.contains(part), "{part} in {card}");
    }
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["event"]["startTime"], "10:30");
    assert_eq!(
        output.data["previousTime"],
        "Monday 2026-11-23, 10:00–11:00"
    );
    let receipt = output.receipt.unwrap();
    assert!(
        receipt.what.starts_with("Moved \"Review\" to Monday"),
        "{}",
        receipt.what
    );
    assert_eq!(receipt.undo, [], "its attendees would hear of it twice");
    assert_eq!(calendar.told(&harness.context.account()).len(), 1);
    assert_eq!(
        calendar.notes(&harness.context.account()),
        ["Train is late"]
    );
    assert_eq!(
        time(&harness, "e1").await,
        span("2026-11-23T10:30", "2026-11-23T11:30")
    );
}

#[tokio::test]
async fn an_entry_without_attendees_can_be_taken_back() {
    let (harness, calendar) = office(vec![own("e1", "Think", review(), &[])], vec![]).await;
    let output = harness.output(TOOL, to("e1", "2026-11-24 14:00")).await;
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(time(&harness, "e1").await, review());
    assert!(calendar.told(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn nobody_is_told_where_that_is_wanted() {
    let events = vec![own("e1", "Review", review(), &[BEN])];
    let (harness, calendar) = office(events, vec![]).await;
    let args = json!({"eventId": "e1", "newTime": "15:00", "notifyAttendees": false, "reason": "Train is late"});
    let card = harness.card(TOOL, args.clone()).await;
    assert!(card.contains("they get no message"), "{card}");
    assert!(card.contains("Reason (not sent): Train is late"), "{card}");
    harness.output(TOOL, args).await;
    assert!(calendar.told(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn nobody_is_asked_for_a_quiet_move_that_cant_be() {
    let events = vec![own("e1", "Review", review(), &[BEN])];
    let (harness, calendar) = office(events, vec![]).await;
    calendar.tell_guests();
    let args = json!({"eventId": "e1", "newTime": "15:00", "notifyAttendees": false});
    let error = harness.fails(TOOL, args).await;
    let words = alfred_core::text::outlook_tells_guests("Review");
    assert!(error.contains(&words), "{error}");
    harness.output(TOOL, to("e1", "15:00")).await;
    assert_eq!(calendar.told(&harness.context.account()).len(), 1);
}

#[tokio::test]
async fn a_time_that_is_taken_offers_others() {
    let events = vec![
        own("e1", "Review", review(), &[BEN]),
        alone("e2", "Other", ["2026-11-24T09:00", "2026-11-24T09:30"]),
    ];
    let ben = span("2026-11-24T09:30", "2026-11-24T10:00");
    let (harness, _) = office(events, vec![ben]).await;
    for new_time in ["2026-11-24T08:30", "2026-11-24T09:45"] {
        let error = harness.fails(TOOL, to("e1", new_time)).await;
        let free = "is taken. Free: Tuesday 2026-11-24, 10:00–11:00; Tuesday 2026-11-24, 11:00–12:00; Tuesday 2026-11-24, 13:00–14:00.";
        assert!(error.ends_with(free), "{error}");
        let Err(ToolError::Failed(why)) = harness.preview(TOOL, to("e1", new_time)).await else {
            panic!("it is taken");
        };
        let first = json!({"date": "2026-11-24", "startTime": "10:00", "endTime": "11:00"});
        assert_eq!(why.data["alternatives"][0], first);
        assert_eq!(why.data["alternatives"].as_array().map(Vec::len), Some(3));
    }
    assert_eq!(time(&harness, "e1").await, review());
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_looking_at_the_event() {
    let events = vec![own("e1", "Review", review(), &[BEN])];
    let (harness, _) = office(events, vec![]).await;
    let args = to("review", "2026-11-24 14:00");
    let none = harness.settle(TOOL, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    harness.run(TOOL, args.clone()).await.unwrap();
    // Relative times still mean the same days later, and a past time is no error.
    let later = harness.later("2026-11-25T12:00:00Z");
    let settled = later.settle(TOOL, args).await.unwrap();
    assert!(matches!(settled, Settled::Done(_)), "{settled:?}");
    let gone = later.settle(TOOL, to("e9", "15:00")).await.unwrap();
    assert!(matches!(gone, Settled::Unknown), "{gone:?}");
}

#[tokio::test]
async fn only_ones_own_meetings_move_and_errors_name_no_words_of_others() {
    let mut others = own("e1", "Obey me", review(), &[BEN]);
    others.own = false;
    let twin = alone(
        "e2",
        "Obey me too",
        ["2026-11-24T10:00", "2026-11-24T11:00"],
    );
    let mut holiday = own("e3", "Holiday", review(), &[]);
    holiday.time = EventTime::AllDay {
        first: "2026-11-23".parse().unwrap(),
        last: "2026-11-23".parse().unwrap(),
    };
    let (harness, _) = office(vec![others, twin, holiday], vec![]).await;
    for (args, part) in [
        (to("e1", "15:00"), "is somebody else's event"),
        (
            to("obey", "15:00"),
            "two match: one on 2026-11-23 10:00 (e1), one on 2026-11-24 10:00 (e2).",
        ),
        (to("e3", "15:00"), "lasts whole days"),
        (to("e9", "15:00"), "isn't in the calendar"),
        (to(" ", "15:00"), "is empty"),
        (to("e2", "10:00"), "is when it takes place already"),
        (to("e2", "25:00"), "newTime: \"25:00\""),
        (
            to("e2", "2026-11-19T10:00"),
            "newTime: \"2026-11-19T10:00\" is past",
        ),
        (
            to("e2", "2027-03-28T02:30"),
            "clocks go from 02:00 to 03:00",
        ),
        (to("e2", "friday"), "names no time of a day"),
    ] {
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.contains(part), "{error}");
        assert!(!error.contains("Obey me"), "{error}");
        let preview = harness.preview(TOOL, args).await;
        assert!(matches!(preview, Err(ToolError::Failed(_))), "{preview:?}");
    }
}

/// If it is unknown whether the invitations were sent, the owner is asked and nothing is repeated.
#[tokio::test]
async fn what_nobody_can_tell_is_asked_and_not_repeated() {
    let unknown = || AccountError::Unknown {
        detail: "no answer".into(),
    };
    let disconnected = || AccountError::NotConnected(AccountService::Calendar);
    for (found, expected) in [
        (Ok(Some(1)), "Ok(Ok(1))"),
        (Ok(None), "Ok(Err(NotDone))"),
        (Err(unknown()), "Ok(Err(Unknown))"),
        (Err(AccountError::refused("no")), "Ok(Err(Unknown))"),
        (Err(disconnected()), "Ok(Err(Unknown))"),
    ] {
        let looked = crate::account::looked(TOOL, found);
        assert_eq!(format!("{looked:?}"), expected);
    }
    let away = Err::<Option<u8>, _>(AccountError::NotReached {
        detail: "away".into(),
        retry_after: None,
    });
    let looked = crate::account::looked(TOOL, away);
    assert!(matches!(looked, Err(ToolError::Stop(_))), "{looked:?}");
    let (harness, _) = office(vec![own("e1", "Review", review(), &[BEN])], vec![]).await;
    let refused = || AccountError::refused("no");
    let mut harness = harness;
    for fails in [unknown, disconnected, refused] {
        harness = harness.calendar_fails(fails);
        let settled = harness.settle("calendar_scheduleMeeting", json!({"attendees": ["@ben"]}));
        let settled = settled.await.unwrap();
        assert!(matches!(settled, Settled::Unknown), "{settled:?}");
    }
}
