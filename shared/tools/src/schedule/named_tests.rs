use crate::testing::*;

const TOOL: &str = "schedule_deleteTimeBlock";

#[tokio::test]
async fn todays_block_comes_before_later_ones() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    for date in ["today", "tomorrow"] {
        harness.block(date, "work 09:00-10:00 Focus time").await;
    }
    let args = json!({"blockId": "focus TIME"});
    assert_eq!(harness.ok(TOOL, args.clone()).await["date"], "2026-11-20");
    assert_eq!(harness.ok(TOOL, args.clone()).await["date"], "2026-11-21");
    assert_snapshot!(harness.fails(TOOL, args).await, @r#"blockId: "focus TIME" isn't among the blocks, today or in the coming 14 days. schedule_viewSchedule gives the ids."#);
}

#[tokio::test]
async fn several_are_listed_with_their_dates() {
    let harness = ToolHarness::at("2026-11-19T08:00:00Z");
    harness.block("2026-11-19", "work 09:00-10:00 Over").await;
    let harness = harness.later("2026-11-20T08:00:00Z");
    let monday = harness
        .block("2026-11-23", "work 09:00-10:00 Deep focus")
        .await;
    let last = harness
        .tainted()
        .block("2026-12-04", "work 09:00-10:00 Focus")
        .await;
    harness
        .block("2026-12-05", "work 09:00-10:00 Too late")
        .await;
    let error = harness.fails(TOOL, json!({"blockId": "foc"})).await;
    assert_eq!(
        error,
        format!(
            "blockId: \"foc\" is not clear, two match: \"Deep focus\" 09:00–10:00 on 2026-11-23 ({monday}), a work block 09:00–10:00 on 2026-12-04 ({last}). Give the id."
        )
    );
    for far in ["too late", "over"] {
        let error = harness.fails(TOOL, json!({ "blockId": far })).await;
        assert!(error.contains("isn't among the blocks"), "{error}");
    }
    let stranger = harness.asked_by("T1", "U2");
    assert_snapshot!(stranger.fails(TOOL, json!({"blockId": "deep focus"})).await, @r#"blockId: "deep focus" isn't among the blocks, today or in the coming 14 days. schedule_viewSchedule gives the ids."#);
}
