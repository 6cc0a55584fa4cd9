use alfred_testkit::{LIMIT, eventually};
use insta::assert_snapshot;
use serde_json::Value;
use std::path::Path;

use crate::local::cli::{Cli, ends, folder, steady};
use crate::local::process::Serving;

#[tokio::test]
async fn a_tool_is_called_without_a_model_with_and_without_an_owner() {
    let cli = Cli::new();
    let task = r#"'{"title": "Call Ben", "estimatedMinutes": 20}'"#;
    let made = format!("run-tool --json task_createTask {task}");
    let made = cli.said_json(&made).await;
    assert_eq!(made["success"], true);
    assert_eq!(made["task"]["estimatedMinutes"], 20);
    let serving = cli.serve().await;
    let words = cli.said("run-tool task_viewTasks").await;
    assert!(words.contains("\"Call Ben\""), "{words}");
    assert!(!words.contains("demo:offline"), "{words}");
    let run_id = words.trim_end().lines().last().unwrap();
    let run_id = run_id.split_whitespace().nth(1).unwrap();
    let tree = cli.said_json(&format!("trace --json {run_id}")).await;
    assert_eq!(tree["run"]["progress"]["usage"]["input_tokens"], 0);
    assert_eq!(tree["run"]["work"]["by"], "call");
    let mut steps = tree["steps"].as_array().unwrap().iter();
    let unasked = steps.all(|step| step["did"]["model"] != "demo:offline");
    assert!(unasked, "{tree:#}");
    // Slack shows what was done, but not what was read.
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    let messages = page["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let seen = messages
        .iter()
        .map(|message| alfred_tests::seen("", message["blocks"].as_array().unwrap()));
    assert_snapshot!(seen.collect::<String>(), @r#"
Done.
✓ Created task "Call Ben" (your backlog)
[Undo]
"#);
    serving.kill().await;
}

#[tokio::test]
async fn mistakes_in_a_call_are_usage_and_touch_nothing() {
    let cli = Cli::new();
    let mut said = String::new();
    for call in [
        "task_creatTask '{}'",
        "task_createTask '{}'",
        "task_createTask '{\"titel\": 1}'",
        "task_createTask title=x",
    ] {
        said += &cli.ends(2, &format!("run-tool {call}")).await;
    }
    assert_snapshot!(said, @r#"
    alfred: There is no tool called task_creatTask. Did you mean task_createTask, task_updateTask, task_completeTask?
    alfred: task_createTask can't take that: "title" is a required property.
    alfred: task_createTask can't take that: Additional properties are not allowed ('titel' was unexpected); "title" is a required property.
    alfred: task_createTask can't take that: the arguments are not valid JSON (expected ident at line 1 column 2).
    "#);
    assert!(std::fs::read_dir(cli.data()).unwrap().next().is_none());
}

#[tokio::test]
async fn what_a_tool_refuses_fails_the_command() {
    let cli = Cli::new();
    let mut said = String::new();
    for call in [
        "--user ana schedule_viewSchedule '{\"date\": \"someday\"}'",
        "--user chiyo task_createTask '{\"title\": \"x\"}'",
    ] {
        said += &cli.ends(1, &format!("run-tool {call}")).await;
    }
    assert_snapshot!(steady(&said), @"
That didn't work: “someday” is no date. A date such as 2026-11-27, today, tomorrow, yesterday or friday would do.

Nothing was sent or changed.

run run_1  (alfred trace run_1)
Only a member may use task_createTask. You can run the tools that only read, such as schedule_viewSchedule.

✗ Not done: Used task_createTask (not allowed)
Nothing was sent or changed.

run run_1  (alfred trace run_1)
");
}

/// Signed, verified and queued, as in Slack.
#[tokio::test]
async fn a_slash_command_calls_a_tool_without_a_model() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let text = "run schedule_createTimeBlock date=tomorrow type=work title=“Deep work” startTime=9am endTime=\"10:30 am\"";
    let command = serde_json::json!({
        "user": "U0ANA00001", "channel": "D0ANA00001", "command": "/alfred", "text": text,
    });
    let taken = serving.post("/client/command", &command).await;
    assert_eq!(taken.status(), 200);
    let answer = eventually(LIMIT, "the answer is there", async || {
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

pub fn worker(folder: &Path, text: &str) -> String {
    let path = folder.join("mine.worker");
    std::fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// The option that trusts exactly this file and the workers it may call.
pub async fn trust(cli: &Cli, file: &str) -> String {
    let checked = cli.said_json(&format!("worker check --json {file}")).await;
    format!("--trust {}", checked["digest"].as_str().unwrap())
}

#[tokio::test]
async fn a_worker_file_runs_with_its_own_toolsets_only() {
    let (cli, files) = (Cli::new(), folder());
    let clock = "---\nname: clock\ntoolsets:\n  time: {}\n---\nYou tell the time.\n";
    let file = worker(files.path(), clock);
    let trust = trust(&cli, &file).await;
    let question = format!("worker run {trust} {file} 'What time is it in Tokyo?'");
    let words = cli.said(&question).await;
    assert!(words.contains("Tokyo"), "{words}");
    let serving = cli.serve().await;
    // The demo model would create the task, but this worker lacks the tool.
    let task = format!("worker run --json {file} 'Add a task: call Ben'");
    let output = cli.ends(1, &task).await;
    serving.kill().await;
    let output: alfred_core::WorkerOutput = serde_json::from_str(&output).unwrap();
    assert!(!output.success, "{output:?}");
    assert!(output.actions_taken.is_empty(), "{output:?}");
    let tasks = cli.said_json("run-tool --json task_viewTasks").await;
    assert_eq!(tasks["tasks"], Value::Array(vec![]), "{tasks}");
}

#[tokio::test]
async fn a_program_is_checked_with_all_whom_its_worker_may_call() {
    let (cli, files) = (Cli::new(), folder());
    let team = files.path().join("workers");
    std::fs::create_dir(&team).unwrap();
    let lead =
        "---\nname: lead\ntoolsets:\n  workers: {allowed_workers: [clock]}\n---\nYou lead.\n";
    let clock = "---\nname: clock\ntoolsets:\n  time: {}\n---\nYou tell the time.\n";
    let lead = worker(files.path(), lead);
    std::fs::write(team.join("clock.worker"), clock).unwrap();
    let said = cli.said(&format!("worker check {lead}")).await;
    std::fs::write(team.join("clock.worker"), clock.replace("time", "tide")).unwrap();
    let said = said + &cli.ends(2, &format!("worker run {lead} hi")).await;
    assert_snapshot!(said.replace(files.path().to_str().unwrap(), "FOLDER"), @r#"
    lead: workers; calls clock (FOLDER/mine.worker)
    clock: time (FOLDER/workers/clock.worker)
    alfred: FOLDER/workers/clock.worker:4:3: there is no toolset "tide"; there are: approval, calendar, content, custom, docs, email, filesystem, focus, job, mcp, preference, schedule, sheets, skills, slack, system, task, time, toolset, triage, user, web, workers, workflow
    "#);
}

#[tokio::test]
async fn a_policy_about_nothing_stops_the_start() {
    let cli = Cli::new();
    let mut said = String::new();
    for policy in [
        r#"{"tools": {"slack_sendMesage": "blocked"}}"#,
        r#"{"workers": {"utilty": {}}}"#,
        r#"{"users": {"ana": {}}}"#,
        r#"{"mode": "auto"}"#,
    ] {
        let mut command = cli.command("ask hi");
        said += &ends(2, command.env("ALFRED_POLICY", policy)).await;
    }
    assert_snapshot!(said, @r#"
    alfred: ALFRED_POLICY: tools: there is no tool "slack_sendMesage"; `alfred tools` lists them
    alfred: ALFRED_POLICY: workers: no worker "utilty" calls tools; those that do: communications/correspondent, communications/manager, communications/reader, data/analyst, data/manager, data/recorder, direct, marketing/manager, marketing/writer, research/manager, research/reader, research/searcher, scheduling/manager, scheduling/planner, scheduling/secretary, utility
    alfred: ALFRED_POLICY: users: "ana" is no Slack user id such as U012AB3CD
    alfred: ALFRED_POLICY: mode: unknown variant `auto`, expected one of `interactive`, `approve_all`, `auto_deny` at line 1 column 15
    "#);
}

#[tokio::test]
async fn approve_all_answers_what_can_be_taken_for_granted_alone() {
    let cli = Cli::new();
    let policy = r#"{"mode": "approve_all"}"#;
    let mut serve = cli.command("serve --port 0");
    serve.env("ALFRED_POLICY", policy);
    let serving = Serving::start(serve, cli.data()).await;
    cli.said("ask 'Add a task: call Ben'").await;
    let deleted = cli.said("ask 'delete the task call Ben'").await;
    assert!(deleted.contains("✓ Deleted task"), "{deleted}");
    for asked in [
        "tell Ben that lunch is at noon",
        "plan my day for 2031-03-03",
    ] {
        cli.ends(3, &format!("ask '{asked}'")).await;
    }
    serving.kill().await;
    let mut interactive = cli.command("serve --port 0");
    interactive.env("ALFRED_POLICY", "{}");
    let serving = Serving::start(interactive, cli.data()).await;
    cli.said("ask 'Add a task: call Ben'").await;
    cli.ends(3, "ask 'delete the task call Ben'").await;
    serving.kill().await;
}

#[tokio::test]
async fn a_worker_file_that_cannot_be_run_is_usage() {
    let (cli, files) = (Cli::new(), folder());
    let mut said = String::new();
    for (text, input) in [
        ("toolsets: {telepathy: {}}", "hi"),
        ("colour: red", "hi"),
        ("mode: chat", "hi"),
        ("", " "),
        ("compatible_models: [\"anthropic:*\"]", "hi"),
    ] {
        let file = worker(files.path(), &format!("name: a\n{text}\ninstructions: x"));
        let trust = match text.contains("models") {
            true => trust(&cli, &file).await,
            false => String::new(),
        };
        said += &cli
            .ends(2, &format!("worker run {trust} {file} '{input}'"))
            .await;
    }
    let file = worker(files.path(), "name: a\ninstructions: x");
    std::fs::write(files.path().join("alfred.yaml"), "sandbox: {root: /}\n").unwrap();
    said += &cli.ends(2, &format!("worker run {file} hi")).await;
    said += &cli.ends(2, "worker run /nowhere/x.worker hi").await;
    let folder = files.path().to_str().unwrap();
    assert_snapshot!(said.replace(folder, "FOLDER"), @r#"
    alfred: FOLDER/mine.worker:2:12: there is no toolset "telepathy"; there are: approval, calendar, content, custom, docs, email, filesystem, focus, job, mcp, preference, schedule, sheets, skills, slack, system, task, time, toolset, triage, user, web, workers, workflow
    alfred: FOLDER/mine.worker:2:1: unknown field `colour`, expected one of `name`, `description`, `instructions`, `mode`, `model`, `compatible_models`, `toolsets`, `allow_empty_input`, `max_context_tokens`, `limits`, `attachment_policy`, `sandbox`
    alfred: FOLDER/mine.worker: mode: it is a chat; `alfred worker chat` begins one
    alfred: FOLDER/mine.worker: the worker needs an input; give it after the file, or set allow_empty_input
    alfred: FOLDER/mine.worker:2:1: compatible_models allows anthropic:*, not demo:offline; set ALFRED_MODEL
    alfred: FOLDER/alfred.yaml:1:11: sandbox.root: /: must be below the program's folder
    alfred: /nowhere/x.worker: No such file or directory (os error 2)
    "#);
}
