//! The demo model through the model port: the calls that a message leads to, and the answers.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

use alfred_core::ports::{
    Message, Model, ModelError, Output, TextSink, ToolSpec, Turn, TurnRequest, Usage,
};
use alfred_demo_model::DemoModel;
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

mod cases;
mod files;

/// The tools of a person's chief of staff.
static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let tools = alfred_tools::catalogue();
    tools.iter().map(|tool| tool.spec()).collect()
});

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn request(messages: &[Message]) -> TurnRequest {
    let system = Message::System {
        text: "Role: admin\nNow: 2026-11-21 Saturday 14:05, time zone Europe/Lisbon\n".into(),
    };
    TurnRequest {
        messages: std::iter::once(&system).chain(messages).cloned().collect(),
        tools: Arc::clone(&TOOLS),
        output: Output::Text,
        max_output_tokens: 100,
        timeout: Duration::from_secs(1),
        sink: TextSink::default(),
    }
}

async fn turn(request: &TurnRequest) -> Result<Turn, ModelError> {
    static MODEL: LazyLock<DemoModel> = LazyLock::new(|| DemoModel::new().unwrap());
    MODEL.turn(request, &mut Usage::default()).await
}

/// A conversation, and the results of its calls.
#[derive(Default)]
struct Conversation<'a> {
    messages: Vec<Message>,
    given: HashMap<&'a str, &'a str>,
}

/// The calls that a message leads to, and the answer, if the results of all calls are given.
#[derive(Default)]
struct Reply {
    calls: Vec<String>,
    answer: Option<String>,
    refused: bool,
}

impl Conversation<'_> {
    async fn says(&mut self, text: &str) -> Reply {
        self.messages.push(Message::user(text.replace("\\n", "\n")));
        let mut reply = Reply::default();
        let mut request = request(&self.messages);
        loop {
            let turn = turn(&request).await.unwrap();
            let calls = turn.tool_calls.iter();
            let calls = calls.map(|call| format!("{}{}", call.name, call.arguments));
            reply.calls.extend(calls);
            if turn.tool_calls.is_empty() {
                reply.refused = turn.refused;
                reply.answer = Some(turn.text.clone());
                let (text, tool_calls) = (turn.text.into(), [].into());
                self.messages.push(Message::Assistant { text, tool_calls });
                return reply;
            }
            let results = turn.tool_calls.iter().filter_map(|call| {
                Some(Message::Tool {
                    call_id: call.id.as_str().into(),
                    text: (*self.given.get(call.name.as_str())?).into(),
                })
            });
            let results: Vec<Message> = results.collect();
            if results.len() < turn.tool_calls.len() {
                return reply;
            }
            let (text, tool_calls) = ("".into(), turn.tool_calls.into());
            let called = Message::Assistant { text, tool_calls };
            request.messages.push(called);
            request.messages.extend(results);
        }
    }
}

#[tokio::test]
async fn it_needs_no_team_and_can_lead_none() {
    let mut request = request(&[Message::user("is this complex?")]);
    let mut asks_for = |schema| {
        let name = "predicate";
        request.output = Output::Json { name, schema };
        request.clone()
    };
    let result = asks_for(json!({"properties": {"result": {"type": "boolean"}}}));
    assert_eq!(turn(&result).await.unwrap().text, "{\"result\": false}");
    let teams = asks_for(json!({"properties": {"teams": {"type": "array"}}}));
    let refused = turn(&teams).await;
    assert!(matches!(refused, Err(ModelError::Refused { .. })));
}
