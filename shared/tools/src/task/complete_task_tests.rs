use crate::testing::*;

const TOOL: &str = "task_completeTask";

#[tokio::test]
async fn it_is_done_with_notes_appended_and_comes_back() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let full = json!({"title": "Call Ana", "description": "About Q4."});
    harness.ok("task_createTask", full).await;
    let args = json!({"taskId": "call ana", "notes": " She agreed. "});
    let output = harness.output(TOOL, args).await;
    assert_eq!(
        output.action.as_deref(),
        Some("Completed task \"Call Ana\"")
    );
    assert_eq!(output.data["task"]["status"], "completed");
    assert_eq!(
        output.data["task"]["description"],
        "About Q4.\n\nShe agreed."
    );
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    let open = harness.ok("task_viewTasks", json!({})).await;
    assert_eq!(open["total"], 0);
    harness.undo(output.receipt.unwrap().undo).await;
    let open = harness.ok("task_viewTasks", json!({})).await;
    assert_eq!(open["tasks"][0]["description"], "About Q4.");
    assert_eq!(open["tasks"][0]["status"], "backlog");
}

#[tokio::test]
async fn twice_is_an_error() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let id = harness.task("Call", 5, "low").await;
    harness.ok(TOOL, json!({ "taskId": id })).await;
    for named in [id.as_str(), "call"] {
        let error = harness.fails(TOOL, json!({ "taskId": named })).await;
        assert_eq!(error, format!("taskId: \"{named}\" is already completed."));
    }
    // Of two tasks with this title, the open one matches.
    let second = harness.task("Call", 5, "low").await;
    let data = harness.ok(TOOL, json!({"taskId": "call"})).await;
    assert_eq!(data["task"]["id"], second);
}

#[tokio::test]
async fn in_a_block_it_stays_there_and_back() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-10:00 Focus").await;
    harness.task("Call", 5, "low").await;
    let plan = json!({"taskIds": ["call"], "blockId": block});
    harness.ok("task_assignToTimeBlock", plan).await;
    let output = harness.output(TOOL, json!({"taskId": "call"})).await;
    assert_eq!(output.data["task"]["blockId"], block);
    let status = async || {
        let day = harness.shown_day("monday").await;
        day["blocks"][0]["tasks"][0]["status"].clone()
    };
    assert_eq!(status().await, "completed");
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(status().await, "scheduled");
}
