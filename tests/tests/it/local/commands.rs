use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpListener;

use crate::local::cli::{Cli, ends, steady};
use crate::local::process::claimed_port;

#[tokio::test]
async fn a_question_gets_a_time_and_a_word_about_the_demo() {
    let cli = Cli::new();
    let text = cli.said("ask 'What time is it in Tokyo?'").await;
    let digits = text.replace(|c: char| c.is_ascii_digit(), "0");
    assert!(digits.contains("00:00") && text.contains("Tokyo"), "{text}");
    assert!(text.contains("demo:offline"), "{text}");
    let last = text.trim_end().lines().last().unwrap();
    let run_id = last.split_whitespace().nth(1).unwrap();
    assert_eq!(last, format!("run {run_id}  (alfred trace {run_id})"));
    let traced = cli.said(&format!("trace {run_id}")).await;
    assert!(traced.starts_with(run_id));
}

#[tokio::test]
async fn json_is_the_workers_contract() {
    let cli = Cli::new();
    let answer = cli.said_json("ask --json 'Add a task: call Ben'").await;
    let output: alfred_core::WorkerOutput = serde_json::from_value(answer.clone()).unwrap();
    assert!(output.success, "{answer}");
    assert_eq!(output.actions_taken, ["Created task \"Call Ben\""]);
    assert_eq!(answer["requires_approval"], false);
    assert_snapshot!(answer["effects"], @r#"[{"line":"✓ Created task \"Call Ben\" (your backlog)","state":"done"}]"#);
    let answer = cli.said_json("ask --json 'Show my tasks'").await;
    assert_eq!(answer["effects"], Value::Array(vec![]));
    let shown = answer["result"].as_str().unwrap();
    assert_eq!(shown.matches("Call Ben").count(), 1, "{shown}");
}

#[tokio::test]
async fn a_model_that_is_not_there_fails_the_request_in_clear_words() {
    let cli = Cli::new();
    let mut command = cli.command("ask 'What time is it?'");
    let closed = claimed_port();
    let url = format!("http://{}/v1", closed.local_addr().unwrap());
    command
        .env("ALFRED_MODEL", "mine:m")
        .env("ALFRED_MODEL_URL", url);
    assert_snapshot!(steady(&ends(1, &mut command).await), @r"
    I couldn't reach my language model just now. Please try again in a moment.

    Nothing was sent or changed.

    run run_1  (alfred trace run_1)
    ");
}

#[tokio::test]
async fn wrong_usage_is_told_apart_from_failure() {
    let cli = Cli::new();
    for line in ["ask", "asc hello", "tools --port many", "trace"] {
        let text = cli.ends(2, line).await;
        assert!(text.contains("--help"), "{line}: {text}");
    }
    let mut said = String::new();
    for line in [
        "ask --user zzz hello",
        "run-tool --user zzz time_now",
        "users add U0BEN00001 --role king",
        "users forget U0BEN00001",
    ] {
        said += &format!("$ alfred {line}\n{}", cli.ends(2, line).await);
    }
    let mut command = cli.command("ask hello");
    said += &ends(2, command.env("ALFRED_MODEL", "gpt")).await;
    assert_snapshot!(said, @r#"
    $ alfred ask --user zzz hello
    alfred: --user: nobody is called "zzz"; there are ana, ben, chiyo
    $ alfred run-tool --user zzz time_now
    alfred: --user: nobody is called "zzz"; there are ana, ben, chiyo
    $ alfred users add U0BEN00001 --role king
    alfred: invalid value 'king' for '--role <ROLE>': it is none of admin, member, guest

    For more information, try '--help'.
    $ alfred users forget U0BEN00001
    alfred: this deletes everything stored of U0BEN00001 and can't be undone; repeat it with --yes
    alfred: ALFRED_MODEL: "gpt" isn't provider:model, such as openai:gpt-5.2 or ollama:llama3.3:70b
    "#);
}

#[tokio::test]
async fn usage_is_told_apart_by_the_process_that_serves_too() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    assert_snapshot!(cli.ends(2, "ask --user zzz hi").await, @r#"alfred: --user: nobody is called "zzz"; there are ana, ben, chiyo"#);
    serving.kill().await;
}

#[tokio::test]
async fn while_one_serves_the_others_talk_to_it() {
    let cli = Cli::new();
    cli.said("ask 'Add a task: before'").await;
    let serving = cli.serve().await;
    cli.said("ask 'Add a task: meanwhile'").await;
    let shown = cli.said("ask 'Show my tasks'").await;
    assert_snapshot!(steady(&shown), @"
    You have 2 tasks:
    - Before (medium priority, 30 min)
    - Meanwhile (medium priority, 30 min)

    Nothing was sent or changed.

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)

    run run_1  (alfred trace run_1)
    ");
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    let messages = page["messages"].as_array().unwrap().iter();
    let own = messages.filter(|message| message["bot_id"].is_null());
    let texts: Vec<&str> = own.filter_map(|message| message["text"].as_str()).collect();
    assert_eq!(
        texts,
        [
            "Add a task: before",
            "Add a task: meanwhile",
            "Show my tasks"
        ]
    );
    serving.kill().await;
}

#[tokio::test]
async fn a_second_process_is_refused() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let text = cli.ends(1, "serve --port 0").await;
    assert!(text.contains("in use by process"), "{text}");
    assert!(text.contains(&serving.address), "{text}");
    assert!(text.contains(cli.data().to_str().unwrap()), "{text}");
    cli.said("ask 'What time is it?'").await;
    serving.kill().await;
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let text = Cli::new().ends(1, &format!("serve --port {port}")).await;
    let (words, _) = text.rsplit_once(": ").unwrap();
    assert_snapshot!(words.replace(&port, "PORT"), @"alfred: port PORT of 127.0.0.1 is taken; choose another one with --port, or --port 0");
}

#[tokio::test]
async fn a_damaged_database_is_refused_and_left_as_it_is() {
    let cli = Cli::new();
    cli.said("ask 'Add a task: keep me'").await;
    let file = cli.data().join("alfred.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let page = bytes.len().min(8_192);
    bytes[100..page].fill(0xa5);
    std::fs::File::create(&file)
        .and_then(|mut damaged| damaged.write_all(&bytes))
        .unwrap();
    let mut said = BTreeSet::new();
    for line in ["serve --port 0", "ask hello", "users list"] {
        said.insert(cli.ends(1, line).await);
        let left = std::fs::read(&file).unwrap();
        assert!(left == bytes, "{line} changed the file");
    }
    assert_eq!(said.len(), 1, "{said:?}");
    let said = said.pop_first().unwrap();
    assert_snapshot!(said.replace(file.to_str().unwrap(), "FILE"), @"alfred: FILE is damaged (database disk image is malformed); nothing was changed. Restore it from a backup, or move it away, with the files of the same name in -wal and -shm, to start empty");
}

#[tokio::test]
async fn a_run_is_shown_as_a_tree_by_either_id_with_and_without_an_owner() {
    let cli = Cli::new();
    cli.said("ask 'Add a task: trace me'").await;
    let trace = claimed_trace(&cli).await;
    let tree = cli.said(&format!("trace {trace}")).await;
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
    let serving = cli.serve().await;
    assert_eq!(cli.said(&format!("trace {run_id}")).await, tree);
    let whole = cli.said_json(&format!("trace --json {run_id}")).await;
    assert_eq!(whole["run"]["trace_id"], trace.as_str());
    let steps = whole["steps"].as_array().unwrap();
    assert_eq!(whole["run"]["progress"]["steps"], steps.len());
    assert_snapshot!(cli.ends(1, "trace run_none").await, @"alfred: there is no run run_none in the workspace T0LOCAL001; --team names another one");
    serving.kill().await;
}

async fn claimed_trace(cli: &Cli) -> String {
    let serving = cli.serve().await;
    let page = serving.get("/client/messages?channel=D0ANA00001").await;
    serving.kill().await;
    let ts = page["messages"][0]["ts"].as_str().unwrap();
    alfred_core::TraceId::derive(&"T0LOCAL001".into(), &format!("msg:D0ANA00001:{ts}")).0
}

#[tokio::test]
async fn the_tools_are_listed_with_their_schemas() {
    let cli = Cli::new();
    let tools = cli.said_json("tools --json").await;
    let tools = tools.as_array().unwrap();
    let catalogue = alfred_tools::catalogue();
    assert_eq!(tools.len(), catalogue.len());
    let words = cli.said("tools").await;
    for (listed, tool) in tools.iter().zip(&catalogue) {
        let name = &*tool.def().name;
        assert_eq!(listed["name"], name);
        assert_eq!(listed["parameters"]["type"], "object", "{name}");
        jsonschema::validator_for(&listed["parameters"]).expect(name);
        assert!(words.contains(name), "{name}");
    }
    let open_anything = std::fs::read_dir(cli.data()).unwrap().next().is_some();
    assert!(!open_anything, "listing tools needs no data folder");
}

/// Requests to this machine bypass a configured proxy.
#[tokio::test]
async fn a_proxy_is_not_used_on_the_way_to_ourselves() {
    let cli = Cli::new();
    let closed = claimed_port();
    let proxy = format!("http://{}", closed.local_addr().unwrap());
    let ask = async || {
        let mut command = cli.command("ask 'What time is it?'");
        ends(
            0,
            command.env("HTTP_PROXY", &proxy).env("http_proxy", &proxy),
        )
        .await
    };
    ask().await;
    let serving = cli.serve().await;
    ask().await;
    serving.kill().await;
}

#[tokio::test]
async fn questions_side_by_side_on_one_folder_are_all_answered() {
    let cli = Cli::new();
    let ask = || cli.said("ask 'Add a task: call Ben'");
    tokio::join!(ask(), ask(), ask(), ask());
    let tasks = cli.said("ask 'show my tasks'").await;
    assert_eq!(tasks.matches("- Call Ben (").count(), 4, "{tasks}");
}

#[tokio::test]
async fn what_gets_no_run_is_answered_in_words() {
    let cli = Cli::new();
    let long = format!("ask --json {}", "x".repeat(50_000));
    let mut said = String::new();
    for (code, line) in [
        (1, "ask --json '  '"),
        (1, long.as_str()),
        (2, "--json --user zzz ask hi"),
    ] {
        let answer: Value = serde_json::from_str(&cli.ends(code, line).await).unwrap();
        assert_eq!(answer["result"], Value::Null);
        said += &format!("{}\n", answer["error"].as_str().unwrap());
    }
    assert_snapshot!(said, @r#"
    You wrote nothing I can read. What can I do for you?
    That is too long for one message: Slack takes 40000 characters. Could you split it?
    --user: nobody is called "zzz"; there are ana, ben, chiyo
    "#);
}
