//! Chat completions, the API that nearly all servers offer
//! (<https://platform.openai.com/docs/api-reference/chat/create>).

mod answer;
mod calls;
mod messages;

use alfred_core::model::{allows_strict, in_words};
use alfred_core::ports::{Output, TurnRequest};
use serde_json::{Value, json};

use super::client::{Target, WireFormat};
use super::connection::Refusal;
use super::error_body::ErrorBody;
use super::variant::{Echoes, JsonMode, Variant};
use answer::Answer;

pub(super) struct Chat;

impl WireFormat for Chat {
    const PATH: &'static str = "/chat/completions";
    const JSON_MODES: &'static [JsonMode] = &[JsonMode::Schema, JsonMode::Object, JsonMode::Words];
    type Answer = Answer;

    fn body(to: Target<'_>, request: &TurnRequest) -> Value {
        let variant = to.variant;
        let mut messages = messages::to_json(&request.messages, to);
        let mut body = json!({"model": to.model, "stream": variant.stream});
        body[cap(variant)] = to.cap.into();
        if variant.stream && variant.stream_options {
            body["stream_options"] = json!({"include_usage": true});
        }
        if let Output::Json { name, schema } = &request.output {
            match variant.json {
                JsonMode::Schema => {
                    let schema =
                        json!({"name": name, "schema": schema, "strict": allows_strict(schema)});
                    body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
                }
                JsonMode::Object => body["response_format"] = json!({"type": "json_object"}),
                JsonMode::Words => {}
            }
            if variant.json != JsonMode::Schema {
                messages.push(json!({"role": "system", "content": in_words(schema)}));
            }
        }
        body["messages"] = messages.into();
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                }})
            });
            body["tools"] = tools.collect();
        }
        body
    }

    fn without_field(variant: Variant, start: Variant, refusal: &Refusal) -> Option<Variant> {
        let error = &refusal.body;
        if !matches!(refusal.status.as_u16(), 400 | 422) || error.is_context_length() {
            return None;
        }
        let mut other = variant;
        if variant.completion_cap == start.completion_cap && error.is_about(cap(variant)) {
            other.completion_cap = !variant.completion_cap;
        } else if variant.stream_options && error.is_about("stream_options") {
            other.stream_options = false;
        } else if !variant.short_ids && error.is_about("tool call id") {
            other.short_ids = true;
        } else if variant.echoes == Echoes::Given {
            other.echoes = echoes(error)?;
        } else {
            return None;
        }
        Some(other)
    }
}

/// The name of the field that limits output tokens.
fn cap(variant: Variant) -> &'static str {
    if variant.completion_cap {
        "max_completion_tokens"
    } else {
        "max_tokens"
    }
}

/// The change that a refusal about missing or unwanted fields calls for.
fn echoes(error: &ErrorBody) -> Option<Echoes> {
    let fields = ["extra_content", "reasoning_content", "reasoning_details"];
    if error.is_about("thought_signature") {
        return Some(Echoes::Signed);
    }
    if !fields.iter().any(|field| error.is_about(field)) {
        return None;
    }
    let is_missing = error.is_about("missing") || error.is_about("passed back");
    Some(if is_missing {
        Echoes::Reasoned
    } else {
        Echoes::Never
    })
}
