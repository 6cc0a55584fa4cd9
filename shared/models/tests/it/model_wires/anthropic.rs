//! Anthropic's Messages API (<https://platform.claude.com/docs/en/api/messages>,
//! <https://platform.claude.com/docs/en/build-with-claude/streaming>).

use alfred_core::ports::{Clock, Model};
use alfred_models::Wire;
use alfred_testkit::conformance::model::{Heard, Piecewise, Provider, Said, Say, also};
use alfred_testkit::stand_in::{Asked, End, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

use super::{body, ending, ensure, error, events, list, model, text, too_many};

const FIELDS: [&str; 7] = [
    "model",
    "max_tokens",
    "stream",
    "system",
    "messages",
    "tools",
    "output_config",
];

pub struct Anthropic;

alfred_testkit::model_conformance!(Arc::new(Anthropic));

fn thinking() -> Value {
    json!({"type": "thinking", "thinking": "Hm, so.", "signature": "c2ln"})
}

fn begun() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [],
        "stop_reason": null, "usage": {"input_tokens": 350, "cache_creation_input_tokens": 250,
            "cache_read_input_tokens": 400, "output_tokens": 1}}})
}

/// A block that starts like this and gets these pieces.
fn block(index: usize, start: Value, pieces: Vec<Value>) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "content_block_start", "index": index, "content_block": start}),
        json!({"type": "ping"}),
    ];
    let piece = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
    events.extend(pieces.into_iter().map(piece));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

fn said(index: usize, pieces: &[&str]) -> Vec<Value> {
    let pieces = pieces
        .iter()
        .map(|it| json!({"type": "text_delta", "text": it}));
    block(index, json!({"type": "text", "text": ""}), pieces.collect())
}

fn called(index: usize, (id, name, pieces): &Piecewise) -> Vec<Value> {
    let pieces = pieces.iter();
    let pieces = pieces.map(|it| json!({"type": "input_json_delta", "partial_json": it}));
    let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    block(index, start, pieces.collect())
}

fn thought() -> Vec<Value> {
    let pieces = vec![
        json!({"type": "thinking_delta", "thinking": "Hm, "}),
        json!({"type": "thinking_delta", "thinking": "so."}),
        json!({"type": "signature_delta", "signature": "c2ln"}),
    ];
    let start = json!({"type": "thinking", "thinking": "", "signature": ""});
    block(0, start, pieces)
}

fn ended(blocks: Vec<Vec<Value>>, reason: &str) -> Reply {
    let mut all = vec![begun()];
    all.extend(blocks.into_iter().flatten());
    all.push(
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 20}}),
    );
    all.push(json!({"type": "message_stop"}));
    events(&all)
}

fn broken_off(text: &str, last: Option<Value>) -> Vec<Value> {
    let mut all = vec![begun()];
    all.extend(said(0, &[text]));
    all.extend(last);
    all
}

pub fn told(status: u16, kind: &str, message: &str) -> Reply {
    error(status, json!({"type": kind, "message": message}))
}

impl Provider for Anthropic {
    fn model(&self, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
        model("anthropic:claude-sonnet-4-6", Wire::Messages, url, clock)
    }

    fn reply(&self, say: &Say) -> Option<Reply> {
        let overloaded = json!({"type": "overloaded_error", "message": "Overloaded"});
        let each = |from: usize, calls: &[Piecewise]| -> Vec<Vec<Value>> {
            let calls = calls.iter().zip(from..);
            calls.map(|(call, index)| called(index, call)).collect()
        };
        Some(match say {
            Say::Text(pieces) => ended(vec![said(0, pieces)], "end_turn"),
            Say::Calls("", calls) => ended(each(0, calls), "tool_use"),
            Say::Calls(text, calls) => ended(
                [vec![said(0, &[text])], each(1, calls)].concat(),
                "tool_use",
            ),
            Say::Reasoned(calls) => ended([vec![thought()], each(1, calls)].concat(), "tool_use"),
            // Its models decline in plain words; only what was withheld is marked.
            Say::Declines(_) => return None,
            Say::Withheld(text) => {
                let half = called(1, &("toolu_1", "time_now", &["{\"a\":"]));
                ended(vec![said(0, &[text]), half], "refusal")
            }
            Say::CutText(text) => ended(vec![said(0, &[text])], "max_tokens"),
            Say::CutCall(call) => ended(vec![called(0, call)], "max_tokens"),
            Say::Nothing => ended(vec![], "end_turn"),
            Say::Broken(text) => ending(events(&broken_off(text, None)), End::Silent),
            Say::Silence => ending(events(&[begun()]), End::Hanging),
            Say::TooMany(after) => too_many(
                *after,
                json!({"type": "rate_limit_error", "message": "slow down"}),
            ),
            Say::Failing => told(500, "api_error", "Internal server error"),
            Say::Overloaded => error(529, overloaded),
            Say::OverloadedLater(text) => {
                let error = json!({"type": "error", "error": overloaded});
                events(&broken_off(text, Some(error)))
            }
            Say::TooLong => told(
                400,
                "invalid_request_error",
                "prompt is too long: 210012 tokens > 200000 maximum",
            ),
            Say::WrongKey => told(401, "authentication_error", "invalid x-api-key"),
            Say::UnknownModel => told(404, "not_found_error", "model: claude-9"),
        })
    }

