use crate::testing::*;
use alfred_agent::model::Change;

const TOOL: &str = "schedule_deleteTimeBlock";

async fn block(harness: &ToolHarness, start: &str, end: &str) -> String {
    let args = json!({
        "date": "monday", "type": "work", "title": "Write", "startTime": start, "endTime": end,
        "description": "The report.",
    });
    let data = harness.ok("schedule_createTimeBlock", args).await;
    data["block"]["id"].as_str().unwrap().to_owned()
}

fn change(label: &str, before: &str, after: &str) -> Change {
    Change {
        label: label.into(),
        before: before.into(),
        after: after.into(),
    }
}

async fn blocks(harness: &ToolHarness) -> Value {
    let day = harness.shown_day("monday").await;
    day["blocks"].clone()
}

#[tokio::test]
async fn it_is_asked_with_exactly_what_goes_and_then_gone() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "09:00", "10:30").await;
    let kept = block(&harness, "11:00", "12:00").await;
    let args = json!({ "blockId": id });
    let shown = harness.preview(TOOL, args.clone()).await.unwrap();
    let expected = Preview {
        title: "Delete a time block".into(),
        changes: vec![
            change(
                "Block",
                "work block \"Write\" on 2026-11-23, 09:00–10:30",
                "",
            ),
            change("Description", "The report.", ""),
        ],
        ..Preview::default()
    };
    assert_eq!(shown, expected);
    let output = harness.output(TOOL, args.clone()).await;
    assert_eq!(
        output.action.as_deref(),
        Some("Deleted work block \"Write\" on 2026-11-23, 09:00–10:30")
    );
    assert_eq!(output.data["deleted"]["id"], id);
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.place.as_str(), "Monday");
    assert_eq!(blocks(&harness).await[0]["id"], kept);
    assert_eq!(blocks(&harness).await.as_array().unwrap().len(), 1);
    for error in [
        harness.fails(TOOL, args.clone()).await,
        harness.preview(TOOL, args).await.unwrap_err().to_string(),
    ] {
        assert!(error.contains("isn't among the blocks"), "{error}");
    }
    let again = harness.undo(receipt.undo).await["block"].clone();
    assert_eq!(
        (again["title"].clone(), again["description"].clone()),
        (json!("Write"), json!("The report."))
    );
    assert_eq!(blocks(&harness).await.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_card_drifts_with_the_block() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let args = json!({ "blockId": block(&harness, "09:00", "10:00").await });
    let before = harness.preview(TOOL, args.clone()).await.unwrap();
    let moved = json!({"blockId": args["blockId"], "newStartTime": "15:00"});
    harness.ok("schedule_moveTimeBlock", moved).await;
    assert_ne!(harness.preview(TOOL, args).await.unwrap(), before);
}

#[tokio::test]
async fn planned_tasks_go_back_and_done_ones_stay_done() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    for (id, status) in [("tsk_1", "scheduled"), ("tsk_2", "completed")] {
        let row = json!({
            "id": id, "title": id, "status": status, "priority": "high", "estimated_minutes": 5,
            "source": "chat", "created_at": "2026-11-20T09:00:00Z", "tainted": id == "tsk_2",
        });
        let key = keys::task(&"T1".into(), &"U1".into(), &id.into());
        harness.put(Write::create(key, row)).await;
    }
    let day = json!({"blocks": [{
        "id": "blk_1", "type": "work", "title": "W", "start": "09:00", "end": "10:00",
        "task_ids": ["tsk_1", "tsk_2", "tsk_gone"],
    }]});
    let (team, user) = ("T1".into(), "U1".into());
    let key = keys::day(&team, &user, "2026-11-23".parse().unwrap());
    harness.put(Write::create(key, day)).await;
    let key = keys::block_date(&team, &user, &"blk_1".into());
    harness
        .put(Write::create(key, json!({"date": "2026-11-23"})))
        .await;
    let args = json!({"blockId": "blk_1"});
    let shown = harness.preview(TOOL, args.clone()).await.unwrap();
    assert_eq!(
        shown.changes[1..],
        [change(
            "Task",
            "\"tsk_1\" planned",
            "\"tsk_1\" back in your backlog"
        )]
    );
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["releasedTasks"], json!(["tsk_1"]));
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
    for (status, title) in [("backlog", "tsk_1"), ("completed", "tsk_2")] {
        let tasks = harness
            .ok("task_viewTasks", json!({ "status": status }))
            .await;
        assert_eq!(tasks["total"], 1);
        assert_eq!(tasks["tasks"][0]["title"], title);
    }
}

#[tokio::test]
async fn a_day_that_changed_meanwhile_is_not_overwritten() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let id = block(&harness, "09:00", "10:00").await;
    let deletion = harness.run(TOOL, json!({ "blockId": id })).await.unwrap();
    let again = harness.run(TOOL, json!({ "blockId": id })).await.unwrap();
    block(&harness, "11:00", "12:00").await;
    assert!(harness.commit(&deletion).await.is_err());
    assert_eq!(blocks(&harness).await.as_array().unwrap().len(), 2);
    harness.ok(TOOL, json!({ "blockId": id })).await;
    assert!(harness.commit(&again).await.is_err());
    assert_eq!(blocks(&harness).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn it_takes_back_a_creation() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let args = json!({
        "date": "monday", "type": "break", "title": "Walk", "startTime": "12:00", "endTime": "13:00",
    });
    let created = harness.output("schedule_createTimeBlock", args).await;
    let receipt = created.receipt.unwrap();
    assert_eq!(receipt.place, "Monday");
    harness.undo(receipt.undo).await;
    assert_eq!(blocks(&harness).await, json!([]));
}
