use super::super::get_backlog_with_scores::tests::crowd;
use crate::testing::*;

const TOOL: &str = "task_suggestForDuration";

fn args(duration: i64, strategy: &str) -> Value {
    json!({"duration": duration, "strategy": strategy})
}

fn titles(suggestion: &Value) -> Vec<&str> {
    each(&suggestion["combination"], "title")
}

async fn office() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.task("big", 50, "high").await;
    harness.task("a", 20, "medium").await;
    harness.task("b", 20, "medium").await;
    harness.task("c", 20, "low").await;
    harness.task("done", 20, "high").await;
    harness.complete("done").await;
    harness
}

#[tokio::test]
async fn each_strategy_has_its_best_and_changes_nothing() {
    let harness = office().await;
    for (strategy, best) in [
        ("priority", vec!["big"]),
        ("quick_wins", vec!["a", "b", "c"]),
        ("mixed", vec!["a", "b", "c"]),
    ] {
        let output = harness.output(TOOL, args(60, strategy)).await;
        assert!(output.writes.is_empty());
        assert_eq!(output.flow, Some(Flow::PRIVATE));
        let suggestions = output.data["suggestions"].as_array().unwrap();
        assert!((1..=3).contains(&suggestions.len()));
        let found = suggestions.iter().find(|one| titles(one) == best);
        let found = found.unwrap_or_else(|| panic!("{strategy}: {suggestions:?}"));
        let minutes: u64 = found["combination"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["estimatedMinutes"].as_u64().unwrap())
            .sum();
        assert_eq!(found["totalMinutes"], minutes);
        assert!(!found["reasoning"].as_str().unwrap().is_empty());
        let scores: Vec<u64> = suggestions
            .iter()
            .map(|one| one["totalScore"].as_u64().unwrap())
            .collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert_eq!(output.data["considered"], 4);
        assert_eq!(output.data["totalTasks"], 4);
    }
}

#[tokio::test]
async fn nothing_fits_or_nothing_is_there() {
    let harness = office().await;
    let data = harness.ok(TOOL, args(15, "mixed")).await;
    assert_eq!(data["suggestions"], json!([]));
    assert_eq!(data["considered"], 0);
    let theirs = harness
        .asked_by("T1", "U2")
        .ok(TOOL, args(60, "mixed"))
        .await;
    assert_eq!(theirs["suggestions"], json!([]));
    assert_eq!(theirs["totalTasks"], 0);
}

#[tokio::test]
async fn ten_thousand_tasks_are_all_considered() {
    let harness = ToolHarness::at("2026-11-20T10:00:00Z");
    crowd(&harness).await;
    let data = harness.ok(TOOL, args(120, "quick_wins")).await;
    assert_eq!(data["totalTasks"], 10_000);
    assert_eq!(data["considered"], 4_872);
    assert!(data["suggestions"].as_array().unwrap().len() <= 3);
}
