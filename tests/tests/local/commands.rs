//! The command line, as a person uses it.

use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

use crate::process::{Serving, alfred, run, stderr, stdout};

/// One that no other account gets into, or the first word would be about that.
pub fn folder() -> TempDir {
    let mut builder = tempfile::Builder::new();
    let ours = Permissions::from_mode(0o700);
    builder.permissions(ours).tempdir().unwrap()
}

/// Runs a command that must succeed, and gives its stdout.
pub async fn said(data: &Path, arguments: &[&str]) -> String {
    let output = run(&mut alfred(data, arguments)).await;
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

pub async fn said_json(data: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(data, arguments).await).unwrap()
}

pub async fn serve(data: &Path) -> Serving {
    Serving::start(alfred(data, &["serve", "--port", "0"]), data).await
}

/// An address where nobody listens.
fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn has_a_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .windows(5)
        .any(|five| five[2] == b':' && [0, 1, 3, 4].iter().all(|&at| five[at].is_ascii_digit()))
}

#[tokio::test]
async fn a_question_gets_a_time_and_a_word_about_the_demo() {
    let data = folder();
    let text = said(data.path(), &["ask", "What time is it in Tokyo?"]).await;
    assert!(has_a_time(&text) && text.contains("Tokyo"), "{text}");
    assert!(text.contains("demo:offline"), "{text}");
    let last = text.trim_end().lines().last().unwrap();
    let run_id = last.split_whitespace().nth(1).unwrap();
    assert_eq!(last, format!("run {run_id}  (alfred trace {run_id})"));
    assert!(
        said(data.path(), &["trace", run_id])
            .await
            .starts_with(run_id)
    );
}

#[tokio::test]
async fn json_is_the_workers_contract() {
    let data = folder();
    let answer = said_json(data.path(), &["ask", "--json", "Add a task: call Ben"]).await;
    let output: alfred_core::WorkerOutput = serde_json::from_value(answer.clone()).unwrap();
    assert!(output.success, "{answer}");
    assert_eq!(
        output.actions_taken,
        ["Created task \"Call Ben\""],
        "{answer}"
    );
    assert_eq!(answer["requires_approval"], json!(false));
    let line = "✓ Created task \"Call Ben\" (your backlog)";
    assert_eq!(answer["effects"], json!([{"state": "done", "line": line}]));
    let answer = said_json(data.path(), &["ask", "--json", "Show my tasks"]).await;
    assert_eq!(answer["effects"], json!([]));
    let shown = answer["result"].as_str().unwrap();
    assert_eq!(shown.matches("Call Ben").count(), 1, "{shown}");
}

#[tokio::test]
async fn a_model_that_is_not_there_fails_the_request_in_clear_words() {
    let data = folder();
    let mut command = alfred(data.path(), &["ask", "What time is it?"]);
    command
        .env("ALFRED_MODEL", "mine:m")
        .env("ALFRED_MODEL_URL", format!("http://{}/v1", closed_port()));
    let output = run(&mut command).await;
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("language model"), "{text}");
}

#[tokio::test]
async fn wrong_usage_is_told_apart_from_failure() {
    let data = folder();
    for arguments in [
        &["ask"][..],
        &["asc", "hello"],
        &["tools", "--port", "many"],
        &["trace"],
    ] {
        let output = run(&mut alfred(data.path(), arguments)).await;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("--help"), "{}", stderr(&output));
    }
    for (arguments, part) in [
        (&["ask", "--user", "zzz", "hello"][..], "ben"),
        (&["run-tool", "--user", "zzz", "time_now"], "ben"),
        (
            &["users", "add", "U0BEN00001", "--role", "king"],
            "admin, member, guest",
        ),
        (&["users", "forget", "U0BEN00001"], "--yes"),
    ] {
        let output = run(&mut alfred(data.path(), arguments)).await;
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(part), "{arguments:?}: {text}");
    }
    let mut command = alfred(data.path(), &["ask", "hello"]);
    let output = run(command.env("ALFRED_MODEL", "gpt")).await;
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("ALFRED_MODEL") && text.contains("provider:model"),
        "{text}"
    );
}

#[tokio::test]
async fn usage_is_told_apart_by_the_process_that_serves_too() {
    let data = folder();
    let serving = serve(data.path()).await;
    let output = run(&mut alfred(data.path(), &["ask", "--user", "zzz", "hi"])).await;
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("zzz"), "{}", stderr(&output));
    serving.kill().await;
}

#[tokio::test]
async fn while_one_serves_the_others_talk_to_it() {
    let data = folder();
    said(data.path(), &["ask", "Add a task: before"]).await;
    let serving = serve(data.path()).await;
    said(data.path(), &["ask", "Add a task: meanwhile"]).await;
    let shown = said(data.path(), &["ask", "Show my tasks"]).await;
    assert!(
        shown.contains("Before") && shown.contains("Meanwhile"),
        "{shown}"
    );
    // The process that serves saw every message: its page has them.
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    let texts: Vec<&str> = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["text"].as_str())
        .collect();
    for asked in [
        "Add a task: before",
        "Add a task: meanwhile",
        "Show my tasks",
    ] {
        assert!(texts.contains(&asked), "{texts:?}");
    }
    serving.kill().await;
}

