//! The request body (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>), with
//! marks up to where it is cached (<https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>).

use alfred_core::model::{
    Blocks, USER, allows_strict, alternating, before_call, before_message, in_words, plain,
    sendable_object,
};
use alfred_core::ports::{InputFile, Message, Output, ToolCall, ToolSpec, TurnRequest};
use serde_json::{Value, json};

use super::PROVIDER;
use super::refusal::Refusal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    Everywhere,
    /// Nova refuses them behind the tools.
    NotInTools,
    Nowhere,
}

/// How a model wants things said, which it tells by what it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    marks: Marks,
    /// A schema as a field of the request; else in words.
    schema: bool,
}

impl Ways {
    /// A guess by the name; what stands behind a profile of one's own isn't known.
    pub(super) fn of(id: &str) -> Self {
        let marks = match id {
            id if id.contains("anthropic.claude") => Marks::Everywhere,
            id if id.contains("amazon.nova") => Marks::NotInTools,
            _ => Marks::Nowhere,
        };
        let schema = true;
        Self { marks, schema }
    }

    /// Another way to say it, if a refusal is about the way. Each is given up once, so this ends.
    pub(super) fn after(self, refusal: &Refusal, request: &TurnRequest) -> Option<Self> {
        if self.marks != Marks::Nowhere && refusal.is_about_caching() {
            let marks = match self.marks {
                Marks::Everywhere => Marks::NotInTools,
                Marks::NotInTools | Marks::Nowhere => Marks::Nowhere,
            };
            return Some(Self { marks, ..self });
        }
        let asks_json = matches!(request.output, Output::Json { .. });
        (self.schema && asks_json && refusal.may_be_about_the_shape()).then_some(Self {
            schema: false,
            ..self
        })
    }
}

pub(super) fn body(id: &str, request: &TurnRequest, ways: Ways) -> Value {
    // A question without tools is asked once: writing it into the cache would only cost more.
    let cached = ways.marks != Marks::Nowhere && !request.tools.is_empty();
    let mut system = system(&request.messages);
    let mut turns = turns(&request.messages, id);
    let mut body = json!({"inferenceConfig": {"maxTokens": request.max_output_tokens}});
    if let Output::Json { name, schema } = &request.output {
        if ways.schema && allows_strict(schema) {
            body["outputConfig"] = json!({"textFormat": {"type": "json_schema", "structure": {
                "jsonSchema": {"name": name, "schema": schema.to_string()},
            }}});
        } else {
            system.push(text(&in_words(schema)));
        }
    }
    if cached {
        system.push(mark());
        // What was last when the turn before was asked for is found at its mark, however much came behind it.
        for turn in turns.iter_mut().rev().filter(|turn| turn.0 == USER).take(2) {
            turn.1.push(mark());
        }
    }
    if !system.is_empty() {
        body["system"] = Value::Array(system);
    }
    let turns = turns.into_iter();
    let turns = turns.map(|(role, content)| json!({"role": role, "content": content}));
    body["messages"] = turns.collect();
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
        tools.extend((ways.marks == Marks::Everywhere).then(mark));
        body["toolConfig"] = json!({"tools": tools});
    }
    body
}

fn mark() -> Value {
    json!({"cachePoint": {"type": "default"}})
}

fn text(text: &str) -> Value {
    json!({"text": text})
}

fn tool(tool: &ToolSpec) -> Value {
    json!({"toolSpec": {
        "name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters},
    }})
}

fn system(messages: &[Message]) -> Vec<Value> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text),
        _ => None,
    });
    texts.map(|it| text(it)).collect()
}

fn turns(messages: &[Message], id: &str) -> Vec<Blocks> {
    alternating(messages, |message| match message {
        Message::System { .. } => Vec::new(),
        Message::User { text } => said(text),
        Message::Files { files } => files.iter().enumerate().map(file).collect(),
        Message::Assistant { text, tool_calls } => assistant(text, tool_calls, id),
        Message::Tool { call_id, text } => {
            let result = json!({"toolUseId": plain(call_id), "content": [{"text": &**text}]});
            vec![json!({"toolResult": result})]
        }
    })
}

/// A document's name may hold little, and steers the model: it gets none of its own
/// (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html).
fn file((at, file): (usize, &InputFile)) -> Value {
    let source = json!({"bytes": &*file.base64});
    match file.media_type.strip_prefix("image/") {
        Some(format) => json!({"image": {"format": format, "source": source}}),
        None => {
            json!({"document": {"format": "pdf", "name": format!("File {}", at + 1), "source": source}})
        }
    }
}

fn said(words: &str) -> Vec<Value> {
    match words.trim_end() {
        "" => Vec::new(),
        words => vec![text(words)],
    }
}

fn assistant(words: &str, calls: &[ToolCall], id: &str) -> Vec<Value> {
    let reasoning = |it: &Value| json!({"reasoningContent": it});
    let before = before_message(calls, PROVIDER, id);
    let mut blocks: Vec<Value> = before.iter().map(reasoning).collect();
    blocks.extend(said(words));
    for call in calls {
        blocks.extend(before_call(call, PROVIDER, id).iter().map(reasoning));
        blocks.push(json!({"toolUse": {
            "toolUseId": plain(&call.id), "name": plain(&call.name),
            "input": sendable_object(&call.arguments),
        }}));
    }
    blocks
}
