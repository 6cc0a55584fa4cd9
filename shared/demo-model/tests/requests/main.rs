//! The demo model through the model port: what a message asks tools for, and what it is answered.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod alone;
mod followed;

use alfred_core::ports::{Message, Model, ModelError, Output, ToolSpec, Turn, TurnRequest};
use alfred_demo_model::DemoModel;
use serde_json::Value;
use std::time::Duration;

/// Tools as the person's chief of staff is given them.
fn tools() -> Vec<ToolSpec> {
    let tools = alfred_tools::catalogue();
    tools.iter().map(|tool| tool.spec()).collect()
}

fn request(messages: Vec<Message>) -> TurnRequest {
    let prompt = "Role: admin\nNow: 2026-11-21 Saturday 14:05, time zone Europe/Lisbon\n";
    let system = Message::System {
        text: prompt.into(),
    };
    TurnRequest {
        messages: std::iter::once(system).chain(messages).collect(),
        tools: tools().into(),
        output: Output::Text,
        max_output_tokens: 100,
        timeout: Duration::from_secs(1),
    }
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

async fn turn(request: &TurnRequest) -> Result<Turn, ModelError> {
    DemoModel::new().unwrap().turn(request, &mut |_| {}).await
}

/// The calls that messages lead to, or what they are answered; a look finds what `looks` has for its tool.
async fn said(messages: Vec<Message>, looks: &[(&str, Value)]) -> String {
    let mut request = request(messages);
    let mut shown = Vec::new();
    loop {
        let turn = turn(&request).await.unwrap();
        shown.extend(
            turn.tool_calls
                .iter()
                .map(|call| format!("{}{}", call.name, call.arguments)),
        );
        if turn.tool_calls.is_empty() {
            shown.push(turn.text.clone());
        }
        let found = turn.tool_calls.iter().filter_map(|call| {
            let (_, found) = looks.iter().find(|(tool, _)| *tool == call.name)?;
            Some(Message::Tool {
                call_id: call.id.as_str().into(),
                text: found.to_string().into(),
            })
        });
        let found: Vec<Message> = found.collect();
        if found.is_empty() {
            return shown.join("\n");
        }
        request.messages.push(Message::Assistant {
            text: "".into(),
            tool_calls: turn.tool_calls.into(),
        });
        request.messages.extend(found);
    }
}

async fn each(requests: &[&str]) -> String {
    let mut shown = String::new();
    for text in requests {
        shown += &format!(
            "{text}\n  {}\n",
            said(vec![user(text)], &[]).await.replace('\n', "\n  ")
        );
    }
    shown
}