#[tokio::test]
async fn a_second_process_is_refused() {
    let data = folder();
    let serving = serve(data.path()).await;
    let output = run(&mut alfred(data.path(), &["serve", "--port", "0"])).await;
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    let path = data.path().canonicalize().unwrap();
    assert!(text.contains("in use by process"), "{text}");
    assert!(text.contains(&serving.address), "{text}");
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    said(data.path(), &["ask", "What time is it?"]).await;
    serving.kill().await;
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let data = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let output = run(&mut alfred(data.path(), &["serve", "--port", &port])).await;
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains(&port) && text.contains("--port"), "{text}");
}

#[tokio::test]
async fn a_damaged_database_is_refused_and_left_as_it_is() {
    let data = folder();
    said(data.path(), &["ask", "Add a task: keep me"]).await;
    let file = data.path().canonicalize().unwrap().join("alfred.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let page = bytes.len().min(8_192);
    bytes[100..page].fill(0xa5);
    std::fs::File::create(&file)
        .and_then(|mut damaged| damaged.write_all(&bytes))
        .unwrap();
    for arguments in [
        &["serve", "--port", "0"][..],
        &["ask", "hello"],
        &["users", "list"],
    ] {
        let output = run(&mut alfred(data.path(), arguments)).await;
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains(file.to_str().unwrap()), "{text}");
        assert!(
            text.contains("damaged") && text.contains("move it away"),
            "{text}"
        );
        assert!(
            std::fs::read(&file).unwrap() == bytes,
            "{arguments:?} changed the file"
        );
    }
}

#[tokio::test]
async fn a_run_is_shown_as_a_tree_by_either_id_with_and_without_an_owner() {
    let data = folder();
    said(data.path(), &["ask", "Add a task: trace me"]).await;
    let trace = claimed_trace(data.path()).await;
    let tree = said(data.path(), &["trace", &trace]).await;
    let run_id = tree.split_whitespace().next().unwrap();
    assert!(run_id.starts_with("run_"), "{tree}");
    for part in [
        "done",
        "asked: Add a task: trace me",
        "task_createTask",
        "Created task",
    ] {
        assert!(tree.contains(part), "{part} in {tree}");
    }
    let serving = serve(data.path()).await;
    assert_eq!(said(data.path(), &["trace", run_id]).await, tree);
    let whole = said_json(data.path(), &["trace", "--json", run_id]).await;
    assert_eq!(whole["run"]["trace_id"], trace.as_str());
    let steps = whole["steps"].as_array().unwrap();
    assert_eq!(whole["run"]["steps"], steps.len());
    let output = run(&mut alfred(data.path(), &["trace", "run_none"])).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("run_none"), "{}", stderr(&output));
    serving.kill().await;
}

/// The trace of the one message Ana has written, as the page shows it.
async fn claimed_trace(data: &Path) -> String {
    let serving = serve(data).await;
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    serving.kill().await;
    let ts = page["messages"][0]["ts"].as_str().unwrap();
    alfred_core::TraceId::derive(&"T0LOCAL001".into(), &format!("msg:D0ANA00001:{ts}")).0
}

#[tokio::test]
async fn the_tools_are_listed_with_their_schemas() {
    let data = folder();
    let tools = said_json(data.path(), &["tools", "--json"]).await;
    let tools = tools.as_array().unwrap();
    let catalogue = alfred_tools::catalogue();
    assert_eq!(tools.len(), catalogue.len());
    let words = said(data.path(), &["tools"]).await;
    for (listed, tool) in tools.iter().zip(&catalogue) {
        let name = &*tool.def().name;
        assert_eq!(listed["name"], name);
        assert_eq!(listed["parameters"]["type"], "object", "{name}");
        jsonschema::validator_for(&listed["parameters"]).expect(name);
        assert!(words.contains(name), "{name}");
    }
    let open_anything = std::fs::read_dir(data.path()).unwrap().next().is_some();
    assert!(!open_anything, "listing tools needs no data folder");
}

/// Everything stays on this machine: a proxy for the outside isn't asked.
#[tokio::test]
async fn a_proxy_is_not_used_on_the_way_to_ourselves() {
    let data = folder();
    let proxy = format!("http://{}", closed_port());
    let mut command = alfred(data.path(), &["ask", "What time is it?"]);
    let output = run(command.env("HTTP_PROXY", &proxy).env("http_proxy", &proxy)).await;
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let serving = serve(data.path()).await;
    let mut command = alfred(data.path(), &["ask", "What time is it?"]);
    let output = run(command.env("HTTP_PROXY", &proxy).env("http_proxy", &proxy)).await;
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serving.kill().await;
}

#[tokio::test]
async fn questions_side_by_side_on_one_folder_are_all_answered() {
    let data = folder();
    let ask = || async {
        let mut command = alfred(data.path(), &["ask", "Add a task: call Ben"]);
        run(&mut command).await
    };
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    for output in [a, b, c, d] {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let tasks = said(data.path(), &["ask", "show my tasks"]).await;
    assert_eq!(tasks.matches("**Call Ben**").count(), 4, "{tasks}");
}

#[tokio::test]
async fn what_gets_no_run_is_answered_in_words() {
    let data = folder();
    for (request, part) in [
        ("  ".to_owned(), "nothing I can read"),
        ("x".repeat(50_000), "40000"),
    ] {
        let output = run(&mut alfred(data.path(), &["ask", "--json", &request])).await;
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(answer["result"], Value::Null);
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    let nobody = run(&mut alfred(
        data.path(),
        &["--json", "--user", "zzz", "ask", "hi"],
    ))
    .await;
    let answer: Value = serde_json::from_str(&stdout(&nobody)).unwrap();
    assert!(
        answer["error"].as_str().unwrap().contains("zzz"),
        "{answer}"
    );
}
