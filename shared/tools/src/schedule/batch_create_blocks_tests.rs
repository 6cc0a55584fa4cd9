use crate::testing::*;

const TOOL: &str = "schedule_batchCreateBlocks";

fn block(title: &str, start: &str, end: &str) -> Value {
    json!({"type": "work", "title": title, "startTime": start, "endTime": end})
}

fn args(blocks: &[Value]) -> Value {
    json!({"date": "monday", "blocks": blocks})
}

fn conflicts(data: &Value) -> Vec<(String, String, usize)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let row = |conflict: &Value| {
        (
            text(&conflict["block"]["title"]),
            text(&conflict["reason"]),
            conflict["conflictsWith"].as_array().unwrap().len(),
        )
    };
    data["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(row)
        .collect()
}

#[tokio::test]
async fn all_that_fit_are_created_in_one_commit() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let wanted = args(&[block("A", "9am", "10:00"), block("B", "10:00", "11:00")]);
    let output = harness.output(TOOL, wanted).await;
    assert_eq!(output.writes.len(), 3);
    assert_eq!(
        output.action.as_deref(),
        Some("Created 2 blocks on 2026-11-23: \"A\" 09:00–10:00, \"B\" 10:00–11:00")
    );
    let undo = output.receipt.unwrap().undo;
    assert_eq!(
        undo[0].arguments["blockId"],
        output.data["created"][1]["id"]
    );
    assert_eq!(undo.len(), 2);
    assert_eq!(output.data["conflicts"], json!([]));
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    assert_eq!(
        harness.day("monday").await,
        ["work 09:00-10:00 A", "work 10:00-11:00 B"]
    );
    let id = &output.data["created"][1]["id"];
    harness.delete_block(id).await;
    assert_eq!(harness.day("monday").await, ["work 09:00-10:00 A"]);
    assert!(harness.asked_by("T1", "U2").day("monday").await.is_empty());
}

#[tokio::test]
async fn what_does_not_fit_comes_back_with_its_reason() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z").events(vec![event(
        "e1",
        "Ana",
        "2026-11-23T15:00:00Z",
        "2026-11-23T16:00:00Z",
    )]);
    harness.block("monday", "break 12:00-13:00 Lunch").await;
    let wanted = args(&[
        block("fits", "09:00", "10:00"),
        block("in lunch", "11:30", "12:01"),
        block("in batch", "09:30", "10:30"),
        block("in meeting", "15:30", "16:30"),
        block("backwards", "14:00", "13:00"),
        block("no time", "25:00", "26:00"),
        block("over all", "09:00", "17:00"),
        block("after lunch", "13:00", "14:00"),
    ]);
    let output = harness.output(TOOL, wanted).await;
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
    let data = Value::Object(output.data);
    let row = |title: &str, reason: &str, with| (title.to_owned(), reason.to_owned(), with);
    let existing = "Conflicts with an existing block.";
    assert_eq!(
        conflicts(&data),
        [
            row("in lunch", existing, 1),
            row("in batch", "Conflicts with another block of this batch.", 1),
            row("in meeting", existing, 1),
            row(
                "backwards",
                "endTime: \"13:00\" must be later than startTime (14:00).",
                0
            ),
            row(
                "no time",
                "startTime: \"25:00\" is no time: the day ends at 24:00.",
                0
            ),
            row("over all", existing, 3),
        ]
    );
    assert_eq!(data["conflicts"][1]["conflictsWith"][0]["title"], "fits");
    assert_eq!(data["conflicts"][2]["conflictsWith"][0]["eventId"], "e1");
    assert_eq!(
        harness.day("monday").await,
        [
            "work 09:00-10:00 fits",
            "break 12:00-13:00 Lunch",
            "work 13:00-14:00 after lunch",
            "meeting 15:00-16:00 Ana",
        ]
    );
}

#[tokio::test]
async fn a_single_block_can_be_taken_back_and_none_has_no_effect() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let one = args(&[block("A", "09:00", "10:00"), block("B", "09:00", "10:00")]);
    let output = harness.output(TOOL, one.clone()).await;
    let again = harness.output(TOOL, one).await;
    assert!(again.writes.is_empty() && again.data["created"] == json!([]));
    harness.undo(output.receipt.unwrap().undo).await;
    assert!(harness.day("monday").await.is_empty());
}

#[tokio::test]
async fn skipped_times_and_a_full_day_are_reasons() {
    let harness = ToolHarness::at("2026-03-20T08:00:00Z").zone("Europe/Berlin");
    let wanted = json!({"date": "2026-03-29", "blocks": [block("A", "02:30", "04:00")]});
    let data = harness.ok(TOOL, wanted).await;
    assert_snapshot!(&conflicts(&data)[0].1, @r#"startTime: "02:30" does not exist on 2026-03-29 in Europe/Berlin: clocks go from 02:00 to 03:00."#);
    let time = |m: usize| format!("{:02}:{:02}", m / 60, m % 60);
    for from in [0, 50] {
        let fifty: Vec<Value> = (from..from + 50)
            .map(|n| block("A", &time(n), &time(n + 1)))
            .collect();
        let data = harness.ok(TOOL, args(&fifty)).await;
        assert_eq!(data["created"].as_array().unwrap().len(), 50);
    }
    let data = harness
        .ok(TOOL, args(&[block("A", "20:00", "21:00")]))
        .await;
    assert!(conflicts(&data)[0].1.contains("already has 100 blocks"));
}
