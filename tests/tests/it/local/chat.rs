use alfred_testkit::{LIMIT, within};
use insta::assert_snapshot;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;

use crate::local::cli::{Cli, ends, folder, steady};
use crate::local::process::{stderr, stdout};
use crate::local::puppet;
use crate::local::tools::trust;

const MUSE: &str = "---\nname: muse\nmode: chat\ntoolsets:\n  task: {approval: {default: ask}}\n  slack: {}\n---\nYou are muse.\n";

/// Types these lines into a chat. Returns the output without its variable parts.
async fn typed(cli: &Cli, model: &str, file: &str, lines: &[&str]) -> String {
    let trust = trust(cli, file).await;
    let mut command = cli.command(&format!("worker chat {trust} {file}"));
    let mut child = command
        .env("ALFRED_MODEL", "puppet:one")
        .env("ALFRED_MODEL_URL", model)
        .env("PUPPET_API_KEY", "pk-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = format!("{}\n", lines.join("\n"));
    stdin.write_all(lines.as_bytes()).await.unwrap();
    drop(stdin);
    let ended = within(LIMIT, "the end of the chat", child.wait_with_output());
    let output = ended.await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// The number of remembered exchanges per answer, by the runs the output names.
async fn remembered(cli: &Cli, said: &str) -> Vec<usize> {
    let mut counts = Vec::new();
    for line in said.lines().filter(|line| line.starts_with("run run_")) {
        let id = line.split_whitespace().nth(1).unwrap();
        let traced = cli.said_json(&format!("trace --json {id}")).await;
        let history = traced["run"]["before"]["history"].as_array();
        counts.push(history.map_or(0, Vec::len));
    }
    counts
}

#[tokio::test]
async fn a_chat_remembers_asks_and_begins_anew() {
    let (cli, files, model) = (Cli::new(), folder(), puppet::serve().await);
    let path = files.path().join("muse.worker");
    std::fs::write(&path, MUSE).unwrap();
    let file = path.to_str().unwrap();
    let task = r#"task_createTask {"title": "Call Ben"}"#;
    let message = r#"slack_sendMessage {"to": "Ben", "text": "Lunch?"}"#;
    let lines = [
        task,
        "maybe",
        "e",
        "Call Cleo",
        "n not today",
        task,
        "r",
        task,
        message,
        "r",
        "n",
        "/new",
        "hello",
        "/exit",
        "unread",
    ];
    let said = typed(&cli, &model, file, &lines).await;
    // Text, a call that is remembered and repeated, a message; then a new conversation.
    assert_eq!(remembered(&cli, &said).await, [0, 1, 2, 3, 0]);
    let steady_line = |line: &&str| {
        let changes = line.contains("UTC") || line.contains("alfred trace");
        !changes && !line.is_empty()
    };
    let timeless = said.lines().filter(steady_line);
    assert_snapshot!(steady(&timeless.collect::<Vec<_>>().join("\n")), @r#"
    You are talking to muse. /new begins anew, /exit leaves.
    Create a task
    Title: Call Ben
    Estimated minutes: 30
    Priority: medium
    Why I ask: this worker asks before it does that
    y: yes · n: no (a reason may follow) · e: change it first · r: yes, and the same again for 12 hours
    y: yes · n: no (a reason may follow) · e: change it first · r: yes, and the same again for 12 hours
    Write what should stand there instead; an empty line keeps it.
    title: Call Ben
    Create a task
    Title: Call Cleo
    Estimated minutes: 30
    Priority: medium
    Why I ask: this worker asks before it does that
    y: yes · n: no (a reason may follow) · e: change it first · r: yes, and the same again for 12 hours
    That is all.
    ✗ Not done: Create a task: Call Cleo (you rejected it)
    Nothing was sent or changed.
    Create a task
    Title: Call Ben
    Estimated minutes: 30
    Priority: medium
    Why I ask: this worker asks before it does that
    y: yes · n: no (a reason may follow) · e: change it first · r: yes, and the same again for 12 hours
    That is all.
    ✓ Created task "Call Ben" (your backlog)
    That is all.
    ✓ Created task "Call Ben" (your backlog)
    Send a Slack message
    To: Ben Okafor (@ben), a direct message
    │ Lunch?
    Why I ask: it reaches other people
    y: yes · n: no (a reason may follow) · e: change it first
    y: yes · n: no (a reason may follow) · e: change it first
    That is all.
    ✗ Not done: Send a Slack message: Ben Okafor (@ben), a direct message (you rejected it)
    Nothing was sent or changed.
    All right, from the beginning: what we said here is forgotten.
    That is all.
    Nothing was sent or changed.
    "#);
    // The conversation continues, and the unanswered approval still waits.
    let said = typed(&cli, &model, file, &["hi", message]).await;
    assert_eq!(remembered(&cli, &said).await, [1]);
    assert!(said.ends_with("It still waits for you; `alfred approvals list` shows it.\n"));
    let waiting = cli.said("approvals list").await;
    assert!(waiting.contains("Lunch?"), "{waiting}");
}

#[tokio::test]
async fn a_worker_of_one_answer_is_no_chat() {
    let (cli, files) = (Cli::new(), folder());
    let path = files.path().join("clock.worker");
    std::fs::write(&path, "name: clock\ninstructions: x").unwrap();
    let line = format!("worker chat {}", path.display());
    let said = ends(2, &mut cli.command(&line)).await;
    let folder = files.path().to_str().unwrap();
    assert_snapshot!(said.replace(folder, "FOLDER"), @"alfred: FOLDER/clock.worker: mode: it gives one answer; `alfred worker run` asks for it");
}
