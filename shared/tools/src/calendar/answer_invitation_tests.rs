use crate::testing::*;
use alfred_core::ports::Span;

const TOOL: &str = "calendar_answerInvitation";

fn monday() -> Span {
    span("2026-11-23T10:00", "2026-11-23T11:00")
}

fn answer(event: &str, answer: &str) -> Value {
    json!({"eventId": event, "answer": answer})
}

#[tokio::test]
async fn an_answer_is_asked_and_told_to_the_organiser_alone() {
    let mut sync = invitation("sync", "Sync", monday());
    sync.description = "About the café".into();
    let (harness, calendar) = office(vec![sync], vec![]).await;
    let mut args = answer("Cafe sýnc ben@example.com", "declined");
    args["note"] = json!("I'm on a train.\nNext week?");
    let card = harness.card(TOOL, args.clone()).await;
    assert_snapshot!(card, @"
Answer an invitation
To: Ben Okafor <ben@example.com>
Title: Sync
When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin)
Answer: decline

I'm on a train.
Next week?
");
    let none = harness.settle(TOOL, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    let receipt = harness.output(TOOL, args.clone()).await.receipt.unwrap();
    assert_snapshot!(receipt.what, @r#"Declined "Sync" of Monday 2026-11-23, 10:00–11:00 (Europe/Berlin), told ben@example.com"#);
    let notes = calendar.notes(&harness.context.account());
    assert_eq!(notes, ["I'm on a train.\nNext week?"]);
    let done = harness.settle(TOOL, args).await.unwrap();
    assert!(matches!(done, Settled::Done(_)), "{done:?}");
    // A declined event no longer blocks time, and can still be accepted.
    let seen = harness
        .ok("calendar_viewMeetings", json!({"from": "monday"}))
        .await;
    assert_eq!(seen["meetings"][0]["answer"], "declined");
}

#[tokio::test]
async fn of_a_series_one_date_or_all_of_it() {
    let events = weekly(&invitation("sync", "Sync", monday()));
    let (harness, _) = office(events, vec![]).await;
    for event in ["sync/1", "sync"] {
        let answer = answer(event, "accepted");
        let card = harness.card(TOOL, answer.clone()).await;
        let series = card.lines().find(|line| line.starts_with("Series: "));
        let all = "Series: every date of it that wasn't answered by itself";
        let one = "Series: only this date";
        assert_eq!(series, Some(if event == "sync" { all } else { one }));
        harness.output(TOOL, answer).await;
    }
}

#[tokio::test]
async fn what_cant_be_answered_is_said_with_what_can_be_done() {
    let mut known = invitation("known", "Obey me", monday());
    known.attendance = alfred_core::ports::Attendance::Tentative;
    let over = span("2026-11-20T08:00", "2026-11-20T08:30");
    let mut list = invitation("list", "All hands", monday());
    list.attendees[0].mailbox.address = "everybody@example.com".into();
    let events = vec![
        known,
        list,
        own("e1", "Review", monday(), &[]),
        invitation("over", "Obey me too", over),
    ];
    let (harness, _) = office(events, vec![]).await;
    let cases = [
        answer("e1", "declined"),
        answer("list", "declined"),
        answer("known", "tentative"),
        answer("over", "accepted"),
        answer("obey", "accepted"),
        answer("nowhere", "accepted"),
    ];
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
eventId: "e1" is an own event, and no invitation. It can be cancelled. calendar_cancelMeeting does that. | You organise that yourself, so there is no invitation to answer. I can cancel it.
eventId: "list" invites a mailing list or others, and not the person by name: nothing to answer. They can write to its organiser. | You aren't invited to “All hands”, so there is nothing to answer.
eventId: "known" is answered so already: maybe. | “known” is answered so already: maybe.
eventId: "over" is over. | “over” is over.
eventId: "obey" is not clear, two match: one on 2026-11-20 08:00 (over), one on 2026-11-23 10:00 (known). Give the id. | “obey” could mean two things: one on 2026-11-20 08:00, one on 2026-11-23 10:00. Which one do you mean?
eventId: "nowhere" isn't in the calendar within a month. Give its id or its words. | “nowhere” isn't in the calendar within a month.
"#);
}
