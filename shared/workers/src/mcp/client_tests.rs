use super::*;
use crate::mcp::host::{Host, Limits};
use crate::mcp::session::MOST_DESCRIPTION;
use crate::mcp::settings::Settings;
use alfred_testkit::mcp_server::McpServer;
use alfred_testkit::wait::out_of_time;
use alfred_testkit::{LIMIT, eventually, within_blocking};
use serde_json::json;
use std::io::Read;

/// The server with these settings, named `s`.
pub(crate) fn server(settings: Value, host: &Host) -> Server {
    let config = json!({"servers": {"s": settings}, "tools": ["s/look.up"]});
    Settings::named(config, "", host).unwrap().remove(0).server
}

/// Long limits, for slow machines.
pub(crate) fn patient() -> Host {
    let limits = Limits {
        learn: Duration::from_secs(60),
        start: Duration::from_secs(60),
        call: Duration::from_secs(60),
    };
    Host {
        limits,
        ..Host::one_machine()
    }
}

pub(crate) fn with_variable(variable: fn(&str) -> Option<String>) -> Host {
    Host {
        variable,
        ..patient()
    }
}

pub(crate) async fn described(settings: Value, host: &Host) -> Result<Described, String> {
    let server = server(settings, host);
    let described = describe(&server, &["look.up"]).await;
    let mut described = described.map_err(|error| error.to_string())?;
    Ok(described.remove(0))
}

#[tokio::test]
async fn a_server_that_says_nothing_usable_is_a_typed_error() {
    for case in include_str!("describe_cases.txt").lines() {
        let (mode, expected) = case.split_once(" ==> ").unwrap();
        let mut host = patient();
        if matches!(mode, "silent" | "noise") {
            // It never answers, so a short limit suffices.
            host.limits.learn = Duration::from_millis(400);
        }
        let said = described(McpServer::behaving(mode).settings(), &host).await;
        assert_eq!(said.unwrap_err(), expected, "{mode}");
    }
    let nobody = described(json!({"command": "/no/such/program"}), &patient()).await;
    let expected = "s can't be started: No such file or directory (os error 2)";
    assert_eq!(nobody.unwrap_err(), expected);
    let mut unset = McpServer::behaving("well").settings();
    unset["env"] = json!({"KEY": "${MCP_NO_SUCH_KEY}"});
    let unset = described(unset, &patient()).await;
    let expected = "s: env.KEY: the environment has no MCP_NO_SUCH_KEY";
    assert_eq!(unset.unwrap_err(), expected);
}

#[tokio::test]
async fn a_description_is_bounded_and_has_nothing_unseen() {
    let long = McpServer::behaving("long");
    let said = described(long.settings(), &patient()).await.unwrap();
    let said = said.description;
    assert!(said.starts_with("Looks things up. xxx"), "{said}");
    assert_eq!(said.chars().count(), MOST_DESCRIPTION);
}

/// The outcome of a call as text.
async fn called(stand_in: &McpServer, host: &Host, known: &Described) -> String {
    let mut settings = stand_in.settings();
    settings["env"] = json!({"NAMED": "${MCP_NAMED}"});
    let server = server(settings, host);
    let arguments = Map::from_iter([("what".to_owned(), json!("tea"))]);
    let answer = call(&server, "look.up", known, arguments, "run_1:c1").await;
    match answer {
        Ok(Answer { text, cut }) => format!("{text}{}", if cut { "…" } else { "" }),
        Err(CallError::Failed(answer)) => format!("failed: {}", answer.text),
        Err(CallError::NotMade(error)) => format!("not made: {error}"),
        Err(CallError::Unknown(why)) => format!("unknown: {why}"),
    }
}

#[tokio::test]
async fn a_call_has_an_answer_or_an_outcome_that_is_typed() {
    let host = with_variable(|_| Some("value".into()));
    let well = McpServer::behaving("well");
    let known = described(well.settings(), &host).await.unwrap();
    for case in include_str!("call_cases.txt").lines() {
        let (mode, expected) = case.split_once(" ==> ").unwrap();
        let stand_in = McpServer::behaving(mode);
        let call = called(&stand_in, &host, &known);
        let said = if mode == "silent-call" {
            let reached = eventually(LIMIT, "the call at the server", async || {
                (!stand_in.calls().is_empty()).then_some(())
            });
            out_of_time(reached, call).await.0
        } else {
            call.await
        };
        assert_eq!(said, expected, "{mode}");
        assert_eq!(stand_in.calls(), ["run_1:c1"], "{mode}: the key goes along");
    }
    let wordy = called(&McpServer::behaving("wordy"), &host, &known).await;
    assert_eq!(wordy, format!("{}…", "x".repeat(MOST_RESULT)));
    let env = called(&McpServer::behaving("env"), &host, &known).await;
    let names: Vec<&str> = env.split(' ').collect();
    assert!(names.contains(&"NAMED") && names.contains(&"PATH"), "{env}");
    assert!(!names.contains(&"CARGO_MANIFEST_DIR"), "{env}");
}

#[tokio::test]
async fn a_tool_that_is_described_otherwise_by_now_is_not_called() {
    let stand_in = McpServer::behaving("changes");
    let host = with_variable(|_| Some("value".into()));
    let known = described(stand_in.settings(), &host).await.unwrap();
    let said = called(&stand_in, &host, &known).await;
    let expected =
        "not made: s/look.up: the server describes it differently by now, so it wasn't called";
    assert_eq!(said, expected);
    assert_eq!(stand_in.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn all_that_a_server_started_ends_with_it() {
    let tie = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let stand_in = McpServer::behaving("family");
    let mut settings = stand_in.settings();
    let port = tie.local_addr().unwrap().port();
    settings["env"] = json!({"TIE": port.to_string()});
    described(settings, &patient()).await.unwrap();
    let accepted = within_blocking(LIMIT, "the server's child to connect", move || tie.accept());
    let (mut held, _) = accepted.unwrap();
    held.set_read_timeout(Some(LIMIT)).unwrap();
    // The stream ends once nothing holds its other end. The server's child holds it while it lives.
    let read = held.read_to_end(&mut Vec::new());
    let reset = |error: std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
    assert!(read.map_or_else(reset, |_| true));
}

#[tokio::test]
async fn a_server_of_another_make_is_understood() {
    let python = alfred_testkit::tools::python_with(&[("mcp-server-time", "2026.10.19")]);
    let python = python.join("bin/python");
    let args = ["-m", "mcp_server_time", "--local-timezone", "UTC"];
    let settings = json!({"command": python, "args": args});
    let server = server(settings, &patient());
    let known = describe(&server, &["convert_time"]).await.unwrap();
    let required = json!(["source_timezone", "time", "target_timezone"]);
    assert_eq!(known[0].schema["required"], required);
    let noon = json!({"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "UTC"});
    let Value::Object(arguments) = noon else {
        panic!()
    };
    let tool = "convert_time";
    let answer = call(&server, tool, &known[0], arguments, "k").await;
    let answer = answer.unwrap();
    assert!(answer.text.contains("T03:00:00+00:00"), "{}", answer.text);
    let missing = call(&server, tool, &known[0], Map::new(), "k").await;
    assert!(matches!(missing, Err(CallError::Failed(_))), "{missing:?}");
}
