use super::*;
use crate::testing::*;
use alfred_core::ports::AccountService;
use alfred_testkit::MemoryCalendar;

const NOW: &str = "2026-11-20T08:00:00Z";
const TOOL: &str = "schedule_viewSchedule";

fn standup() -> Event {
    event(
        "e/1",
        " Stand\nup ",
        "2026-11-20T14:00:00Z",
        "2026-11-20T15:30:00Z",
    )
}

fn whole_days(title: &str, busy: bool) -> Event {
    let day = |text: &str| text.parse().unwrap();
    Event {
        time: EventTime::AllDay {
            first: day("2026-11-20"),
            last: day("2026-11-21"),
        },
        busy,
        ..event("all", title, "2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z")
    }
}

#[tokio::test]
async fn a_meeting_is_shown_on_the_clocks_of_the_person() {
    for (zone, lines) in [
        ("UTC", vec!["meeting 14:00-15:30 Stand up"]),
        ("Europe/Berlin", vec!["meeting 15:00-16:30 Stand up"]),
        ("Asia/Kolkata", vec!["meeting 19:30-21:00 Stand up"]),
        ("Asia/Tokyo", vec!["meeting 23:00-24:00 Stand up"]),
        ("Pacific/Auckland", vec![]),
    ] {
        let harness = ToolHarness::at(NOW).zone(zone).events(vec![standup()]);
        assert_eq!(harness.day("2026-11-20").await, lines, "{zone}");
    }
}

#[tokio::test]
async fn it_counts_has_a_steady_id_and_taints_whoever_reads_its_title() {
    let harness = ToolHarness::at(NOW).events(vec![standup()]);
    harness.block("today", "work 09:00-10:00 Write").await;
    let args = json!({"date": "today"});
    let shown = harness.output(TOOL, args.clone()).await;
    assert_eq!(shown.flow, Some(Flow::UNKNOWN));
    let meeting = &shown.data["blocks"][1];
    let id = meeting["id"].as_str().unwrap();
    assert!(id.starts_with("evt_") && id.len() == 36, "{id}");
    assert_eq!(meeting["eventId"], "e/1");
    assert_eq!(shown.data["stats"]["meetingHours"], 1.5);
    let again = harness.ok(TOOL, args.clone()).await;
    assert_eq!(&again["blocks"][1], meeting);
    // Times and numbers alone carry no title.
    let used = harness.output("schedule_analyzeUtilization", args).await;
    assert_eq!((used.flow, &used.data["utilization"]), (None, &json!(31)));
    let stranger = harness.asked_by("T1", "U2");
    assert!(stranger.day("today").await.is_empty());
}

#[tokio::test]
async fn free_declined_and_whole_days_take_no_time_unless_busy() {
    let mut free = standup();
    free.busy = false;
    let harness = ToolHarness::at(NOW).events(vec![free, whole_days("Birthday", false)]);
    assert!(harness.day("today").await.is_empty());
    // The result names it, and brings taint.
    let named = harness.output(TOOL, json!({"date": "today"})).await;
    assert_eq!(named.data["allDay"], json!(["Birthday"]));
    assert_eq!(named.flow, Some(Flow::UNKNOWN));
    let next = harness.ok(TOOL, json!({"date": "2026-11-22"})).await;
    assert_eq!(next.get("allDay"), None);
    let harness = ToolHarness::at(NOW).events(vec![whole_days("Holiday", true)]);
    for (date, lines) in [
        ("2026-11-19", vec![]),
        ("2026-11-20", vec!["blocked 00:00-24:00 Holiday"]),
        ("2026-11-21", vec!["blocked 00:00-24:00 Holiday"]),
        ("2026-11-22", vec![]),
    ] {
        assert_eq!(harness.day(date).await, lines, "{date}");
    }
}

#[tokio::test]
async fn a_meeting_that_is_a_block_too_is_shown_once() {
    let harness = ToolHarness::at(NOW).events(vec![standup()]);
    let args = json!({
        "date": "today", "type": "meeting", "title": "Stand up",
        "startTime": "14:00", "endTime": "15:30",
    });
    let made = harness.ok("schedule_createTimeBlock", args).await;
    assert_eq!(made["conflicts"], json!([]));
    let day = harness.ok(TOOL, json!({})).await;
    assert_eq!(day["blocks"].as_array().unwrap().len(), 1);
    assert_eq!(day["blocks"][0]["id"], made["block"]["id"]);
    assert_eq!(day["blocks"][0]["eventId"], "e/1");
    // The block moves without the event, and back onto it.
    let moving = json!({"blockId": "stand up", "newStartTime": "16:00"});
    let moved = harness.output("schedule_moveTimeBlock", moving).await;
    let both = [
        "meeting 14:00-15:30 Stand up",
        "meeting 16:00-17:30 Stand up",
    ];
    assert_eq!(harness.day("today").await, both);
    harness.undo(moved.receipt.unwrap().undo).await;
    assert_eq!(harness.day("today").await, both[..1]);
}

