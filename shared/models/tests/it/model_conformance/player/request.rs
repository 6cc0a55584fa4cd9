//! What a case asks.

use alfred_core::ports::{InputFile, Message, Output, ToolCall, ToolSpec, Turn, TurnRequest};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A question with one tool, 60 s for everything.
pub fn request() -> TurnRequest {
    TurnRequest {
        messages: vec![Message::system("Be Alfred."), Message::user("Time?")],
        tools: Arc::new([ToolSpec {
            name: "time_now".into(),
            description: "The time.".into(),
            parameters: json!({"type": "object", "properties": {"timezone": {"type": "string"}}}),
        }]),
        output: Output::Text,
        max_output_tokens: 500,
        timeout: Duration::from_secs(60),
    }
}

pub fn asked_for_json(request: &mut TurnRequest) {
    request.tools = Arc::new([]);
    request.output = Output::Json {
        name: "predicate",
        schema: json!({"type": "object", "properties": {"result": {"type": "boolean"}},
            "required": ["result"], "additionalProperties": false}),
    };
}

pub fn picture(bytes: usize) -> Message {
    let picture = file("cat.png", "image/png", &"A".repeat(bytes));
    Message::Files {
        files: [picture].into(),
    }
}

fn file(name: &str, media_type: &str, base64: &str) -> InputFile {
    InputFile {
        name: name.into(),
        media_type: media_type.into(),
        base64: base64.into(),
    }
}

/// An empty answer, files, and calls with good, broken and no arguments.
pub fn story() -> Vec<Message> {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: "time_now".into(),
        arguments: arguments.into(),
        echo: None,
    };
    let says = |text: &str, calls: Vec<ToolCall>| Message::Assistant {
        text: text.into(),
        tool_calls: calls.into(),
    };
    let result = |id: &str| Message::Tool {
        call_id: id.into(),
        text: "{\"success\":true}".into(),
    };
    let png = file("cat.png", "image/png", "iVBORw==");
    let pdf = file("offer (final).pdf", "application/pdf", "JVBERg==");
    let both = vec![
        call("c1", "{\"timezone\":\"Asia/Tokyo\"}"),
        call("c2", "{\"half\":"),
    ];
    vec![
        says(" ", vec![]),
        Message::user("Well?"),
        says("Both.", both),
        result("c1"),
        result("c2"),
        says("", vec![call("c3", "")]),
        result("c3"),
        Message::Files {
            files: [png, pdf].into(),
        },
        Message::user("What is it?"),
    ]
}

/// The results of the calls of a turn, as a run that was stored in between sends them back.
pub fn go_on(request: &mut TurnRequest, turn: Turn) {
    let stored = serde_json::to_string(&turn).unwrap();
    let turn: Turn = serde_json::from_str(&stored).unwrap();
    let results: Vec<Message> = turn
        .tool_calls
        .iter()
        .map(|call| Message::Tool {
            call_id: call.id.as_str().into(),
            text: "{\"success\":true}".into(),
        })
        .collect();
    request.messages.push(Message::Assistant {
        text: turn.text.into(),
        tool_calls: turn.tool_calls.into(),
    });
    request.messages.extend(results);
}
