//! OpenAI's Responses API (<https://platform.openai.com/docs/api-reference/responses/create>). Nothing is stored there:
//! reasoning comes encrypted and is sent back with the calls that followed it. Caching is automatic. Without a
//! `prompt_cache_key` all runs share the cached prompt and tools.

mod answer;

use alfred_core::model::{allows_strict, before_call, before_message, in_words, plain, sendable};
use alfred_core::ports::{InputFile, Message, Output, TurnRequest};
use serde_json::{Value, json};

use super::client::{Target, WireFormat};
use super::connection::Refusal;
use super::variant::{JsonMode, Variant};
use answer::Answer;

pub(super) struct Responses;

impl WireFormat for Responses {
    const PATH: &'static str = "/responses";
    type Answer = Answer;

    fn body(to: Target<'_>, request: &TurnRequest) -> Value {
        let from = (to.provider, to.model);
        let mut input = Vec::with_capacity(request.messages.len());
        for message in &request.messages {
            items(message, from, &mut input);
        }
        let mut body = json!({
            "model": to.model,
            "max_output_tokens": to.cap,
            "stream": to.variant.stream,
            "store": false,
        });
        if to.variant.reasoning {
            body["include"] = json!(["reasoning.encrypted_content"]);
        }
        if let Output::Json { name, schema } = &request.output {
            if to.variant.json == JsonMode::Schema {
                body["text"] = json!({"format": {
                    "type": "json_schema", "name": name, "schema": schema, "strict": allows_strict(schema),
                }});
            } else {
                input.push(message("developer", &in_words(schema)));
            }
        }
        body["input"] = input.into();
        if !request.tools.is_empty() {
            // This API's default is strict, which only accepts closed schemas.
            let tools = request.tools.iter().map(|tool| {
                json!({
                    "type": "function", "name": tool.name, "description": tool.description,
                    "parameters": tool.parameters, "strict": false,
                })
            });
            body["tools"] = tools.collect();
        }
        body
    }

    fn without_field(variant: Variant, _: Variant, refusal: &Refusal) -> Option<Variant> {
        let is_about_it = variant.reasoning && refusal.body.is_about("encrypted content");
        is_about_it.then_some(Variant {
            reasoning: false,
            ..variant
        })
    }
}

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn items(said: &Message, (provider, model): (&str, &str), input: &mut Vec<Value>) {
    match said {
        Message::System { text } => input.push(message("developer", text)),
        Message::User { text } => input.push(message("user", text)),
        Message::Files { files } => {
            let parts: Vec<Value> = files.iter().map(part).collect();
            input.push(json!({"role": "user", "content": parts}));
        }
        Message::Assistant { text, tool_calls } => {
            input.extend_from_slice(before_message(tool_calls, provider, model));
            if !text.is_empty() {
                input.push(message("assistant", text));
            }
            for call in &**tool_calls {
                input.extend_from_slice(before_call(call, provider, model));
                input.push(json!({
                    "type": "function_call", "call_id": plain(&call.id), "name": plain(&call.name),
                    "arguments": sendable(&call.arguments),
                }));
            }
        }
        Message::Tool { call_id, text } => input.push(json!({
            "type": "function_call_output", "call_id": plain(call_id), "output": &**text,
        })),
    }
}

fn part(file: &InputFile) -> Value {
    let url = file.data_url();
    if file.is_image() {
        json!({"type": "input_image", "image_url": url})
    } else {
        json!({"type": "input_file", "filename": file.name, "file_data": url})
    }
}
