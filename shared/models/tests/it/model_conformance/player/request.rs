//! What a case asks.

use alfred_core::ports::{
    InputFile, Message, Output, TextSink, ToolCall, ToolSpec, Turn, TurnRequest,
};
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
        sink: TextSink::default(),
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
    let picture = InputFile {
        name: "cat.png".into(),
        media_type: "image/png".into(),
        base64: "A".repeat(bytes).into(),
    };
    Message::Files {
        files: [picture].into(),
    }
}

/// An empty answer, files, and calls with good, broken and no arguments.
pub fn story() -> Vec<Message> {
    serde_json::from_str(include_str!("story.json")).unwrap()
}

/// The results of the calls of a turn, as a run that was stored in between sends them back.
pub fn go_on(request: &mut TurnRequest, turn: Turn) {
    let stored = serde_json::to_string(&turn).unwrap();
    let turn: Turn = serde_json::from_str(&stored).unwrap();
    let calls: Arc<[ToolCall]> = turn.tool_calls.into();
    request.messages.push(Message::Assistant {
        text: turn.text.into(),
        tool_calls: calls.clone(),
    });
    let result = |call: &ToolCall| Message::Tool {
        call_id: call.id.as_str().into(),
        text: "{\"success\":true}".into(),
    };
    request.messages.extend(calls.iter().map(result));
}
