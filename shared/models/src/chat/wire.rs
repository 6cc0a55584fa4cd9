//! The request body (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::model::{allows_strict, in_words};
use alfred_core::ports::{Output, ToolSpec, TurnRequest};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::tool_list::{ToolCache, append};
use super::dialect::{Dialect, JsonMode};
use super::messages::Messages;

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

/// The target of a request.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) dialect: Dialect,
    /// Most tokens to write.
    pub(super) cap: u32,
}

pub(super) fn body(
    to: To<'_>,
    request: &TurnRequest,
    tools: &ToolCache,
) -> Result<Vec<u8>, serde_json::Error> {
    let To { model, dialect, .. } = to;
    let cap = Some(to.cap);
    let (format, words) = output(&request.output, dialect.json);
    let mut bytes = serde_json::to_vec(&Body {
        model,
        messages: Messages::new(&request.messages, words, to),
        stream: dialect.stream,
        stream_options: (dialect.stream && dialect.stream_options).then_some(StreamOptions {
            include_usage: true,
        }),
        max_completion_tokens: cap.filter(|_| dialect.completion_cap),
        max_tokens: cap.filter(|_| !dialect.completion_cap),
        response_format: format,
    })?;
    if !request.tools.is_empty() {
        append(
            &mut bytes,
            "tools",
            &tools.json(&request.tools, tools_json)?,
        );
    }
    Ok(bytes)
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

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireToolFunction<'a>,
}

#[derive(Serialize)]
struct WireToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

fn tools_json(tools: &[ToolSpec]) -> Result<Vec<u8>, serde_json::Error> {
    let list: Vec<WireTool> = tools
        .iter()
        .map(|tool| WireTool {
            r#type: "function",
            function: WireToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
            },
        })
        .collect();
    serde_json::to_vec(&list)
}
