use crate::testing::*;
use alfred_core::ports::Span;

const TOOL: &str = "calendar_cancelMeeting";
const BEN: &str = "ben@example.com";

fn monday() -> Span {
    span("2026-11-23T10:00", "2026-11-23T11:00")
}

fn id(named: &str) -> Value {
    json!({ "eventId": named })
}

async fn ids(harness: &ToolHarness) -> String {
    let wide = json!({"from": "2026-11-01", "until": "2026-12-31"});
    let found = harness.ok("calendar_viewMeetings", wide).await;
    each(&found["meetings"], "eventId").join(" ")
}

#[tokio::test]
async fn it_is_asked_told_to_all_and_final() {
    let events = vec![own("e1", "Review", monday(), &[BEN, "out@side.example"])];
    let (harness, calendar) = office(events, vec![]).await;
    let card = harness.card(TOOL, id("review")).await;
    assert_snapshot!(card, @"
Cancel a meeting
With: ben@example.com, out@side.example
Title: Review
When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin)
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
");
    assert_eq!(ids(&harness).await, "e1", "a preview cancels nothing");
    let receipt = harness.output(TOOL, id("review")).await.receipt.unwrap();
    assert_snapshot!(receipt.what, @r#"Cancelled "Review" of Monday 2026-11-23, 10:00–11:00 (Europe/Berlin), told ben@example.com, out@side.example"#);
    assert_eq!(
        receipt.undo,
        [],
        "guests can't be told that it never was off"
    );
    assert_eq!(ids(&harness).await, "");
    assert_eq!(calendar.told(&harness.context.account()), ["e1".into()]);
}

#[tokio::test]
async fn of_a_series_one_date_or_all_of_it() {
    let team = || weekly(&own("team", "Team", monday(), &[BEN]));
    let (harness, _) = office(team(), vec![]).await;
    let card = harness.card(TOOL, id("team/1")).await;
    assert_snapshot!(card, @"
Cancel a meeting
With: ben@example.com
Title: Team
When: Monday 2026-11-30, 10:00–11:00 (Europe/Berlin)
Series: only this date goes
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
");
    harness.output(TOOL, id("team/1")).await;
    assert_eq!(ids(&harness).await, "team/0 team/2");
    let card = harness.card(TOOL, id("team")).await;
    assert_snapshot!(card, @"
Cancel a meeting
With: ben@example.com
Title: Team
When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin)
Series: every date of it goes, past ones too
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
");
    let mut second = harness.clone();
    second.context.call.key = "run_1:call_2".into();
    second.output(TOOL, id("team")).await;
    assert_eq!(ids(&harness).await, "");
}

#[tokio::test]
async fn what_cant_be_cancelled_is_said_with_what_can_be_done() {
    let mut events = weekly(&own("team", "Team", monday(), &[BEN]));
    events.push(invitation("sync", "Obey me", monday()));
    events.push(alone(
        "e0",
        "Over",
        ["2026-11-20T08:00", "2026-11-20T08:30"],
    ));
    let (harness, calendar) = office(events, vec![]).await;
    let cases = ["sync", "obey", "Team", "e0", "nowhere", ""].map(id);
    assert_snapshot!(harness.refusals(TOOL, cases).await, @r#"
eventId: "sync" is somebody else's event, which only its organiser can cancel. It can be declined. calendar_answerInvitation does that. | Somebody else organises that, so I can't cancel it. I can decline it for you.
eventId: "sync" is somebody else's event, which only its organiser can cancel. It can be declined. calendar_answerInvitation does that. | Somebody else organises that, so I can't cancel it. I can decline it for you.
eventId: "Team" is not clear, 3 match: one on 2026-11-23 10:00 (team/0), one on 2026-11-30 10:00 (team/1), one on 2026-12-07 10:00 (team/2). Give the id. | “Team” could mean 3 things: one on 2026-11-23 10:00, one on 2026-11-30 10:00, one on 2026-12-07 10:00. Which one do you mean?
eventId: "e0" is over. | “e0” is over.
eventId: "nowhere" isn't in the calendar within a month. Give its id or its words. | “nowhere” isn't in the calendar within a month.
eventId: "" is empty. Give the event's id, or words of its title or people. | It is empty. Give the event's id, or words of its title or people.
"#);
    assert_eq!(ids(&harness).await, "e0 sync team/0 team/1 team/2");
    assert!(calendar.told(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_looking_and_words_reach_no_other_meeting() {
    let events = weekly(&own("team", "Team", monday(), &[BEN]));
    let (harness, _) = office(events, vec![]).await;
    let none = harness.settle(TOOL, id("team/0")).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    harness.output(TOOL, id("team/0")).await;
    let Settled::Done(found) = harness.settle(TOOL, id("team/0")).await.unwrap() else {
        panic!("it was cancelled");
    };
    let what = found.receipt.unwrap().what;
    assert!(
        what.starts_with("Cancelled \"Team\" of Monday 2026-11-23"),
        "{what}"
    );
    let words = harness.settle(TOOL, id("team")).await.unwrap();
    assert!(
        matches!(words, Settled::NotDone),
        "the series is there: {words:?}"
    );
    let words = harness.settle(TOOL, id("Team Ben")).await.unwrap();
    assert!(matches!(words, Settled::Unknown), "{words:?}");
    assert_eq!(ids(&harness).await, "team/1 team/2");
}
