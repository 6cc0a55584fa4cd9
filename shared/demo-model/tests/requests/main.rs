//! The demo model through the model port: what a message asks tools for, and what it is answered.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

use alfred_core::ports::{Message, Model, ModelError, Output, ToolSpec, Turn, TurnRequest};
use alfred_demo_model::DemoModel;
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

mod strangers;

/// Tools as the person's chief of staff is given them.
fn tools() -> Vec<ToolSpec> {
    let tools = alfred_tools::catalogue();
    tools.iter().map(|tool| tool.spec()).collect()
}

fn request(messages: &[Message]) -> TurnRequest {
    let prompt = "Role: admin\nNow: 2026-11-21 Saturday 14:05, time zone Europe/Lisbon\n";
    let system = Message::System {
        text: prompt.into(),
    };
    TurnRequest {
        messages: std::iter::once(&system).chain(messages).cloned().collect(),
        tools: tools().into(),
        output: Output::Text,
        max_output_tokens: 100,
        timeout: Duration::from_secs(1),
    }
}

async fn turn(request: &TurnRequest) -> Result<Turn, ModelError> {
    static MODEL: LazyLock<DemoModel> = LazyLock::new(|| DemoModel::new().unwrap());
    MODEL.turn(request, &mut |_| {}).await
}

/// A conversation, and what its calls give.
#[derive(Default)]
struct Case<'a> {
    messages: Vec<Message>,
    given: HashMap<&'a str, &'a str>,
    calls: Vec<String>,
    refused: bool,
    answer: String,
}

impl Case<'_> {
    /// The calls that a message leads to, and what it is answered, a line each.
    async fn said(&mut self, text: &str) -> String {
        self.messages.push(Message::user(text.replace("\\n", "\n")));
        let mut shown = String::new();
        let mut request = request(&self.messages);
        loop {
            let turn = turn(&request).await.unwrap();
            for call in &turn.tool_calls {
                shown += &format!("  {}{}\n", call.name, call.arguments);
                self.calls.push(format!("{}{}", call.name, call.arguments));
            }
            if turn.tool_calls.is_empty() {
                shown += &format!("  {}\n", turn.text.replace('\n', "\n  "));
                self.refused = turn.refused;
                self.answer = turn.text.clone();
                let (text, tool_calls) = (turn.text.into(), [].into());
                self.messages.push(Message::Assistant { text, tool_calls });
                return shown;
            }
            let given = turn.tool_calls.iter().filter_map(|call| {
                Some(Message::Tool {
                    call_id: call.id.as_str().into(),
                    text: (*self.given.get(call.name.as_str())?).into(),
                })
            });
            let given: Vec<Message> = given.collect();
            if given.is_empty() {
                return shown;
            }
            let (text, tool_calls) = ("".into(), turn.tool_calls.into());
            request
                .messages
                .push(Message::Assistant { text, tool_calls });
            request.messages.extend(given);
        }
    }
}

/// `INSTA_UPDATE=always` writes what is said now.
#[tokio::test]
async fn messages_are_understood_as_written_down() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/cases.txt");
    let cases = std::fs::read_to_string(&path).unwrap();
    let (mut case, mut now) = (Case::default(), String::new());
    for line in cases.lines().filter(|line| !line.starts_with("  ")) {
        now += &format!("{line}\n");
        let (sign, rest) = line.split_at(line.len().min(1));
        match sign {
            "" => case = Case::default(),
            "#" => {}
            "@" => case.given.extend(rest.split_once(' ')),
            "~" => case.messages = vec![Message::user(rest.trim().replace("\\n", "\n"))],
            "+" => now += &case.said(rest.trim()).await,
            _ => {
                case.messages.clear();
                now += &case.said(line).await;
            }
        }
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        std::fs::write(path, &now).unwrap();
    }
    for (now, was) in now.split("\n\n").zip(cases.split("\n\n")) {
        assert_eq!(now.trim_end(), was.trim_end());
    }
}

/// Examples are what help and refusals offer: each is understood, and by the tool whose file it is in.
#[tokio::test]
async fn every_example_is_understood_by_its_tool() {
    let looks = [
        "email_viewEmails",
        "approval_list",
        "schedule_findGaps",
        "schedule_viewSchedule",
        "schedule_viewWeek",
        "task_viewTasks",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("patterns");
    let mut examples = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let tool = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let Some(text) = line.strip_prefix("? ").or(line.strip_prefix("> ")) else {
                continue;
            };
            let text = text.split_once(" | ").map_or(text, |(_, text)| text);
            let turn = turn(&request(&[Message::user(text)])).await.unwrap();
            let [call] = turn.tool_calls.as_slice() else {
                panic!("{text}: {turn:?}")
            };
            let (name, looks) = (call.name.as_str(), looks.contains(&call.name.as_str()));
            assert!(looks || name == tool, "{text}: {call:?}");
            examples += 1;
        }
    }
    assert!(examples >= 50, "{examples} examples");
}

#[tokio::test]
async fn help_has_twenty_lines_at_most() {
    let help = turn(&request(&[Message::user("help")])).await.unwrap().text;
    assert!(help.lines().count() <= 20, "{help}");
}

#[tokio::test]
async fn it_needs_no_team_and_can_lead_none() {
    let json = |schema| Output::Json {
        name: "predicate",
        schema,
    };
    let mut request = request(&[Message::user("is this complex?")]);
    request.output = json(json!({"properties": {"result": {"type": "boolean"}}}));
    assert_eq!(turn(&request).await.unwrap().text, "{\"result\": false}");
    request.output = json(json!({"properties": {"teams": {"type": "array"}}}));
    let refused = turn(&request).await;
    assert!(matches!(refused, Err(ModelError::Refused { .. })));
}
