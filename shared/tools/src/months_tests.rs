use crate::system::{history, remarks};
use crate::testing::*;
use alfred_core::ports::Key;
use jiff::Timestamp;

const NOW: &str = "2026-11-21T12:00:00Z";

/// A row that a newer release may have written.
fn newer(partition: String) -> Write {
    let body = json!({"type": "ovation", "secret": "words of a person"});
    Write::put(
        Key::state(partition, "2026-11-21T11:00:00Z#run_9"),
        None,
        body,
    )
}

async fn world() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-21T10:00:00Z");
    let remark = json!({"type": "suggestion", "category": "schedule", "message": "no lunch"});
    harness.ok("system_provideFeedback", remark).await;
    harness.executed("workflow_schedule", "run_1", |_| ()).await;
    harness.task("Taxes", 30, "high").await;
    let harness = harness.later(NOW);
    let (team, user) = (&harness.context.team, harness.context.user_id());
    for partition in [keys::feedback, keys::workflows, keys::task_events] {
        harness
            .put(newer(partition(team, user, harness.context.now)))
            .await;
    }
    harness
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_left_out_and_counted() {
    let harness = world().await;
    let said = remarks::since(&harness.context, Timestamp::MIN, 10).await;
    let said = said.unwrap();
    assert_eq!((said.items.len(), said.unreadable), (1, 1));
    let done = history::since(&harness.context, Timestamp::MIN, 10).await;
    let done = done.unwrap();
    assert_eq!((done.items.len(), done.unreadable), (1, 1));
    // The unreadable row counts toward the limit.
    let one = remarks::since(&harness.context, Timestamp::MIN, 1).await;
    let one = one.unwrap();
    assert_eq!((one.items.len(), one.unreadable), (0, 1));
}

#[tokio::test]
async fn what_shows_them_says_so() {
    let harness = world().await;
    let history = harness.ok("system_showWorkflowHistory", json!({})).await;
    assert_eq!(history["total"], 1);
    assert_eq!(
        history["note"],
        "One entry was written by a newer version of me and is left out."
    );
    let patterns = harness.ok("system_showPatterns", json!({})).await;
    assert_eq!(
        patterns["note"],
        "3 entries were written by a newer version of me and are left out."
    );
    for shown in [history, patterns] {
        assert!(!shown.to_string().contains("words of a person"));
    }
    let readable = ToolHarness::at(NOW)
        .ok("system_showPatterns", json!({}))
        .await;
    assert_eq!(readable.get("note"), None::<&Value>);
}