    fn hear(&self, asked: &Asked) -> Result<Heard, String> {
        let body = body(asked, "/v1/messages", &FIELDS)?;
        ensure(asked.header("x-api-key") == Some("k"), "no key")?;
        ensure(
            asked.header("anthropic-version") == Some("2023-06-01"),
            "no version",
        )?;
        let marks = body.to_string().matches("\"cache_control\"").count();
        ensure(marks <= 4, "too many cache_control blocks")?;
        let mut heard = Heard {
            json: body["output_config"]["format"]["type"] == "json_schema",
            limit: body["max_tokens"].as_u64().ok_or("no limit")?,
            ..Heard::default()
        };
        for block in list(&body["system"], "system")? {
            heard
                .messages
                .push(Said::System(text(&block["text"], "system")?));
        }
        let mut waiting = Vec::new();
        for (place, message) in list(&body["messages"], "messages")?.iter().enumerate() {
            let role = if place % 2 == 0 { "user" } else { "assistant" };
            ensure(message["role"] == role, "roles must alternate")?;
            let blocks = list(&message["content"], "content")?;
            ensure(!blocks.is_empty(), "an empty message")?;
            match role {
                "user" => heard.messages.extend(user(blocks, &mut waiting)?),
                _ => heard.messages.push(assistant(blocks, &mut waiting)?),
            }
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            ensure(tool["input_schema"]["type"] == "object", "no schema")?;
            heard.tools.push(text(&tool["name"], "name")?);
        }
        Ok(heard)
    }
}

/// Results first, one of each call that waits.
fn user(blocks: &[Value], waiting: &mut Vec<String>) -> Result<Vec<Said>, String> {
    let (mut results, mut said) = (Vec::new(), Vec::new());
    for block in blocks {
        if block["type"] == "text" {
            said.push(Said::User(text(&block["text"], "text")?));
            continue;
        }
        if let Some("image" | "document") = block["type"].as_str() {
            let source = &block["source"];
            ensure(source["type"] == "base64", "no base64")?;
            let media_type = text(&source["media_type"], "media_type")?;
            let shown = block["type"] == "image";
            ensure(shown == media_type.starts_with("image/"), "no such block")?;
            also(&mut said, (media_type, text(&source["data"], "data")?));
            continue;
        }
        ensure(
            block["type"] == "tool_result" && said.is_empty(),
            "results come first",
        )?;
        let id = text(&block["tool_use_id"], "id")?;
        ensure(
            waiting.first() == Some(&id),
            format!("unexpected tool_use_id {id}"),
        )?;
        waiting.remove(0);
        results.push((id, text(&block["content"], "content")?));
    }
    ensure(
        waiting.is_empty(),
        "tool_use ids without tool_result blocks",
    )?;
    let results = (!results.is_empty()).then_some(Said::Results(results));
    Ok(results.into_iter().chain(said).collect())
}

fn assistant(blocks: &[Value], waiting: &mut Vec<String>) -> Result<Said, String> {
    let (mut words, mut calls, mut reasoned) = (String::new(), Vec::new(), false);
    for (place, block) in blocks.iter().enumerate() {
        match block["type"].as_str() {
            Some("thinking") => {
                ensure(place == 0, "thinking comes first")?;
                ensure(*block == thinking(), "the signature doesn't fit")?;
                reasoned = true;
            }
            Some("text") => words.push_str(&text(&block["text"], "text")?),
            Some("tool_use") => {
                let id = text(&block["id"], "id")?;
                ensure(block["input"].is_object(), "input is no object")?;
                waiting.push(id.clone());
                calls.push((id, text(&block["name"], "name")?, block["input"].clone()));
            }
            other => return Err(format!("unknown block {other:?}")),
        }
    }
    Ok(Said::Assistant {
        text: words,
        calls,
        reasoned,
    })
}
