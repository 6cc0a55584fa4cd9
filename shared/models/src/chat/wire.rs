//! The request body (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::model::{allows_strict, in_words};
use alfred_core::ports::{Output, ToolSpec, TurnRequest};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::client::{Target, WireFormat};
use super::super::connection::Refusal;
use super::super::variant::{JsonMode, Variant};
use super::answer::Answer;
use super::fields;
use super::messages::Messages;

pub(in super::super) struct Chat;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Messages<'a>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl WireFormat for Chat {
    const PATH: &'static str = "/chat/completions";
    const JSON_MODES: &'static [JsonMode] = &[JsonMode::Schema, JsonMode::Object, JsonMode::Words];
    type Answer = Answer;

    fn body(to: Target<'_>, request: &TurnRequest) -> serde_json::Result<Vec<u8>> {
        let Target { model, variant, .. } = to;
        let cap = Some(to.cap);
        let (format, words) = output(&request.output, variant.json);
        serde_json::to_vec(&Body {
            model,
            messages: Messages::new(&request.messages, words, to),
            stream: variant.stream,
            stream_options: (variant.stream && variant.stream_options).then_some(StreamOptions {
                include_usage: true,
            }),
            max_completion_tokens: cap.filter(|_| variant.completion_cap),
            max_tokens: cap.filter(|_| !variant.completion_cap),
            response_format: format,
        })
    }

    fn tools(tools: &[ToolSpec]) -> serde_json::Result<Vec<u8>> {
        let each = tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            }})
        });
        serde_json::to_vec(&each.collect::<Vec<Value>>())
    }

    fn without_field(variant: Variant, start: Variant, refusal: &Refusal) -> Option<Variant> {
        fields::without(variant, start, refusal)
    }
}

/// `response_format`, and the instruction it needs if the format alone isn't enough.
fn output(output: &Output, mode: JsonMode) -> (Option<Value>, Option<String>) {
    let Output::Json { name, schema } = output else {
        return (None, None);
    };
    let words = || Some(in_words(schema));
    match mode {
        JsonMode::Schema => {
            let format = json!({
                "type": "json_schema",
                "json_schema": { "name": name, "schema": schema, "strict": allows_strict(schema) },
            });
            (Some(format), None)
        }
        JsonMode::Object => (Some(json!({ "type": "json_object" })), words()),
        JsonMode::Words => (None, words()),
    }
}
