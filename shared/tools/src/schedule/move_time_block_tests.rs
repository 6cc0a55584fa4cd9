use super::super::day::MAX_BLOCKS;
use crate::testing::*;

const TOOL: &str = "schedule_moveTimeBlock";

async fn block(harness: &ToolHarness, date: &str, start: &str, end: &str) -> String {
    let block = format!("work {start}-{end} At {start}");
    harness.block(date, &block).await
}

fn to(id: &str, start: &str) -> Value {
    json!({"blockId": id, "newStartTime": start})
}

fn on(id: &str, start: &str, date: &str) -> Value {
    json!({"blockId": id, "newStartTime": start, "newDate": date})
}

async fn spans(harness: &ToolHarness, date: &str) -> Vec<String> {
    let day = harness.day(date).await;
    let span = |line: &String| line.split(' ').nth(1).unwrap().to_owned();
    day.iter().map(span).collect()
}

#[tokio::test]
async fn a_block_moves_keeps_its_length_and_comes_back() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "2026-11-23", "09:00", "10:30").await;
    // A block may overlap its own old place.
    let output = harness.output(TOOL, to(&id, "10am")).await;
    assert_eq!(
        output.action.as_deref(),
        Some("Moved work block \"At 09:00\" from 2026-11-23 09:00–10:30 to 2026-11-23 10:00–11:30")
    );
    assert_eq!(
        output.data["previousTime"],
        json!({"date": "2026-11-23", "startTime": "09:00", "endTime": "10:30"})
    );
    assert_eq!(output.data["block"]["duration"], 90);
    assert_eq!(spans(&harness, "2026-11-23").await, ["10:00-11:30"]);
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.place, "Monday");
    harness.undo(receipt.undo).await;
    assert_eq!(spans(&harness, "2026-11-23").await, ["09:00-10:30"]);
}

#[tokio::test]
async fn to_another_day_and_back_it_is_found_by_its_id() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "monday", "09:00", "10:00").await;
    block(&harness, "monday", "11:00", "12:00").await;
    let output = harness.output(TOOL, on(&id, "22:00", "tuesday")).await;
    assert_eq!(output.data["date"], "2026-11-24");
    assert_eq!(output.writes.len(), 3);
    assert_eq!(spans(&harness, "monday").await, ["11:00-12:00"]);
    assert_eq!(spans(&harness, "tuesday").await, ["22:00-23:00"]);
    harness.ok(TOOL, to(&id, "23:00")).await;
    assert_eq!(spans(&harness, "tuesday").await, ["23:00-24:00"]);
    harness.ok(TOOL, to(&id, "22:00")).await;
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(
        spans(&harness, "monday").await,
        ["09:00-10:00", "11:00-12:00"]
    );
    assert!(spans(&harness, "tuesday").await.is_empty());
}

#[tokio::test]
async fn no_overlap_is_allowed_and_neighbours_are_none() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "monday", "09:00", "10:00").await;
    block(&harness, "monday", "11:00", "12:00").await;
    block(&harness, "tuesday", "09:30", "09:31").await;
    assert_snapshot!(harness.fails(TOOL, to(&id, "10:01")).await, @r#"newStartTime: "10:01" is taken on 2026-11-23: the block would overlap "At 11:00" 11:00–12:00. Choose another time."#);
    assert_snapshot!(harness.fails(TOOL, on(&id, "09:00", "tuesday")).await, @r#"newStartTime: "09:00" is taken on 2026-11-24: the block would overlap "At 09:30" 09:30–09:31. Choose another time."#);
    assert_eq!(
        spans(&harness, "monday").await,
        ["09:00-10:00", "11:00-12:00"]
    );
    harness.ok(TOOL, to(&id, "10:00")).await;
    harness.ok(TOOL, to(&id, "12:00")).await;
}

#[tokio::test]
async fn from_under_another_block_there_is_no_way_back() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "monday", "09:00", "10:00").await;
    block(&harness, "monday", "09:30", "10:30").await;
    let output = harness.output(TOOL, to(&id, "14:00")).await;
    assert_eq!(output.receipt.unwrap().undo, []);
}

#[tokio::test]
async fn races_lose_no_block_and_double_none() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "monday", "09:00", "10:00").await;
    let first = harness
        .run(TOOL, on(&id, "09:00", "tuesday"))
        .await
        .unwrap();
    let second = harness
        .run(TOOL, on(&id, "09:00", "wednesday"))
        .await
        .unwrap();
    let deletion = harness
        .run("schedule_deleteTimeBlock", json!({"blockId": id}))
        .await
        .unwrap();
    harness.commit(&first).await.unwrap();
    assert!(harness.commit(&second).await.is_err());
    assert!(harness.commit(&deletion).await.is_err());
    // The place was taken between the check and the commit.
    let back = harness.run(TOOL, on(&id, "09:00", "monday")).await.unwrap();
    block(&harness, "monday", "09:30", "10:30").await;
    assert!(harness.commit(&back).await.is_err());
    assert_eq!(spans(&harness, "monday").await, ["09:30-10:30"]);
    assert_eq!(spans(&harness, "tuesday").await, ["09:00-10:00"]);
    assert!(spans(&harness, "wednesday").await.is_empty());
}

#[tokio::test]
async fn a_full_day_takes_none() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    for n in 0..MAX_BLOCKS {
        let time = |m: usize| format!("{:02}:{:02}", m / 60, m % 60);
        block(&harness, "tuesday", &time(n), &time(n + 1)).await;
    }
    let id = block(&harness, "monday", "09:00", "10:00").await;
    assert_snapshot!(harness.fails(TOOL, on(&id, "20:00", "tuesday")).await, @"2026-11-24 already has 100 blocks, the most a day can hold. Delete some first.");
}

#[tokio::test]
async fn taint_goes_with_the_block_and_is_read_with_it() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "monday", "09:00", "10:00").await;
    let other = block(&harness, "monday", "11:00", "12:00").await;
    let flow = async |date: &str| {
        let seen = harness.run("schedule_viewSchedule", json!({ "date": date }));
        seen.await.unwrap().flow
    };
    assert_eq!(flow("monday").await, Some(Flow::PRIVATE));
    let moved = harness
        .tainted()
        .output(TOOL, on(&id, "09:00", "tuesday"))
        .await;
    assert_eq!(moved.flow, Some(Flow::UNKNOWN));
    assert_eq!(flow("monday").await, Some(Flow::PRIVATE));
    assert_eq!(flow("tuesday").await, Some(Flow::UNKNOWN));
    // Errors carry no taint, so this one doesn't quote the title.
    assert_snapshot!(harness.fails(TOOL, on(&other, "09:30", "tuesday")).await, @r#"newStartTime: "09:30" is taken on 2026-11-24: the block would overlap a work block 09:00–10:00. Choose another time."#);
    // A run without taint moves it; the block stays tainted.
    let moved = harness.output(TOOL, on(&id, "09:00", "monday")).await;
    assert_eq!(moved.flow, Some(Flow::UNKNOWN));
    assert_eq!(flow("monday").await, Some(Flow::UNKNOWN));
    assert_eq!(flow("tuesday").await, Some(Flow::PRIVATE));
}
