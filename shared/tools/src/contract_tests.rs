//! What holds for every tool that changes tasks, blocks, jobs or preferences: `contract.txt` has a call of each.
//! Tools of accounts, proposals and workflows are tested beside them.

use crate::prelude::Result;
use crate::testing::*;
use alfred_agent::store::users;
use alfred_agent::tool::{Effect, UndoCall};

const TOOLSETS: [&str; 4] = ["task", "schedule", "job", "preference"];

struct Case {
    tool: String,
    args: Value,
    /// A call that changes the same thing.
    other: Option<(String, Value)>,
}

fn cases() -> Vec<Case> {
    let call = |text: &str| {
        let (tool, args) = text.split_once(' ').unwrap();
        (tool.to_owned(), serde_json::from_str(args).unwrap())
    };
    let lines = include_str!("contract.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &str| {
        let mut calls = line.split(" > ").map(call);
        let (tool, args) = calls.next().unwrap();
        let other = calls.next();
        Case { tool, args, other }
    };
    lines.map(case).collect()
}

/// `words` writes the tasks, blocks and jobs.
async fn world(words: impl Fn(&ToolHarness) -> ToolHarness) -> ToolHarness {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    harness.register("U1", |_| ()).await;
    let writer = words(&harness);
    let call = json!({"title": "Call", "estimatedMinutes": 30, "dueDate": "tomorrow"});
    writer.ok("task_createTask", call).await;
    let planned = writer.task("Planned", 10, "low").await;
    let block = writer.block("monday", "work 09:00-11:00 Focus").await;
    writer.block("monday", "break 12:00-13:00 Lunch").await;
    writer.assign(&planned, &block).await;
    let job = json!({"say": "Stand-up", "days": ["mon", "wed"], "time": "10:00"});
    writer.ok("job_createJob", job).await;
    harness
}

/// Removes what differs when a thing is created again.
fn without_ids(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let is_new = |name: &str| name == "id" || name == "jobId" || name == "createdAt";
            fields.retain(|name, _| !is_new(name));
            fields.values_mut().for_each(without_ids);
        }
        Value::Array(items) => {
            items.iter_mut().for_each(without_ids);
            items.sort_by_key(Value::to_string);
        }
        _ => {}
    }
}

/// All that the person has, and whether reading it taints.
async fn state(harness: &ToolHarness) -> (Value, bool) {
    let context = &harness.context;
    let stored = users::get(&*context.store, &context.team, context.user_id()).await;
    let user = stored.unwrap().unwrap().user;
    let mut state = vec![json!({"zone": user.timezone, "preferences": user.preferences})];
    let mut tainted = user.preferences.personality_tainted;
    for (tool, args) in [
        ("task_viewTasks", json!({})),
        ("task_viewTasks", json!({"status": "completed"})),
        ("schedule_viewWeek", json!({"date": "monday"})),
        ("job_viewJobs", json!({})),
    ] {
        let output = harness.output(tool, args).await;
        tainted |= output.flow == Some(Flow::UNKNOWN);
        state.push(Value::Object(output.data));
    }
    let mut state = Value::from(state);
    without_ids(&mut state);
    (state, tainted)
}

async fn take_back(harness: &ToolHarness, undo: &[UndoCall]) -> Result<()> {
    for call in undo {
        let mut later = harness.clone();
        later.context.call.left.clone_from(&call.left);
        let output = later.run(&call.tool, call.arguments.clone()).await?;
        later.commit(&output).await.unwrap();
    }
    Ok(())
}

#[test]
fn every_writing_tool_has_a_call() {
    let cases = cases();
    for tool in crate::catalogue() {
        let def = tool.def();
        let writes = def.effect != Effect::Read && TOOLSETS.contains(&&*def.toolset.name);
        let is_called = cases.iter().any(|case| case.tool == def.name);
        assert_eq!(writes, is_called, "{}", def.name);
    }
}

#[tokio::test]
async fn an_undo_restores_what_was() {
    for Case { tool, args, .. } in cases() {
        let harness = world(ToolHarness::clone).await;
        let (before, tainted) = state(&harness).await;
        assert!(!tainted, "{tool} {args}");
        let output = harness.output(&tool, args.clone()).await;
        let (after, _) = state(&harness).await;
        assert_ne!(after, before, "{tool} {args} changes nothing");
        let undo = output.receipt.unwrap().undo;
        assert!(!undo.is_empty(), "{tool} {args} has no undo");
        take_back(&harness, &undo).await.unwrap();
        assert_eq!(state(&harness).await.0, before, "{tool} {args}");
    }
}

#[tokio::test]
async fn what_was_changed_since_is_not_undone() {
    for case in cases() {
        let Some((other, change)) = case.other else {
            continue;
        };
        let harness = world(ToolHarness::clone).await;
        let output = harness.output(&case.tool, case.args).await;
        harness.ok(&other, change).await;
        let (before, _) = state(&harness).await;
        let error = take_back(&harness, &output.receipt.unwrap().undo).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("changed since"), "{}: {error}", case.tool);
        assert_eq!(state(&harness).await.0, before, "{}", case.tool);
    }
}

#[tokio::test]
async fn of_two_calls_at_once_one_takes_effect() {
    for Case { tool, args, .. } in cases() {
        let adds = crate::tool(&tool).unwrap().def().adds && tool != "schedule_createTimeBlock";
        let harness = world(ToolHarness::clone).await;
        let first = harness.run(&tool, args.clone()).await.unwrap();
        let second = harness.run(&tool, args.clone()).await.unwrap();
        assert!(!first.writes.is_empty(), "{tool} {args}");
        harness.commit(&first).await.unwrap();
        assert_eq!(harness.commit(&second).await.is_ok(), adds, "{tool} {args}");
    }
}

#[tokio::test]
async fn a_run_with_others_words_taints_what_it_writes() {
    for Case { tool, args, .. } in cases() {
        // What is gone can't taint, and numbers aren't words.
        if tool.contains("delete") || tool.starts_with("preference") {
            continue;
        }
        let harness = world(ToolHarness::clone).await;
        harness.tainted().output(&tool, args.clone()).await;
        assert!(state(&harness).await.1, "{tool} {args}");
    }
}

#[tokio::test]
async fn what_others_wrote_taints_the_run_that_changes_it() {
    for Case { tool, args, .. } in cases() {
        let adds = crate::tool(&tool).unwrap().def().adds;
        if adds || tool.starts_with("preference") || tool == "schedule_batchCreateBlocks" {
            continue;
        }
        let harness = world(ToolHarness::tainted).await;
        let output = harness.output(&tool, args.clone()).await;
        assert_eq!(output.flow, Some(Flow::UNKNOWN), "{tool} {args}");
        // Undone, other people's words would count as the person's own.
        if tool.contains("deleteT") {
            assert_eq!(output.receipt.unwrap().undo, [], "{tool} {args}");
        }
    }
}

#[tokio::test]
async fn nobody_changes_what_is_somebody_elses() {
    let harness = world(ToolHarness::clone).await;
    let before = state(&harness).await;
    for Case { tool, args, .. } in cases() {
        if crate::tool(&tool).unwrap().def().adds || tool == "schedule_batchCreateBlocks" {
            continue;
        }
        for stranger in harness.strangers() {
            let error = stranger.fails(&tool, args.clone()).await;
            let is_unknown = error.contains("isn't among ") || error.contains("aren't registered");
            assert!(is_unknown, "{tool} {args}: {error}");
        }
    }
    assert_eq!(state(&harness).await, before);
}
