use crate::schedule::work_block::MAX_TASKS;
use crate::testing::*;

const TOOL: &str = "task_assignToTimeBlock";

fn reasons(data: &Value) -> Vec<(&str, &str)> {
    let failed = &data["failed"];
    let reasons = each(failed, "reason").into_iter();
    each(failed, "taskId").into_iter().zip(reasons).collect()
}

#[tokio::test]
async fn tasks_by_id_and_by_words_go_into_the_block() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-10:30 Focus").await;
    let report = harness.task("Write the report", 60, "high").await;
    let call = harness.task("Call Ana", 30, "low").await;
    let args = json!({"taskIds": [report, "ana"], "blockId": "focus"});
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["assigned"], json!([report, call]));
    assert_eq!(output.data["failed"], json!([]));
    assert_eq!(output.data["remainingMinutes"], 0);
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    assert_eq!(output.receipt.unwrap().undo.len(), 2);
    let tasks = harness
        .ok("task_viewTasks", json!({"status": "scheduled"}))
        .await;
    assert_eq!(tasks["total"], 2);
    assert_eq!(tasks["tasks"][0]["blockId"], block);
}

#[tokio::test]
async fn a_task_that_is_too_long_is_begun_when_asked_for() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 09:00-10:00 Focus").await;
    let report = harness.task("Write the report", 120, "high").await;
    let args = json!({"taskIds": [report], "blockId": "focus"});
    let refused = harness.ok(TOOL, args.clone()).await;
    let reason = "It takes 120 minutes, and 60 were left.";
    assert_eq!(reasons(&refused), [(report.as_str(), reason)]);
    let begin = json!({"taskIds": [report], "blockId": "focus", "begin": true});
    let data = harness.ok(TOOL, begin).await;
    assert_eq!(data["assigned"], json!([report]));
    assert_eq!(data["remainingMinutes"], 0);
    // A task isn't begun if the block is full.
    let call = harness.task("Call Ana", 30, "low").await;
    let full = json!({"taskIds": [call], "blockId": "focus", "begin": true});
    let data = harness.ok(TOOL, full).await;
    assert_eq!(reasons(&data)[0].1, "It takes 30 minutes, and 0 were left.");
}

#[tokio::test]
async fn what_cannot_be_planned_comes_back_with_its_reason() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 09:00-10:00 Focus").await;
    let other = harness.block("tuesday", "work 09:00-10:00 Other").await;
    for (title, minutes) in [
        ("fits", 40),
        ("too long", 30),
        ("done", 5),
        ("elsewhere", 5),
    ] {
        harness.task(title, minutes, "high").await;
    }
    for n in 1..=2 {
        harness.task(&format!("twin {n}"), 5, "low").await;
    }
    harness.complete("done").await;
    harness
        .ok(TOOL, json!({"taskIds": ["elsewhere"], "blockId": other}))
        .await;
    let ids = json!([
        "fits",
        "too long",
        "done",
        "elsewhere",
        "fits",
        "twin",
        "tsk_none",
        ""
    ]);
    let data = harness
        .ok(TOOL, json!({"taskIds": ids, "blockId": "focus"}))
        .await;
    assert_eq!(data["assigned"].as_array().unwrap().len(), 1);
    let reasons = reasons(&data);
    let expected = [
        ("too long", "It takes 30 minutes, and 20 were left."),
        ("done", "It is already completed."),
        ("elsewhere", "It is planned for another block"),
        ("fits", "It is already in this block."),
        (
            "twin",
            "taskIds: \"twin\" is not clear, two match: \"twin 1\" (tsk_",
        ),
        ("tsk_none", "taskIds: \"tsk_none\" isn't among the tasks"),
        ("", "taskIds: \"\" is empty"),
    ];
    assert_eq!(reasons.len(), expected.len());
    for ((id, reason), (named, part)) in reasons.into_iter().zip(expected) {
        assert_eq!(id, named);
        assert!(reason.starts_with(part), "{reason}");
    }
}

#[tokio::test]
async fn one_task_can_be_taken_back_and_none_has_no_effect() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 09:00-10:00 Focus").await;
    harness.task("Call", 5, "low").await;
    let args = json!({"taskIds": ["call"], "blockId": "focus"});
    let output = harness.output(TOOL, args.clone()).await;
    assert!(harness.output(TOOL, args.clone()).await.writes.is_empty());
    harness.undo(output.receipt.unwrap().undo).await;
    let day = harness.shown_day("monday").await;
    assert_eq!(day["blocks"][0]["tasks"], json!([]));
    assert_eq!(harness.ok(TOOL, args).await["failed"], json!([]));
}

#[tokio::test]
async fn a_block_holds_so_many_tasks_and_can_still_be_deleted() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-17:00 Focus").await;
    let mut ids = Vec::new();
    for n in 0..=MAX_TASKS {
        ids.push(harness.task(&format!("t{n}"), 1, "low").await);
    }
    let last = ids.pop().unwrap();
    harness
        .ok(TOOL, json!({"taskIds": ids, "blockId": block}))
        .await;
    let more = harness
        .ok(TOOL, json!({"taskIds": [last], "blockId": block}))
        .await;
    assert!(reasons(&more)[0].1.contains("already has 50 tasks"));
    let full = harness
        .fails("schedule_fillWorkBlock", json!({ "blockId": block }))
        .await;
    assert!(full.contains("already has 50 tasks"), "{full}");
    let gone = harness.delete_block(block).await;
    assert_eq!(gone["releasedTasks"].as_array().unwrap().len(), MAX_TASKS);
}

#[tokio::test]
async fn other_peoples_words_taint_the_block_that_holds_them() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.block("monday", "work 09:00-10:00 Focus").await;
    harness.tainted().task("Theirs", 5, "low").await;
    let args = json!({"taskIds": ["theirs"], "blockId": "focus"});
    assert_eq!(harness.output(TOOL, args).await.flow, Some(Flow::UNKNOWN));
}
