//! Chat completions (<https://platform.openai.com/docs/api-reference/chat>), and Google's way with them: whole
//! calls without a place, each with a signature that must come back
//! (<https://ai.google.dev/gemini-api/docs/thought-signatures>).

use alfred_core::ports::{Clock, Model};
use alfred_models::Wire;
use alfred_testkit::conformance::model::{Heard, Piecewise, Provider, Said, Say};
use alfred_testkit::stand_in::{Asked, End, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

use super::{arguments, body, data, ending, ensure, error, events, list, model, text, too_many};

const FIELDS: [&str; 7] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "response_format",
    "tools",
];

struct Chat {
    name: &'static str,
    google: bool,
}

mod any {
    use super::{Arc, Chat};

    alfred_testkit::model_conformance!(Arc::new(Chat {
        name: "mine:m",
        google: false
    }));
}

mod google {
    use super::{Arc, Chat};

    alfred_testkit::model_conformance!(Arc::new(Chat {
        name: "google:gemini-3-flash",
        google: true
    }));
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

impl Chat {
    /// An answer that ends for this reason, counted.
    fn ended(mut chunks: Vec<Value>, reason: &str) -> Reply {
        chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
        chunks.push(
            json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 400}}}),
        );
        let mut reply = events(&chunks);
        reply.body.extend_from_slice(b"data: [DONE]\n\n");
        reply
    }

    fn calls(&self, calls: &[Piecewise]) -> Vec<Value> {
        let mut chunks = Vec::new();
        for (place, (id, name, pieces)) in calls.iter().enumerate() {
            if self.google {
                let call = json!({"id": id, "type": "function",
                    "function": {"name": name, "arguments": pieces.concat()}});
                chunks.push(delta(json!({"tool_calls": [call]})));
                continue;
            }
            let begin = json!({"index": place, "id": id, "type": "function",
                "function": {"name": name, "arguments": ""}});
            chunks.push(delta(json!({"tool_calls": [begin]})));
            chunks.extend(pieces.iter().map(|piece| {
                delta(json!({"tool_calls": [{"index": place, "function": {"arguments": piece}}]}))
            }));
        }
        chunks
    }

    fn reasoned(&self, calls: &[Piecewise]) -> Vec<Value> {
        let mut chunks = self.calls(calls);
        if self.google {
            let signature = json!({"google": {"thought_signature": "c2ln"}});
            chunks[0]["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = signature;
        } else {
            chunks.insert(0, delta(json!({"reasoning_content": "Hm."})));
        }
        chunks
    }

    fn is_reasoned(&self, message: &Value) -> bool {
        if self.google {
            let signed = &message["tool_calls"][0]["extra_content"];
            return signed["google"]["thought_signature"] == "c2ln";
        }
        message["reasoning_content"] == "Hm."
    }

    fn message(&self, message: &Value, messages: &mut Vec<Said>) -> Result<(), String> {
        let said = &message["content"];
        let next = match message["role"].as_str() {
            Some("system") => Said::System(text(said, "system")?),
            Some("user") if said.is_array() => Said::Files(files(said)?),
            Some("user") => Said::User(text(said, "user")?),
            Some("assistant") => Said::Assistant {
                text: said.as_str().unwrap_or_default().into(),
                calls: calls_of(message)?,
                reasoned: self.is_reasoned(message),
            },
            Some("tool") => {
                let result = (text(&message["tool_call_id"], "id")?, text(said, "result")?);
                if let Some(Said::Results(results)) = messages.last_mut() {
                    results.push(result);
                    return Ok(());
                }
                Said::Results(vec![result])
            }
            other => return Err(format!("unknown role {other:?}")),
        };
        messages.push(next);
        Ok(())
    }
}

