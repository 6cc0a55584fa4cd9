use crate::testing::*;
use alfred_core::ports::Commit;

const TOOL: &str = "task_getBacklogWithScores";

fn titles(data: &Value) -> Vec<&str> {
    each(&data["tasks"], "title")
}

async fn office() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.task("high", 60, "high").await;
    harness.task("low", 10, "low").await;
    harness.task("done", 10, "medium").await;
    harness.task("planned", 10, "high").await;
    harness.complete("done").await;
    let block = harness.block("monday", "work 09:00-10:00 Focus").await;
    let plan = json!({"taskIds": ["planned"], "blockId": block});
    harness.ok("task_assignToTimeBlock", plan).await;
    harness
}

#[tokio::test]
async fn what_is_not_planned_best_first_with_the_sums() {
    let harness = office().await;
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(titles(&data), ["high", "low"]);
    assert_eq!(data["averageScore"], 30);
    assert_eq!(data["totalTasks"], 2);
    assert_eq!(data["considered"], 4);
    assert_eq!(
        data["tasks"][0]["scoreBreakdown"],
        json!({"priority": 50, "age": 0, "urgency": 0})
    );
    for (args, expected) in [
        (json!({"minScore": 11}), vec!["high"]),
        (json!({"maxDuration": 10}), vec!["low"]),
        (
            json!({"includeCompleted": true}),
            vec!["high", "done", "low"],
        ),
        (json!({"minScore": 100}), vec![]),
    ] {
        let data = harness.ok(TOOL, args.clone()).await;
        assert_eq!(titles(&data), expected, "{args}");
        assert_eq!(data["totalTasks"], expected.len());
    }
    let theirs = harness.asked_by("T1", "U2").ok(TOOL, json!({})).await;
    assert_eq!(theirs["totalTasks"], 0);
    assert_eq!(theirs["averageScore"], 0);
}

#[tokio::test]
async fn only_what_is_given_taints() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.tainted().task("theirs", 10, "low").await;
    let flow = async |args: Value| harness.output(TOOL, args).await.flow;
    assert_eq!(flow(json!({})).await, Some(Flow::UNKNOWN));
    assert_eq!(flow(json!({"minScore": 50})).await, Some(Flow::PRIVATE));
}

pub(crate) async fn crowd(harness: &ToolHarness) {
    let rows: Vec<Write> = (0..10_000_u32)
        .map(|n| {
            let id = format!("tsk_{n:05}");
            let row = json!({
                "id": id, "title": format!("t{n}"), "status": "backlog",
                "priority": (["low", "medium", "high"][n as usize % 3]),
                "estimated_minutes": 5 + n % 240, "source": "chat",
                "created_at": "2026-11-20T09:00:00Z",
            });
            let key = keys::task(&"T1".into(), &"U1".into(), &id.into());
            Write::create(key, row)
        })
        .collect();
    for writes in rows.chunks(100) {
        let commit = Commit::new(&*harness.context.ids, writes.to_vec());
        harness.context.store.commit(&commit).await.unwrap();
    }
}

#[tokio::test]
async fn ten_thousand_tasks_get_a_bounded_answer() {
    let harness = ToolHarness::at("2026-11-20T10:00:00Z");
    crowd(&harness).await;
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(data["tasks"].as_array().unwrap().len(), 200);
    assert_eq!(data["totalTasks"], 10_000);
    assert_eq!(data["considered"], 10_000);
    harness.block("monday", "work 09:00-11:00 Focus").await;
    let filled = harness
        .ok("schedule_fillWorkBlock", json!({"blockId": "focus"}))
        .await;
    assert_eq!(filled["considered"], 10_000);
    assert!(filled.to_string().len() < 10_000);
    let exact = harness.complete("t99").await;
    assert_eq!(exact["task"]["id"], "tsk_00099");
    let several = harness
        .fails("task_completeTask", json!({"taskId": "t"}))
        .await;
    assert!(
        several.contains("9999 match") && several.contains(", …"),
        "{several}"
    );
    assert!(several.len() < 500, "{several}");
}
