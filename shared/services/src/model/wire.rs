//! The request body (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::ports::{Output, ToolSpec, TurnRequest};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

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

/// To whom a request goes, and how.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) dialect: Dialect,
    /// The most tokens to write.
    pub(super) cap: u32,
}

/// The body of one request as JSON.
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

#[cfg(test)]
mod tests {
    use super::*;

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
