//! Anthropic's Messages API (<https://platform.claude.com/docs/en/api/messages>). Each turn repeats the previous
//! messages, which are marked for the cache (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>).

mod answer;

use alfred_core::model::{
    Blocks, USER, allows_strict, alternating, before_call, before_message, in_words, plain,
    sendable_object,
};
use alfred_core::ports::{InputFile, Message, Output, ToolCall, TurnRequest};
use serde_json::{Value, json};

use super::client::{Target, WireFormat};
use super::variant::JsonMode;
use answer::Answer;

pub(super) struct Anthropic;

impl WireFormat for Anthropic {
    const PATH: &'static str = "/messages";
    type Answer = Answer;

    fn body(to: Target<'_>, request: &TurnRequest) -> Value {
        let from = (to.provider, to.model);
        let mut system = system(&request.messages);
        let mut turns = turns(&request.messages, from);
        let mut body = json!({
            "model": to.model,
            "max_tokens": to.cap,
            "stream": to.variant.stream,
        });
        if let Output::Json { schema, .. } = &request.output {
            if to.variant.json == JsonMode::Schema && allows_strict(schema) {
                body["output_config"] =
                    json!({"format": {"type": "json_schema", "schema": schema}});
            } else {
                system.push(text(&in_words(schema)));
            }
        }
        // A question without tools is asked once, so writing the cache would only cost more.
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
            });
            let mut tools: Vec<Value> = tools.collect();
            mark(tools.last_mut());
            body["tools"] = tools.into();
            mark(system.last_mut());
            // The end of the previous request is marked too. So the cache has it, however much was added.
            for turn in turns.iter_mut().rev().filter(|turn| turn.0 == USER).take(2) {
                mark(turn.1.last_mut());
            }
        }
        if !system.is_empty() {
            body["system"] = Value::Array(system);
        }
        let message = |(role, content): Blocks| json!({"role": role, "content": content});
        body["messages"] = turns.into_iter().map(message).collect();
        body
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Caches the prompt up to this block.
fn mark(block: Option<&mut Value>) {
    if let Some(block) = block {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn system(messages: &[Message]) -> Vec<Value> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text),
        _ => None,
    });
    texts.map(|it| text(it)).collect()
}

fn turns(messages: &[Message], from: (&str, &str)) -> Vec<Blocks> {
    alternating(messages, |message| match message {
        Message::System { .. } => Vec::new(),
        Message::User { text } => said(text),
        Message::Files { files } => files.iter().map(file).collect(),
        Message::Assistant { text, tool_calls } => assistant(text, tool_calls, from),
        Message::Tool { call_id, text } => vec![json!({
            "type": "tool_result", "tool_use_id": plain(call_id), "content": &**text
        })],
    })
}

/// <https://platform.claude.com/docs/en/build-with-claude/vision>, `…/pdf-support`
fn file(file: &InputFile) -> Value {
    let source = json!({"type": "base64", "media_type": file.media_type, "data": &*file.base64});
    if file.is_image() {
        json!({"type": "image", "source": source})
    } else {
        json!({"type": "document", "title": file.name, "source": source})
    }
}

fn said(words: &str) -> Vec<Value> {
    match words.trim_end() {
        "" => Vec::new(),
        words => vec![text(words)],
    }
}

fn assistant(words: &str, calls: &[ToolCall], (provider, model): (&str, &str)) -> Vec<Value> {
    let mut blocks = before_message(calls, provider, model).to_vec();
    blocks.extend(said(words));
    for call in calls {
        blocks.extend_from_slice(before_call(call, provider, model));
        blocks.push(json!({
            "type": "tool_use", "id": plain(&call.id), "name": plain(&call.name),
            "input": sendable_object(&call.arguments),
        }));
    }
    blocks
}
