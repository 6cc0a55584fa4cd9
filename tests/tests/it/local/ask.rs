//! `alfred ask` with a model that calls tools.

use serde_json::{Value, json};

use crate::local::cli::{Cli, ends};
use crate::local::puppet::{calls, serve_with};

/// Runs a command with a model, which answers each request with a `delta`.
async fn ends_with(cli: &Cli, delta: fn(&Value) -> Value, code: i32, line: &str) -> String {
    let mut command = cli.with_puppet(line, serve_with(delta).await);
    ends(code, &mut command).await
}

fn has_result(request: &Value) -> bool {
    let mut messages = request["messages"].as_array().unwrap().iter();
    messages.any(|message| message["role"] == "tool")
}

const PLAN: &str = r#"{"teams":[{"team":"communications","task":"write to Ben","after":[]}]}"#;
const MESSAGE: &str = r#"{"to": "U0BEN00001", "text": "Lunch?"}"#;

/// The communications team's manager has its correspondent write to Ben.
fn write_by_a_team(request: &Value) -> Value {
    let system = request["messages"][0]["content"].as_str().unwrap();
    match request["response_format"]["json_schema"]["name"].as_str() {
        Some("predicate") => json!({"content": "{\"result\": true}"}),
        Some(_) => json!({"content": PLAN}),
        None if has_result(request) => json!({"content": "Ben knows."}),
        None if system.contains("You manage the communications team") => {
            calls("correspondent", r#"{"input": "write to Ben"}"#)
        }
        None => calls("slack_sendMessage", MESSAGE),
    }
}

#[tokio::test]
async fn ask_ends_when_a_team_asks_for_approval() {
    let cli = Cli::new();
    let card = ends_with(&cli, write_by_a_team, 3, "ask 'write to Ben'").await;
    let (_, id) = card.split_once(" approvals approve ").expect(&card);
    let id = id.split_whitespace().next().unwrap();
    let answer = ends_with(&cli, write_by_a_team, 0, &format!("approvals approve {id}")).await;
    assert!(answer.contains("Ben knows."), "{answer}");
}

fn read_mail(request: &Value) -> Value {
    if request["response_format"]["json_schema"]["name"] == "predicate" {
        json!({"content": "{\"result\": false}"})
    } else if has_result(request) {
        json!({"content": "[Log in](https://evil.example/?d=1), <https://evil.example/?d=2>, https://own.example/a."})
    } else {
        calls("email_viewEmails", "{}")
    }
}

#[tokio::test]
async fn addresses_from_mail_are_cut_to_their_host() {
    let cli = Cli::new();
    let line = "ask 'who writes of https://own.example/a ?'";
    let answer = ends_with(&cli, read_mail, 0, line).await;
    let shown = "[Log in](evil.example), <evil.example>, https://own.example/a.";
    assert!(answer.contains(shown), "{answer}");
}
