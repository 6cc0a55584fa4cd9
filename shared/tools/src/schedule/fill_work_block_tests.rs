use crate::testing::*;

const TOOL: &str = "schedule_fillWorkBlock";

fn titles(data: &Value) -> Vec<&str> {
    each(&data["assignedTasks"], "title")
}

async fn office() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    for (title, minutes, priority) in [
        ("long", 60, "medium"),
        ("short", 10, "low"),
        ("urgent", 30, "high"),
        ("huge", 300, "high"),
    ] {
        harness.task(title, minutes, priority).await;
    }
    harness
}

#[tokio::test]
async fn strategies_choose_and_tasks_know_their_block() {
    for (strategy, span, expected, remaining, used) in [
        (
            json!("priority"),
            "13:00-14:30",
            vec!["urgent", "long"],
            0,
            100,
        ),
        (Value::Null, "13:00-14:30", vec!["urgent", "long"], 0, 100),
        (
            json!("quick_wins"),
            "09:00-10:00",
            vec!["short", "urgent"],
            20,
            67,
        ),
        (
            json!("energy_match"),
            "09:00-10:15",
            vec!["long", "short"],
            5,
            93,
        ),
        (
            json!("energy_match"),
            "12:00-13:15",
            vec!["short", "urgent"],
            35,
            53,
        ),
    ] {
        let harness = office().await;
        let id = harness.block("monday", &format!("work {span} Focus")).await;
        let args = json!({"blockId": id, "strategy": strategy});
        let data = harness.ok(TOOL, args).await;
        assert_eq!(titles(&data), expected, "{strategy} {span}");
        assert_eq!(data["remainingMinutes"], remaining);
        assert_eq!(data["utilization"], used);
        assert_eq!(data["considered"], 4);
        let shown = harness.shown_day("monday").await;
        assert_eq!(shown["blocks"][0]["tasks"], data["block"]["tasks"]);
        assert_eq!(shown["blocks"][0]["tasks"][0]["status"], "scheduled");
        let planned = harness
            .ok("task_viewTasks", json!({"status": "scheduled"}))
            .await;
        assert_eq!(planned["total"], 2);
        assert_eq!(planned["tasks"][0]["blockId"], id);
    }
}

#[tokio::test]
async fn it_fills_what_is_left_up_to_the_number_asked_for() {
    let harness = office().await;
    let id = harness.block("monday", "work 09:00-11:00 Focus").await;
    let args = json!({"blockId": "focus", "maxTasks": 1});
    let first = harness.output(TOOL, args.clone()).await;
    assert_eq!(
        first.action.as_deref(),
        Some("Planned \"urgent\" for \"Focus\" on 2026-11-23, 09:00–11:00")
    );
    assert_eq!(first.flow, Some(Flow::PRIVATE));
    let data = harness.ok(TOOL, args.clone()).await;
    assert_eq!(
        (titles(&data), &data["remainingMinutes"]),
        (vec!["long"], &json!(30))
    );
    let data = harness.ok(TOOL, args.clone()).await;
    assert_eq!(
        (titles(&data), &data["remainingMinutes"]),
        (vec!["short"], &json!(20))
    );
    let none = harness.output(TOOL, args).await;
    assert!(none.writes.is_empty() && none.data["assignedTasks"] == json!([]));
    harness.undo(first.receipt.unwrap().undo).await;
    let shown = harness.shown_day("monday").await;
    assert_eq!(shown["blocks"][0]["tasks"].as_array().unwrap().len(), 2);
    let released = harness.delete_block(id).await;
    assert_eq!(released["releasedTasks"], json!(["long", "short"]));
    let backlog = harness.ok("task_getBacklogWithScores", json!({})).await;
    assert_eq!(backlog["totalTasks"], 4);
    assert_eq!(backlog["tasks"][0].get("blockId"), None);
}

#[tokio::test]
async fn several_tasks_go_back_together() {
    let harness = office().await;
    harness.block("monday", "work 09:00-11:00 Focus").await;
    let output = harness.output(TOOL, json!({"blockId": "Focus"})).await;
    assert_eq!(output.writes.len(), 4);
    harness.undo(output.receipt.unwrap().undo).await;
    let scheduled = harness
        .ok("task_viewTasks", json!({"status": "scheduled"}))
        .await;
    assert_eq!(scheduled["total"], 0, "{scheduled}");
}
