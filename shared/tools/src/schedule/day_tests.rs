//! Limits of a day, and calls at once.

use super::day::MAX_BLOCKS;
use crate::testing::*;
use proptest::prelude::*;

const CREATE: &str = "schedule_createTimeBlock";
const DELETE: &str = "schedule_deleteTimeBlock";

fn time(minute: usize) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn block(date: &str, start: usize, end: usize) -> Value {
    json!({"date": date, "type": "work", "title": "Write", "startTime": time(start), "endTime": time(end)})
}

#[tokio::test]
async fn a_day_never_outgrows_its_item() {
    let harness = ToolHarness::at("2026-11-21T00:00:00Z");
    let mut created = 0;
    let error = loop {
        let mut long = block("today", created, created + 1);
        long["description"] = "😀".repeat(2_000).into();
        match harness.run(CREATE, long).await {
            Ok(output) => harness.commit(&output).await.unwrap(),
            Err(error) => break error.to_string(),
        }
        created += 1;
    };
    assert_snapshot!(error, @"description: the blocks of Sat 21 Nov hold too much text together. Shorten it.");
    assert!(created > 30 && created < MAX_BLOCKS, "{created}");
    harness.ok(CREATE, block("tomorrow", 540, 600)).await;
}

#[tokio::test]
async fn calls_at_once_lose_no_block_and_double_none() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = harness.block("monday", "work 09:00-10:00 Write").await;
    let run = async |tool: &str, args: Value| harness.run(tool, args).await.unwrap();
    let moved = async |start: &str, date: &str| {
        let args = json!({"blockId": id, "newStartTime": start, "newDate": date});
        run("schedule_moveTimeBlock", args).await
    };
    let first = moved("09:00", "tuesday").await;
    let second = moved("09:00", "wednesday").await;
    let deletion = run(DELETE, json!({ "blockId": id })).await;
    harness.commit(&first).await.unwrap();
    assert!(harness.commit(&second).await.is_err());
    assert!(harness.commit(&deletion).await.is_err());
    // The place was taken between the check and the commit.
    let back = moved("09:00", "monday").await;
    harness.ok(CREATE, block("monday", 570, 630)).await;
    assert!(harness.commit(&back).await.is_err());
    assert_eq!(harness.day("monday").await, ["work 09:30-10:30 Write"]);
    assert_eq!(harness.day("tuesday").await, ["work 09:00-10:00 Write"]);
    assert!(harness.day("wednesday").await.is_empty());
    // The card of a deletion shows where the block is by then.
    let deleting = json!({ "blockId": id });
    let card = async || harness.preview(DELETE, deleting.clone()).await.unwrap();
    let before = card().await;
    let moved = moved("15:00", "tuesday").await;
    harness.commit(&moved).await.unwrap();
    assert_ne!(before, card().await);
}

#[tokio::test]
async fn a_broken_row_is_no_empty_day() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let key = keys::day(&"T1".into(), &"U1".into(), "2026-11-21".parse().unwrap());
    harness.put(Write::create(key, json!({"blocks": 7}))).await;
    let error = harness.run("schedule_viewSchedule", json!({})).await;
    assert!(error.unwrap_err().to_string().contains("is no day"));
}

#[tokio::test]
async fn a_week_is_drawn_as_its_days_are() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.block("friday", "work 09:00-10:00 Write").await;
    let friday = json!({"date": "friday"});
    let picture = async |tool: &str| harness.output(tool, friday.clone()).await.picture.unwrap();
    let week = picture("schedule_viewWeek").await;
    assert_eq!((week.days.len(), week.days[4].bars.len()), (7, 1));
    assert!(week.days[4].works.is_some() && week.days[5].works.is_none());
    let day = picture("schedule_viewSchedule").await;
    assert_eq!(day.days, [week.days[4].clone()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_created_is_what_is_seen(spans in prop::collection::vec((0_usize..1_439, 1_usize..300), 1..12)) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
            let harness = ToolHarness::at("2026-11-21T00:00:00Z");
            let mut expected: Vec<(usize, usize)> = Vec::new();
            for (start, length) in spans {
                let end = (start + length).min(1_440);
                let overlapping = expected.iter().filter(|(s, e)| *s < end && start < *e).count();
                match harness.run(CREATE, block("today", start, end)).await {
                    Ok(output) => {
                        assert!(overlapping < 4);
                        assert_eq!(output.data["conflicts"].as_array().unwrap().len(), overlapping);
                        harness.commit(&output).await.unwrap();
                        expected.push((start, end));
                    }
                    Err(error) => assert!(overlapping >= 4, "{error}"),
                }
            }
            let day = harness.shown_day("today").await;
            let seen: u64 = day["blocks"].as_array().unwrap().iter().map(|b| b["duration"].as_u64().unwrap()).sum();
            assert_eq!(seen, expected.iter().map(|(s, e)| (e - s) as u64).sum::<u64>());
        });
    }
}
