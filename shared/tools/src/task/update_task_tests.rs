use crate::testing::*;

const TOOL: &str = "task_updateTask";

async fn only(harness: &ToolHarness) -> Value {
    let args = json!({"includeCompleted": true});
    let all = harness.ok("task_getBacklogWithScores", args).await;
    all["tasks"][0].clone()
}

async fn in_block(harness: &ToolHarness) -> Value {
    let day = harness.shown_day("monday").await;
    day["blocks"][0]["tasks"].clone()
}

#[tokio::test]
async fn only_what_is_given_changes_and_it_comes_back() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let id = harness.task("Call", 5, "low").await;
    let before = only(&harness).await;
    let args = json!({
        "taskId": id, "title": "Call Ana", "description": "Q4", "estimatedMinutes": 45,
        "priority": "high", "dueDate": "tomorrow",
    });
    let output = harness.output(TOOL, args).await;
    assert_eq!(
        output.action.as_deref(),
        Some(
            "Changed task \"Call Ana\": title, description Q4, estimated minutes 45, priority high, due date 2026-11-21"
        )
    );
    let after = only(&harness).await;
    assert_eq!(after["dueDate"], "2026-11-21");
    assert_eq!(after["score"], 72);
    assert_eq!(after["estimatedMinutes"], 45);
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(only(&harness).await, before);
}

#[tokio::test]
async fn back_in_the_backlog_it_is_out_of_its_block() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-10:00 Focus").await;
    let id = harness.task("Call", 5, "low").await;
    harness.assign(&id, &block).await;
    let output = harness
        .output(TOOL, json!({"taskId": id, "status": "backlog"}))
        .await;
    assert_eq!(output.data["task"].get("blockId"), None);
    assert_eq!(in_block(&harness).await, json!([]));
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(in_block(&harness).await[0]["status"], "scheduled");
    // No single call reverts both changes.
    let both = json!({"taskId": id, "status": "backlog", "title": "Ring"});
    let output = harness.output(TOOL, both).await;
    assert_eq!(output.receipt.unwrap().undo, []);
}

#[tokio::test]
async fn a_task_that_is_done_can_be_opened_again() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let id = harness.task("Call", 5, "low").await;
    let to = |status: &str| json!({"taskId": id, "status": status});
    harness.ok(TOOL, to("completed")).await;
    assert_snapshot!(harness.fails(TOOL, to("scheduled")).await, @r#"status: "scheduled" needs a block. task_assignToTimeBlock plans a task for one."#);
    let output = harness.output(TOOL, to("backlog")).await;
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(only(&harness).await["status"], "completed");
    // After the task left its completion block, no single call reverts the change.
    harness.ok(TOOL, to("backlog")).await;
    let block = harness.block("monday", "work 09:00-10:00 Focus").await;
    harness.assign(&id, &block).await;
    harness.ok(TOOL, to("completed")).await;
    let output = harness.output(TOOL, to("backlog")).await;
    assert_eq!(output.receipt.unwrap().undo, []);
    assert_eq!(in_block(&harness).await, json!([]));
}

#[tokio::test]
async fn without_its_block_a_task_is_not_planned_there_again() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-10:00 Focus").await;
    let id = harness.task("Call", 5, "low").await;
    harness.assign(&id, &block).await;
    let done = harness
        .output("task_completeTask", json!({ "taskId": id }))
        .await;
    harness.delete_block(block).await;
    let undo = done.receipt.unwrap().undo.remove(0);
    assert_snapshot!(harness.fails(TOOL, undo.arguments).await, @r#"status: "scheduled" needs a block. task_assignToTimeBlock plans a task for one."#);
    let data = harness
        .ok(TOOL, json!({"taskId": id, "status": "backlog"}))
        .await;
    assert_eq!(data["task"].get("blockId"), None);
}

#[tokio::test]
async fn taint_stays_and_is_read_with_the_task() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let id = harness.task("Call", 5, "low").await;
    let args = json!({"taskId": id, "description": "Theirs"});
    let output = harness.tainted().output(TOOL, args).await;
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
    let output = harness
        .output(TOOL, json!({"taskId": id, "priority": "high"}))
        .await;
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
}

#[tokio::test]
async fn of_two_changes_one_takes_effect() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let id = harness.task("Call", 5, "low").await;
    let to = |title: &str| json!({"taskId": id, "title": title});
    let first = harness.run(TOOL, to("A")).await.unwrap();
    let second = harness.run(TOOL, to("B")).await.unwrap();
    harness.commit(&first).await.unwrap();
    assert!(harness.commit(&second).await.is_err());
    assert_eq!(only(&harness).await["title"], "A");
}
