//! Every tool that lists or names a person's data gives other people nothing. Mail, meetings and documents
//! aren't tested here: they come from the person's own accounts.

use crate::testing::*;
use alfred_planner::Wish;

const NOW: &str = "2026-11-21T12:00:00Z";

async fn said(harness: &ToolHarness, name: &str, args: &Value) -> String {
    match harness.run(name, args.clone()).await {
        Ok(done) => {
            let (writes, choices) = (done.writes.len(), done.choices.len());
            format!("{} {writes} {choices}", Value::Object(done.data))
        }
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn other_peoples_data_gives_the_same_result_as_no_data() {
    let (nobody, harness) = (ToolHarness::at(NOW), ToolHarness::at(NOW));
    harness.block("today", "work 14:00-16:00 Focus").await;
    harness.task("Call", 15, "low").await;
    harness.propose("apr_1", |_| ()).await;
    for n in 0..3 {
        let wish = |one: &mut crate::system::history::Executed| one.wishes = vec![Wish::NoLunch];
        let id = format!("run_{n}");
        harness.executed("workflow_schedule", &id, wish).await;
    }
    let calls = include_str!("strangers.txt").lines();
    for line in calls.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, args) = line.split_once(' ').unwrap();
        let args = serde_json::from_str(args).unwrap();
        let nothing = said(&nobody, name, &args).await;
        assert_ne!(said(&harness, name, &args).await, nothing, "{name}");
        for stranger in harness.strangers() {
            assert_eq!(said(&stranger, name, &args).await, nothing, "{name}");
        }
    }
}
