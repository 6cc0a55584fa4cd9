use super::super::day::MAX_BLOCKS;
use super::super::taken::TakenBlock;
use crate::testing::*;
use proptest::prelude::*;

const TOOL: &str = "schedule_createTimeBlock";

fn args(date: &str, start: &str, end: &str) -> Value {
    json!({"date": date, "type": "work", "title": "Write", "startTime": start, "endTime": end})
}

fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut changed = args("2026-11-23", "09:00", "10:00");
    changed[field] = value.into();
    changed
}

async fn blocks(harness: &ToolHarness, date: &str) -> Vec<Value> {
    let day = harness.shown_day(date).await;
    day["blocks"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_block_is_stored_with_its_day_and_index() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    let mut full = args("monday", "9am", "10:30 AM");
    full["description"] = " The report. ".into();
    full["title"] = " Write  the\nreport ".into();
    let (data, action) = harness.done(TOOL, full).await;
    assert_eq!(
        action.unwrap(),
        "Created work block \"Write the report\" on 2026-11-23, 09:00–10:30"
    );
    assert_eq!(data["conflicts"], json!([]));
    let id = data["block"]["id"].as_str().unwrap();
    assert!(id.starts_with("blk_"), "{id}");
    assert_eq!(
        data["block"],
        json!({
            "id": id, "type": "work", "title": "Write the report", "startTime": "09:00",
            "endTime": "10:30", "duration": 90, "description": "The report.", "tasks": [],
        })
    );
    assert_eq!(
        blocks(&harness, "2026-11-23").await,
        [data["block"].clone()]
    );
    let found = TakenBlock::find(&harness.context, "blockId", id).await;
    assert_eq!(found.unwrap().day.date.to_string(), "2026-11-23");
    let stranger = harness.asked_by("T1", "U2");
    let missed = TakenBlock::find(&stranger.context, "blockId", id).await;
    assert!(
        missed
            .unwrap_err()
            .to_string()
            .contains("isn't among the blocks")
    );
    assert!(blocks(&stranger, "2026-11-23").await.is_empty());
}

#[tokio::test]
async fn nothing_is_written_before_the_commit() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    let output = harness
        .run(TOOL, args("today", "09:00", "10:00"))
        .await
        .unwrap();
    assert_eq!(output.writes.len(), 2);
    assert!(blocks(&harness, "today").await.is_empty());
}

#[tokio::test]
async fn two_blocks_at_once_never_lose_one() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    for _ in 0..2 {
        let first = harness
            .run(TOOL, args("today", "09:00", "10:00"))
            .await
            .unwrap();
        let second = harness
            .run(TOOL, args("today", "11:00", "12:00"))
            .await
            .unwrap();
        harness.commit(&first).await.unwrap();
        assert!(harness.commit(&second).await.is_err());
        harness.ok(TOOL, args("today", "11:00", "12:00")).await;
    }
    assert_eq!(blocks(&harness, "today").await.len(), 4);
}

#[tokio::test]
async fn up_to_three_conflicts_are_reported_and_four_refused() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    for n in 0..4 {
        let data = harness.ok(TOOL, args("today", "09:00", "10:00")).await;
        assert_eq!(data["conflicts"].as_array().unwrap().len(), n);
    }
    assert_snapshot!(harness.fails(TOOL, args("today", "09:59", "11:00")).await, @r#"it would overlap 4 blocks on 2026-11-21, at most 3 are allowed: "Write" 09:00–10:00, "Write" 09:00–10:00, "Write" 09:00–10:00, "Write" 09:00–10:00. Choose another time."#);
    let data = harness.ok(TOOL, args("today", "10:00", "11:00")).await;
    assert_eq!(data["conflicts"], json!([]));
    assert_eq!(blocks(&harness, "today").await.len(), 5);
}

#[tokio::test]
async fn a_day_holds_a_hundred_blocks() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    for n in 0..MAX_BLOCKS {
        let time = |m: usize| format!("{:02}:{:02}", m / 60, m % 60);
        harness
            .ok(TOOL, args("today", &time(n), &time(n + 1)))
            .await;
    }
    assert_snapshot!(harness.fails(TOOL, args("today", "22:00", "23:00")).await, @"2026-11-21 already has 100 blocks, the most a day can hold. Delete some first.");
}

#[tokio::test]
async fn a_day_never_outgrows_its_item() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    let mut created = 0;
    let error = loop {
        let mut long = args("today", "00:00", "00:00");
        let time = |m: usize| format!("{:02}:{:02}", m / 60, m % 60);
        long["startTime"] = time(created).into();
        long["endTime"] = time(created + 1).into();
        long["description"] = "😀".repeat(2_000).into();
        match harness.run(TOOL, long).await {
            Ok(output) => harness.commit(&output).await.unwrap(),
            Err(error) => break error.to_string(),
        }
        created += 1;
    };
    assert_snapshot!(error, @"description: the blocks of 2026-11-21 hold too much text together. Shorten it.");
    assert!(created > 30 && created < MAX_BLOCKS, "{created}");
    harness.ok(TOOL, args("tomorrow", "09:00", "10:00")).await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_created_is_what_is_seen(spans in prop::collection::vec((0_u16..1_439, 1_u16..300), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let harness = ToolHarness::at("2026-11-21T00:00:00Z");
            let mut expected = Vec::new();
            for (start, length) in spans {
                let end = (start + length).min(1_440);
                let text = |m: u16| format!("{:02}:{:02}", m / 60, m % 60);
                let overlapping = expected.iter().filter(|(s, e)| *s < end && start < *e).count();
                match harness.run(TOOL, args("today", &text(start), &text(end))).await {
                    Ok(output) => {
                        assert!(overlapping < 4);
                        assert_eq!(output.data["conflicts"].as_array().unwrap().len(), overlapping);
                        harness.commit(&output).await.unwrap();
                        expected.push((start, end));
                    }
                    Err(error) => assert!(overlapping >= 4, "{error}"),
                }
            }
            let seen: u64 = blocks(&harness, "today").await.iter().map(|b| b["duration"].as_u64().unwrap()).sum();
            assert_eq!(seen, expected.iter().map(|(s, e)| u64::from(e - s)).sum::<u64>());
        });
    }
}
