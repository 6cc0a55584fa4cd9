//! The messages of a request (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::model::{given, sendable};
use alfred_core::ports::{InputFile, Message, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

use super::super::client::Target;
use super::super::variant::Echoes;

pub(super) fn to_json(messages: &[Message], to: Target<'_>) -> Vec<Value> {
    let mut ids = HashMap::new();
    if to.variant.short_ids {
        for call in messages.iter().flat_map(calls) {
            let next = format!("c{:08}", ids.len());
            ids.entry(call.id.as_str()).or_insert(next);
        }
    }
    let writer = Writer { to, ids };
    let messages = messages.iter();
    messages.map(|message| writer.message(message)).collect()
}

fn calls(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { tool_calls, .. } => tool_calls,
        _ => &[],
    }
}

struct Writer<'a> {
    to: Target<'a>,
    ids: HashMap<&'a str, String>,
}

impl Writer<'_> {
    fn id<'b>(&'b self, id: &'b str) -> &'b str {
        self.ids.get(id).map_or(id, String::as_str)
    }

    fn message(&self, message: &Message) -> Value {
        match message {
            Message::System { text } => json!({"role": "system", "content": &**text}),
            // Plain text isn't sent as parts, since not every endpoint accepts them.
            Message::User { text } => json!({"role": "user", "content": &**text}),
            Message::Files { files } => {
                let parts: Vec<Value> = files.iter().map(part).collect();
                json!({"role": "user", "content": parts})
            }
            Message::Assistant { text, tool_calls } => self.assistant(text, tool_calls),
            Message::Tool { call_id, text } => {
                json!({"role": "tool", "tool_call_id": self.id(call_id), "content": &**text})
            }
        }
    }

    fn assistant(&self, text: &str, calls: &[ToolCall]) -> Value {
        let mut message = json!({"role": "assistant", "content": text});
        let Some(first) = calls.first() else {
            return message;
        };
        if text.is_empty() {
            // The reference requires null for calls without text.
            message["content"] = Value::Null;
        }
        message["tool_calls"] = calls.iter().map(|call| self.call(call)).collect();
        let given = given(first, self.to.provider, self.to.model);
        let reasoning = given.map(|echo| &echo.message);
        self.echo(&mut message, reasoning, Echoes::Reasoned);
        message
    }

    fn call(&self, call: &ToolCall) -> Value {
        let mut written = json!({
            "id": self.id(&call.id),
            "type": "function",
            "function": {"name": call.name, "arguments": sendable(&call.arguments)},
        });
        let given = given(call, self.to.provider, self.to.model);
        self.echo(&mut written, given.map(|echo| &echo.call), Echoes::Signed);
        written
    }

    /// Adds the given fields, or a replacement if the endpoint requires some here.
    fn echo(&self, to: &mut Value, given: Option<&Map<String, Value>>, required: Echoes) {
        let echoes = self.to.variant.echoes;
        if echoes == Echoes::Never {
            return;
        }
        let mut fields = given.cloned().unwrap_or_default();
        if fields.is_empty() && echoes == required {
            let (field, value) = match required {
                Echoes::Signed => {
                    let mark = "skip_thought_signature_validator";
                    let google = json!({"google": {"thought_signature": mark}});
                    ("extra_content", google)
                }
                _ => ("reasoning_content", json!("")),
            };
            fields.insert(field.into(), value);
        }
        if let Value::Object(written) = to {
            written.append(&mut fields);
        }
    }
}

/// A file as a message part (<https://platform.openai.com/docs/guides/pdf-files>).
fn part(file: &InputFile) -> Value {
    let url = file.data_url();
    if file.is_image() {
        json!({"type": "image_url", "image_url": {"url": url}})
    } else {
        json!({"type": "file", "file": {"filename": file.name, "file_data": url}})
    }
}