#[tokio::test]
async fn meetings_are_in_the_way_of_new_and_moved_blocks() {
    let harness = ToolHarness::at(NOW).events(vec![standup()]);
    let args = json!({
        "date": "today", "type": "work", "title": "Write", "startTime": "15:00", "endTime": "16:00",
    });
    let made = harness.output("schedule_createTimeBlock", args).await;
    assert_eq!(made.data["conflicts"][0]["title"], "Stand up");
    assert_eq!(made.flow, Some(Flow::UNKNOWN));
    let id = made.data["block"]["id"].clone();
    let to = |start: &str| json!({"blockId": id, "newStartTime": start});
    assert_snapshot!(harness.fails("schedule_moveTimeBlock", to("14:30")).await, @r#"newStartTime: "14:30" is taken on 2026-11-20: the block would overlap a meeting block 14:00–15:30. Choose another time."#);
    // The block overlapped the meeting before, so it has no undo.
    let moved = harness.output("schedule_moveTimeBlock", to("15:30")).await;
    assert_eq!(moved.receipt.unwrap().undo, []);
    let moved = harness.output("schedule_moveTimeBlock", to("17:00")).await;
    harness.undo(moved.receipt.unwrap().undo).await;
}

#[tokio::test]
async fn it_is_not_moved_or_deleted_as_a_block() {
    let harness = ToolHarness::at(NOW).events(vec![standup()]);
    let id = harness.ok(TOOL, json!({})).await["blocks"][0]["id"].clone();
    for named in [id, json!("stand up"), json!("evt_0")] {
        let moving = json!({"blockId": named, "newStartTime": "10:00"});
        for error in [
            harness.fails("schedule_moveTimeBlock", moving).await,
            harness
                .fails("schedule_deleteTimeBlock", json!({"blockId": named}))
                .await,
            harness
                .fails("schedule_fillWorkBlock", json!({"blockId": named}))
                .await,
        ] {
            assert!(
                error.starts_with("blockId: ") && error.contains("calendar_rescheduleMeeting"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn without_a_calendar_there_are_no_meetings_and_no_note() {
    let fails = || AccountError::NotConnected(AccountService::Calendar);
    let harness = ToolHarness::at(NOW).calendar_fails(fails);
    let day = harness.ok(TOOL, json!({})).await;
    assert_eq!((&day["blocks"], day.get("note")), (&json!([]), None));
    let args = json!({"date": "tomorrow", "minDuration": 15});
    let gaps = harness.ok("schedule_findGaps", args).await;
    assert_eq!(gaps["totalAvailableMinutes"], 480);
}

#[tokio::test]
async fn an_unreadable_calendar_is_told_and_nothing_is_planned_around_it() {
    let away = || AccountError::NotReached {
        detail: "503".into(),
        retry_after: None,
    };
    let connected = ToolHarness::at(NOW);
    let id = connected.block("today", "work 09:00-10:00 Write").await;
    let harness = connected.clone().calendar_fails(away);
    let note = "The calendar could not be read just now, so its meetings are missing here.";
    for tool in [TOOL, "schedule_analyzeUtilization"] {
        let data = harness.ok(tool, json!({"date": "today"})).await;
        assert_eq!(data["note"], note, "{tool}");
    }
    let wanted = json!({"type": "work", "title": "W", "startTime": "11:00", "endTime": "12:00"});
    let mut alone = wanted.clone();
    alone["date"] = "today".into();
    let made = harness.ok("schedule_createTimeBlock", alone).await;
    assert_eq!(made["note"], note);
    for (tool, args) in [
        (
            "schedule_findGaps",
            json!({"date": "today", "minDuration": 15}),
        ),
        (
            "schedule_batchCreateBlocks",
            json!({"date": "today", "blocks": [wanted]}),
        ),
        (
            "schedule_moveTimeBlock",
            json!({"blockId": id, "newStartTime": "15:00"}),
        ),
    ] {
        let error = harness.fails(tool, args).await;
        assert!(
            error.starts_with("The calendar could not be read"),
            "{error}"
        );
        assert!(!error.contains("503"), "{error}");
    }
    let refused = harness.calendar_fails(|| AccountError::refused("Access was withdrawn."));
    let args = json!({"date": "today", "minDuration": 15});
    assert_snapshot!(refused.fails("schedule_findGaps", args).await, @"The calendar could not be read, so nothing was planned around it: Access was withdrawn.");
}

#[tokio::test]
async fn entries_that_cannot_be_read_are_counted() {
    let mut harness = ToolHarness::at(NOW).events(vec![standup()]);
    let calendar = MemoryCalendar::default().with(
        &harness.context.account(),
        alfred_core::ports::Mailbox::new("P", "p@example.com"),
        harness.context.zone(),
        vec![standup()],
    );
    let broken = Unreadable {
        name: "x.ics".into(),
        reason: "no start".into(),
    };
    calendar.spoil(&harness.context.account(), broken);
    harness.context.accounts.calendar = Arc::new(calendar);
    let day: Value = harness.ok(TOOL, json!({})).await;
    assert_eq!(day["blocks"].as_array().unwrap().len(), 1);
    assert_eq!(
        day["note"],
        "One entry of the calendar could not be read and is missing here."
    );
}

#[tokio::test]
async fn an_event_without_a_title_has_one() {
    let harness = ToolHarness::at(NOW).events(vec![Event {
        title: " ".into(),
        ..standup()
    }]);
    assert_eq!(
        harness.day("today").await,
        ["meeting 14:00-15:30 Untitled event"]
    );
}
