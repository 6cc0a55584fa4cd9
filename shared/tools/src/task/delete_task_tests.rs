use crate::testing::*;

const TOOL: &str = "task_deleteTask";

async fn task(harness: &ToolHarness, args: Value) -> Value {
    let data = harness.ok("task_createTask", args).await;
    json!({"taskId": data["task"]["id"]})
}

async fn total(harness: &ToolHarness) -> Value {
    harness.ok("task_viewTasks", json!({})).await["total"].clone()
}

#[tokio::test]
async fn it_is_asked_with_exactly_what_goes_and_then_gone() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    task(&harness, json!({"title": "Stays"})).await;
    let full = json!({"title": "Call Ana", "description": "About Q4.", "dueDate": "friday", "priority": "high"});
    let args = task(&harness, full).await;
    let expected = Preview::new("Delete a task")
        .change(
            "Task",
            "\"Call Ana\" (backlog, high priority, 30 minutes, due 2026-11-27)",
            "",
        )
        .change("Description", "About Q4.", "");
    assert_eq!(harness.preview(TOOL, args.clone()).await.unwrap(), expected);
    let output = harness.output(TOOL, args.clone()).await;
    assert_eq!(output.action.as_deref(), Some("Deleted task \"Call Ana\""));
    assert_eq!(output.data["deleted"]["title"], "Call Ana");
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    let undo = output.receipt.unwrap().undo;
    assert_eq!(total(&harness).await, 1);
    assert_snapshot!(harness.fails(TOOL, args).await, @r#"taskId: "tsk_00000000000070008000000000000003" isn't among the tasks. task_viewTasks gives the ids."#);
    let again = harness.undo(undo).await["task"].clone();
    let fields = ["title", "description", "dueDate", "priority", "status"];
    assert_eq!(
        fields.map(|field| again[field].clone()),
        ["Call Ana", "About Q4.", "2026-11-27", "high", "backlog"]
    );
}

#[tokio::test]
async fn it_takes_back_a_creation() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let created = harness
        .output("task_createTask", json!({"title": "Oops"}))
        .await;
    let receipt = created.receipt.unwrap();
    assert_eq!(receipt.place, "your backlog");
    harness.undo(receipt.undo).await;
    assert_eq!(total(&harness).await, 0);
}

#[tokio::test]
async fn of_two_deletions_one_takes_effect() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let args = task(&harness, json!({"title": "Once"})).await;
    let first = harness.run(TOOL, args.clone()).await.unwrap();
    let second = harness.run(TOOL, args).await.unwrap();
    harness.commit(&first).await.unwrap();
    assert!(harness.commit(&second).await.is_err());
}

#[tokio::test]
async fn a_tainted_task_taints_whoever_reads_it() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let flow = async |args: Value| harness.run("task_viewTasks", args).await.unwrap().flow;
    task(&harness, json!({"title": "Own words", "priority": "high"})).await;
    assert_eq!(flow(json!({})).await, Some(Flow::PRIVATE));
    let args = task(
        &harness.tainted(),
        json!({"title": "Theirs", "priority": "low"}),
    )
    .await;
    assert_eq!(flow(json!({})).await, Some(Flow::UNKNOWN));
    // Tasks that aren't returned don't taint.
    assert_eq!(flow(json!({"priority": "high"})).await, Some(Flow::PRIVATE));
    assert_eq!(flow(json!({"limit": 1})).await, Some(Flow::PRIVATE));
    let gone = harness.output(TOOL, args).await;
    assert_eq!(gone.flow, Some(Flow::UNKNOWN));
    assert_eq!(flow(json!({})).await, Some(Flow::PRIVATE));
}
