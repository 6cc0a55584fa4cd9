//! The request body (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::ports::{Message, Output, ToolCall, ToolSpec, TurnRequest};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// How an endpoint wants things said. It starts as a guess and follows what the endpoint refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// `max_completion_tokens` instead of `max_tokens`.
    pub(super) completion_cap: bool,
    /// Whether answers are asked for in pieces.
    pub(super) stream: bool,
    /// Whether it takes `stream_options`.
    pub(super) stream_options: bool,
    /// How it is asked for JSON.
    pub(super) json: JsonMode,
}

/// How JSON is asked for, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonMode {
    /// `response_format: json_schema`.
    Schema,
    /// `response_format: json_object`, the schema in words.
    Object,
    /// The schema in words alone.
    Words,
}

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

/// The body of one request as JSON.
pub(super) fn body(
    model: &str,
    request: &TurnRequest,
    dialect: Dialect,
    tools: &ToolCache,
) -> Result<Vec<u8>, serde_json::Error> {
    let cap = Some(request.max_output_tokens);
    let (format, words) = output(&request.output, dialect.json);
    let mut bytes = serde_json::to_vec(&Body {
        model,
        messages: Messages {
            list: &request.messages,
            words,
        },
        stream: dialect.stream,
        stream_options: (dialect.stream && dialect.stream_options).then_some(StreamOptions {
            include_usage: true,
        }),
        max_completion_tokens: cap.filter(|_| dialect.completion_cap),
        max_tokens: cap.filter(|_| !dialect.completion_cap),
        response_format: format,
    })?;
    if !request.tools.is_empty() {
        // Appended as text, so that the list isn't serialised again for each call.
        bytes.pop();
        bytes.extend_from_slice(b",\"tools\":");
        bytes.extend_from_slice(&tools.json(&request.tools)?);
        bytes.push(b'}');
    }
    Ok(bytes)
}

/// `response_format`, and the instruction that goes with it where the format alone isn't enough.
fn output(output: &Output, mode: JsonMode) -> (Option<Value>, Option<String>) {
    let Output::Json { name, schema } = output else {
        return (None, None);
    };
    let words = || {
        Some(format!(
            "Answer with one JSON object and nothing else. It must be valid against this JSON schema: {schema}"
        ))
    };
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

/// Strict mode takes only schemas whose objects are closed and whose properties are all required
/// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>).
fn allows_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let closed = match map.get("properties") {
                Some(Value::Object(properties)) => {
                    let required = map.get("required").and_then(Value::as_array);
                    map.get("additionalProperties") == Some(&Value::Bool(false))
                        && required.is_some_and(|required| {
                            properties
                                .keys()
                                .all(|key| required.iter().any(|name| name == key.as_str()))
                        })
                }
                _ => true,
            };
            closed && map.values().all(allows_strict)
        }
        Value::Array(items) => items.iter().all(allows_strict),
        _ => true,
    }
}

struct Messages<'a> {
    list: &'a [Message],
    words: Option<String>,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for message in self.list {
            list.serialize_element(&WireMessage::from(message))?;
        }
        if let Some(words) = &self.words {
            list.serialize_element(&WireMessage::plain("system", words))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    /// Null beside tool calls without text, as the reference asks for.
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
}

impl<'a> WireMessage<'a> {
    fn plain(role: &'static str, text: &'a str) -> Self {
        Self {
            role,
            content: Some(text),
            tool_call_id: None,
            tool_calls: Vec::new(),
        }
    }
}

impl<'a> From<&'a Message> for WireMessage<'a> {
    fn from(message: &'a Message) -> Self {
        match message {
            Message::System { text } => Self::plain("system", text),
            Message::User { text } => Self::plain("user", text),
            Message::Assistant { text, tool_calls } => Self {
                content: (!text.is_empty() || tool_calls.is_empty()).then_some(text),
                tool_calls: tool_calls.iter().map(WireCall::from).collect(),
                ..Self::plain("assistant", text)
            },
            Message::Tool { call_id, text } => Self {
                tool_call_id: Some(call_id),
                ..Self::plain("tool", text)
            },
        }
    }
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

impl<'a> From<&'a ToolCall> for WireCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self {
            id: &call.id,
            r#type: "function",
            function: WireFunction {
                name: &call.name,
                arguments: sendable(&call.arguments),
            },
        }
    }
}

/// Several servers parse the arguments of past calls and refuse the whole
/// conversation when they are broken: those go back quoted.
fn sendable(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(arguments) {
        Ok(_) => Cow::Borrowed(arguments),
        Err(_) => Cow::Owned(json!({ "invalid_json": arguments }).to_string()),
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

type Cached = (Arc<[ToolSpec]>, Arc<[u8]>);

/// The last tool list as JSON. It holds the list too, so that its address can't be another's.
#[derive(Default)]
pub(super) struct ToolCache(Mutex<Option<Cached>>);

impl ToolCache {
    pub(super) fn json(&self, tools: &Arc<[ToolSpec]>) -> Result<Arc<[u8]>, serde_json::Error> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, json)) = cached.as_ref()
            && Arc::ptr_eq(known, tools)
        {
            return Ok(json.clone());
        }
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
        let json: Arc<[u8]> = serde_json::to_vec(&list)?.into();
        *cached = Some((tools.clone(), json.clone()));
        Ok(json)
    }
}

/// The answer of `GET /models`.
#[derive(Deserialize)]
pub(super) struct Listing {
    #[serde(default)]
    pub(super) data: Vec<Listed>,
}

/// One model an endpoint offers.
#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_arguments_go_back_as_valid_json() {
        assert_eq!(sendable("{\"a\":1}"), "{\"a\":1}");
        assert_eq!(sendable(" "), "{}");
        let quoted: Value = serde_json::from_str(&sendable("{\"a\":")).unwrap();
        assert_eq!(quoted["invalid_json"], "{\"a\":");
    }

    #[test]
    fn the_tool_list_is_made_once_for_the_same_list() {
        let list = |name: &str| -> Arc<[ToolSpec]> {
            Arc::new([ToolSpec {
                name: name.into(),
                description: String::new(),
                parameters: json!({}),
            }])
        };
        let cache = ToolCache::default();
        let (first, second) = (list("a"), list("b"));
        let made = cache.json(&first).unwrap();
        assert!(Arc::ptr_eq(&made, &cache.json(&first).unwrap()));
        let other = cache.json(&second).unwrap();
        assert!(String::from_utf8_lossy(&other).contains("\"b\""));
    }

    #[test]
    fn only_closed_schemas_are_strict() {
        let open = json!({"type":"object","properties":{"a":{"type":"string"}}});
        assert!(!allows_strict(&open));
        let closed = json!({"type":"object","additionalProperties":false,"required":["a"],
            "properties":{"a":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}});
        assert!(allows_strict(&closed));
        let half = json!({"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":open}});
        assert!(!allows_strict(&half));
    }
}