fn files(parts: &Value) -> Result<Vec<(String, String)>, String> {
    let each = list(parts, "content")?
        .iter()
        .map(|part| match part["type"].as_str() {
            Some("image_url") => data(&part["image_url"]["url"]),
            Some("file") => {
                text(&part["file"]["filename"], "filename")?;
                data(&part["file"]["file_data"])
            }
            other => Err(format!("unknown part {other:?}")),
        });
    each.collect()
}

fn calls_of(message: &Value) -> Result<Vec<(String, String, Value)>, String> {
    let calls = message["tool_calls"].as_array();
    let each = calls.into_iter().flatten().map(|call| {
        ensure(call["type"] == "function", "no function")?;
        let function = &call["function"];
        let name = text(&function["name"], "name")?;
        Ok((
            text(&call["id"], "id")?,
            name,
            arguments(&function["arguments"])?,
        ))
    });
    each.collect()
}

impl Provider for Chat {
    fn model(&self, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
        model(self.name, Wire::Chat, url, clock)
    }

    fn reply(&self, say: &Say) -> Option<Reply> {
        let content = |text: &str| delta(json!({"content": text}));
        Some(match say {
            Say::Text(pieces) => {
                let pieces = pieces.iter().map(|piece| content(piece));
                Self::ended(pieces.collect(), "stop")
            }
            Say::Calls("", calls) => Self::ended(self.calls(calls), "tool_calls"),
            Say::Calls(text, calls) => {
                let mut chunks = vec![content(text)];
                chunks.extend(self.calls(calls));
                Self::ended(chunks, "tool_calls")
            }
            Say::Reasoned(calls) => Self::ended(self.reasoned(calls), "tool_calls"),
            Say::Declines(_) if self.google => return None,
            Say::Declines(text) => Self::ended(vec![delta(json!({"refusal": text}))], "stop"),
            Say::Withheld(text) => {
                let mut chunks = vec![content(text)];
                chunks.extend(self.calls(&[("c1", "time_now", &["{"])]));
                Self::ended(chunks, "content_filter")
            }
            Say::CutText(text) => Self::ended(vec![content(text)], "length"),
            Say::CutCall(call) => Self::ended(self.calls(&[*call]), "length"),
            Say::Nothing => Self::ended(vec![], "stop"),
            Say::Broken(text) => ending(events(&[content(text)]), End::Cut),
            Say::Silence => ending(events(&[]), End::Hanging),
            Say::TooMany(after) => too_many(
                *after,
                json!({"message": "Rate limit reached", "type": "requests"}),
            ),
            Say::Failing => error(
                500,
                json!({"message": "The server had an error", "type": "server_error"}),
            ),
            Say::Overloaded => error(503, json!({"message": "Overloaded", "code": 503})),
            Say::OverloadedLater(text) => events(&[
                content(text),
                json!({"error": {"message": "Overloaded", "code": 503}}),
            ]),
            Say::TooLong => error(
                400,
                json!({"code": "context_length_exceeded",
                "message": "This model's maximum context length is 8192 tokens."}),
            ),
            Say::WrongKey => error(
                401,
                json!({"message": "Incorrect API key", "code": "invalid_api_key"}),
            ),
            Say::UnknownModel => error(
                404,
                json!({"message": "no such model", "code": "model_not_found"}),
            ),
        })
    }

    fn hear(&self, asked: &Asked) -> Result<Heard, String> {
        let body = body(asked, "/v1/chat/completions", &FIELDS)?;
        ensure(asked.header("authorization") == Some("Bearer k"), "no key")?;
        let mut messages = Vec::new();
        for message in list(&body["messages"], "messages")? {
            self.message(message, &mut messages)?;
        }
        let tools = body["tools"].as_array().into_iter().flatten();
        let tools = tools.map(|tool| {
            ensure(tool["type"] == "function", "no function")?;
            text(&tool["function"]["name"], "name")
        });
        Ok(Heard {
            messages,
            tools: tools.collect::<Result<_, _>>()?,
            json: body["response_format"]["type"] == "json_schema",
            limit: body["max_tokens"].as_u64().ok_or("no limit")?,
        })
    }
}
