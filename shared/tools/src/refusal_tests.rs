//! What tools refuse, and in which words: `refusals.txt`.

use crate::testing::*;

/// Friday, 09:00 in Berlin, with tasks, blocks, jobs and a proposal.
async fn world() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z").zone("Europe/Berlin");
    harness.register("U1", |_| ()).await;
    let ana = harness.task("Call Ana", 5, "low").await;
    let long = json!({"taskId": ana, "description": "x".repeat(1_990)});
    harness.ok("task_updateTask", long).await;
    harness.task("Call back", 5, "low").await;
    harness.tainted().task("Call them", 5, "low").await;
    harness.task("done", 5, "low").await;
    harness.complete("done").await;
    harness.block("monday", "work 09:00-17:00 Focus").await;
    harness.block("monday", "break 08:00-08:10 Tea").await;
    for job in [
        json!({"say": "Stand-up", "days": ["mon", "wed"], "time": "10:00"}),
        json!({"kind": "meetingReminder"}),
    ] {
        harness.ok("job_createJob", job).await;
    }
    harness.propose("apr_1", |_| ()).await;
    harness
}

/// Writes out "x*201".
fn written_out(value: Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("x*").map(str::parse) {
            Some(Ok(times)) => "x".repeat(times).into(),
            _ => text.into(),
        },
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, written_out(value)))
            .collect(),
        other => other,
    }
}

#[tokio::test]
async fn refusals_read_as_reviewed() {
    let harness = world().await;
    let mut told = Vec::new();
    for line in include_str!("refusals.txt").lines() {
        if line.starts_with("  ") {
            continue;
        }
        told.push(line.to_owned());
        if let Some((name, arguments)) = line.split_once(" {") {
            let arguments = serde_json::from_str(&format!("{{{arguments}")).unwrap();
            let (model, person) = harness.both_told(name, written_out(arguments)).await;
            told.push(format!("  {model}"));
            if person != model {
                told.push(format!("  {person}"));
            }
        }
    }
    assert_reviewed("refusals.txt", &told);
}
