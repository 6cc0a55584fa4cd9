use crate::schedule::work_block::MAX_TASKS;
use crate::testing::*;
use alfred_core::ports::Commit;

/// 10,000 tasks.
async fn crowd(harness: &ToolHarness) {
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
async fn ten_thousand_tasks_are_considered_and_get_a_bounded_answer() {
    let harness = ToolHarness::at("2026-11-20T10:00:00Z");
    crowd(&harness).await;
    let backlog = harness.ok("task_getBacklogWithScores", json!({})).await;
    assert_eq!(backlog["tasks"].as_array().unwrap().len(), 200);
    assert_eq!(
        (&backlog["totalTasks"], &backlog["considered"]),
        (&json!(10_000), &json!(10_000))
    );
    let first = harness.ok("task_viewTasks", json!({"limit": 1})).await;
    assert_eq!(
        (&first["total"], &first["tasks"][0]["title"]),
        (&json!(10_000), &json!("t2"))
    );
    let args = json!({"duration": 120, "strategy": "quick_wins"});
    let suggested = harness.ok("task_suggestForDuration", args).await;
    assert_eq!(
        (&suggested["totalTasks"], &suggested["considered"]),
        (&json!(10_000), &json!(4_872))
    );
    assert!(suggested["suggestions"].as_array().unwrap().len() <= 3);
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

#[tokio::test]
async fn a_block_holds_50_tasks_and_can_still_be_deleted() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    let block = harness.block("monday", "work 09:00-17:00 Focus").await;
    let mut ids = Vec::new();
    for n in 0..=MAX_TASKS {
        ids.push(harness.task(&format!("t{n}"), 1, "low").await);
    }
    let assign = async |ids: &[String]| {
        let args = json!({"taskIds": ids, "blockId": block});
        harness.ok("task_assignToTimeBlock", args).await["failed"].to_string()
    };
    assert_eq!(assign(&ids[..MAX_TASKS]).await, "[]");
    assert!(
        assign(&ids[MAX_TASKS..])
            .await
            .contains("already has 50 tasks")
    );
    let full = harness
        .fails("schedule_fillWorkBlock", json!({ "blockId": block }))
        .await;
    assert!(full.contains("already has 50 tasks"), "{full}");
    let gone = harness.delete_block(block).await;
    assert_eq!(gone["releasedTasks"].as_array().unwrap().len(), MAX_TASKS);
}
