//! `alfred run-tool` and `alfred worker run`.

use serde_json::Value;
use std::path::{Path, PathBuf};

use crate::commands::{folder, said, said_json, serve};
use crate::process::{alfred, eventually, run, stderr, stdout};

#[tokio::test]
async fn a_tool_is_called_without_a_model_with_and_without_an_owner() {
    let data = folder();
    let task = r#"{"title": "Call Ben", "estimatedMinutes": 20}"#;
    let made = said_json(
        data.path(),
        &["run-tool", "--json", "task_createTask", task],
    )
    .await;
    assert_eq!(made["success"], true);
    assert_eq!(made["task"]["estimatedMinutes"], 20);
    let serving = serve(data.path()).await;
    let words = said(data.path(), &["run-tool", "task_viewTasks"]).await;
    assert!(words.contains("\"Call Ben\""), "{words}");
    assert!(!words.contains("demo:offline"), "{words}");
    let run_id = words.trim_end().lines().last().unwrap();
    let run_id = run_id.split_whitespace().nth(1).unwrap();
    let tree = said_json(data.path(), &["trace", "--json", run_id]).await;
    assert_eq!(tree["run"]["usage"]["input_tokens"], 0);
    assert_eq!(tree["run"]["work"]["by"], "call");
    let steps = tree["steps"].as_array().unwrap();
    assert!(
        steps
            .iter()
            .all(|step| step["did"]["model"] != "demo:offline"),
        "{tree:#}"
    );
    // The person sees in Slack what was done for them.
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    let texts = page["messages"].to_string();
    assert!(texts.contains("Call Ben"), "{texts}");
    serving.kill().await;
}

#[tokio::test]
async fn mistakes_in_a_call_are_usage_and_touch_nothing() {
    let data = folder();
    for (name, arguments, part) in [
        ("task_creatTask", "{}", "task_createTask"),
        ("task_createTask", "{}", "title"),
        ("task_createTask", "{\"titel\": 1}", "titel"),
        ("task_createTask", "title=x", "JSON"),
    ] {
        let output = run(&mut alfred(data.path(), &["run-tool", name, arguments])).await;
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(std::fs::read_dir(data.path()).unwrap().next().is_none());
}

#[tokio::test]
async fn what_a_tool_refuses_fails_the_command() {
    let data = folder();
    for (user, name, arguments, part) in [
        (
            "ana",
            "schedule_viewSchedule",
            "{\"date\": \"someday\"}",
            "someday",
        ),
        (
            "chiyo",
            "task_createTask",
            "{\"title\": \"x\"}",
            "Only a member",
        ),
    ] {
        let arguments = ["run-tool", "--user", user, name, arguments];
        let output = run(&mut alfred(data.path(), &arguments)).await;
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stdout(&output).contains(part), "{}", stdout(&output));
    }
}

/// As in Slack: signed, verified, queued, answered in the direct message.
#[tokio::test]
async fn a_slash_command_calls_a_tool_without_a_model() {
    let data = folder();
    let serving = serve(data.path()).await;
    let text = "run schedule_createTimeBlock date=tomorrow type=work title=“Deep work” startTime=9am endTime=\"10:30 am\"";
    let command = serde_json::json!({
        "user": "U0ANA00001", "channel": "D0ANA00001", "command": "/alfred", "text": text,
    });
    let taken = serving.post("/client/command", &command).await;
    assert_eq!(taken.status(), 200);
    let answer = eventually("the answer is there", async || {
        let page = serving.get("/client/messages?channel=D0ANA00001").await;
        let messages = page["messages"].as_array().unwrap().clone();
        messages.first().map(Value::to_string)
    })
    .await;
    assert!(answer.contains("title: Deep work"), "{answer}");
    assert!(
        answer.contains("✓") && answer.contains("09:00–10:30"),
        "{answer}"
    );
    serving.kill().await;
}

fn worker(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("mine.worker");
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test]
async fn a_worker_file_runs_with_its_own_toolsets_only() {
    let (data, files) = (folder(), folder());
    let path = worker(
        files.path(),
        "---\nname: clock\ntoolsets:\n  time: {}\n---\nYou tell the time.\n",
    );
    let file = path.to_str().unwrap();
    let words = said(
        data.path(),
        &["worker", "run", file, "What time is it in Tokyo?"],
    )
    .await;
    assert!(words.contains("Tokyo"), "{words}");
    let serving = serve(data.path()).await;
    let arguments = ["worker", "run", "--json", file, "Add a task: call Ben"];
    let output = run(&mut alfred(data.path(), &arguments)).await;
    serving.kill().await;
    // The demo would make the task, but this worker has no such tool, and the demo says so.
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let output: alfred_core::WorkerOutput = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(
        !output.success && output.actions_taken.is_empty(),
        "{output:?}"
    );
    let tasks = said_json(data.path(), &["run-tool", "--json", "task_viewTasks"]).await;
    assert_eq!(tasks["tasks"], Value::Array(vec![]), "{tasks}");
}

#[tokio::test]
async fn a_policy_about_nothing_stops_the_start() {
    let data = folder();
    for (policy, part) in [
        (
            r#"{"tools": {"slack_sendMesage": "blocked"}}"#,
            "tools: there is no tool",
        ),
        (
            r#"{"workers": {"utilty": {}}}"#,
            "workers: no worker \"utilty\"",
        ),
        (r#"{"users": {"ana": {}}}"#, "users: \"ana\""),
        (r#"{"mode": "auto"}"#, "mode: unknown variant"),
    ] {
        let mut command = alfred(data.path(), &["ask", "hi"]);
        command.env("ALFRED_POLICY", policy);
        let output = run(&mut command).await;
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let words = stderr(&output);
        assert!(
            words.contains("ALFRED_POLICY") && words.contains(part),
            "{words}"
        );
    }
}

#[tokio::test]
async fn a_worker_file_that_cannot_be_run_is_usage() {
    let (data, files) = (folder(), folder());
    for (text, input, part) in [
        (
            "name: a\ntoolsets: {telepathy: {}}\ninstructions: x",
            "hi",
            "there is no toolset \"telepathy\"; there are: approval, calendar, email",
        ),
        ("name: a\ncolour: red\ninstructions: x", "hi", "colour"),
        ("name: a\nsandbox: {}\ninstructions: x", "hi", "sandbox"),
        ("name: a\nmode: chat\ninstructions: x", "hi", "chat"),
        ("name: a\ninstructions: x", " ", "allow_empty_input"),
        (
            "name: a\ncompatible_models: [\"anthropic:*\"]\ninstructions: x",
            "hi",
            "anthropic:*",
        ),
    ] {
        let path = worker(files.path(), text);
        let arguments = ["worker", "run", path.to_str().unwrap(), input];
        let output = run(&mut alfred(data.path(), &arguments)).await;
        assert_eq!(output.status.code(), Some(2), "{text}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(part),
            "{part}: {}",
            stderr(&output)
        );
    }
    let path = worker(files.path(), "name: a\ninstructions: x");
    std::fs::write(files.path().join("alfred.yaml"), "sandbox: {root: /}\n").unwrap();
    let arguments = ["worker", "run", path.to_str().unwrap(), "hi"];
    let output = run(&mut alfred(data.path(), &arguments)).await;
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("alfred.yaml: sandbox"),
        "{}",
        stderr(&output)
    );
    let missing = ["worker", "run", "/nowhere/x.worker", "hi"];
    let output = run(&mut alfred(data.path(), &missing)).await;
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}
