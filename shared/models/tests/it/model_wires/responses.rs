//! OpenAI's Responses API (<https://platform.openai.com/docs/api-reference/responses>).

use alfred_core::ports::{Clock, Model};
use alfred_models::Wire;
use alfred_testkit::conformance::model::{Heard, Piecewise, Provider, Said, Say};
use alfred_testkit::stand_in::{Asked, End, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

use super::{arguments, body, data, ending, ensure, error, events, list, model, text, too_many};

const FIELDS: [&str; 8] = [
    "model",
    "input",
    "max_output_tokens",
    "stream",
    "store",
    "include",
    "text",
    "tools",
];

pub struct Responses;

alfred_testkit::model_conformance!(Arc::new(Responses));

fn reasoning() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Z0FB"})
}

fn item(place: usize, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": place, "item": item})
}

fn said(place: usize, kind: &str, pieces: &[&str]) -> Vec<Value> {
    let field = if kind == "refusal" { "refusal" } else { "text" };
    let pieces = pieces.iter();
    let mut all: Vec<Value> = pieces
        .clone()
        .map(|it| json!({"type": format!("response.{kind}.delta"), "output_index": place, "delta": it}))
        .collect();
    let whole: String = pieces.copied().collect();
    all.push(item(
        place,
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": kind, field: whole}]}),
    ));
    all
}

fn called(place: usize, (id, name, pieces): &Piecewise, done: bool) -> Vec<Value> {
    let call = |arguments: &str| {
        json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id,
        "name": name, "arguments": arguments})
    };
    let mut all = vec![
        json!({"type": "response.output_item.added", "output_index": place, "item": call("")}),
    ];
    all.extend(pieces.iter().map(|it| {
        json!({"type": "response.function_call_arguments.delta", "output_index": place, "delta": it})
    }));
    all.extend(done.then(|| item(place, call(&pieces.concat()))));
    all
}

fn ended(blocks: Vec<Vec<Value>>, how: &str, why: Option<&str>) -> Reply {
    let mut all = vec![
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}),
    ];
    all.extend(blocks.into_iter().flatten());
    all.push(json!({"type": format!("response.{how}"), "response": {
        "id": "resp_1", "status": how, "output": [], "error": null,
        "incomplete_details": why.map(|it| json!({"reason": it})),
        "usage": {"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 400},
            "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}},
    }}));
    events(&all)
}

pub fn told(status: u16, code: &str, message: &str) -> Reply {
    error(
        status,
        json!({"type": "invalid_request_error", "code": code, "message": message}),
    )
}

impl Provider for Responses {
    fn model(&self, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
        model("openai:gpt-5.2", Wire::Responses, url, clock)
    }

    fn reply(&self, say: &Say) -> Option<Reply> {
        let text = |text: &str| said(0, "output_text", &[text]);
        let each = |calls: &[Piecewise]| -> Vec<Vec<Value>> {
            let calls = calls.iter().zip(1..);
            calls
                .map(|(call, place)| called(place, call, true))
                .collect()
        };
        let done = |blocks| ended(blocks, "completed", None);
        let cut = |blocks, why| ended(blocks, "incomplete", Some(why));
        let mut reasoned = reasoning();
        reasoned["status"] = Value::Null;
        Some(match say {
            Say::Text(pieces) => done(vec![said(0, "output_text", pieces)]),
            Say::Calls("", calls) => done(each(calls)),
            Say::Calls(before, calls) => done([vec![text(before)], each(calls)].concat()),
            Say::Reasoned(calls) => done([vec![vec![item(0, reasoned)]], each(calls)].concat()),
            Say::Declines(words) => done(vec![said(0, "refusal", &[words])]),
            Say::Withheld(words) => {
                let half = called(1, &("c1", "time_now", &["{\"a\":"]), true);
                cut(vec![text(words), half], "content_filter")
            }
            Say::CutText(words) => cut(vec![text(words)], "max_output_tokens"),
            Say::CutCall(call) => cut(vec![called(0, call, false)], "max_output_tokens"),
            Say::Nothing => done(vec![]),
            Say::Broken(words) => ending(events(&text(words)), End::Silent),
            Say::Silence => ending(events(&text("Well")), End::Hanging),
            Say::TooMany(after) => too_many(
                *after,
                json!({"message": "Rate limit reached", "type": "requests"}),
            ),
            Say::Failing => error(
                500,
                json!({"message": "The server had an error", "type": "server_error"}),
            ),
            Say::Overloaded => error(
                503,
                json!({"message": "The engine is overloaded", "type": "server_error"}),
            ),
            Say::OverloadedLater(words) => {
                let failed = json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed",
                    "error": {"code": "server_error", "message": "overloaded"}, "usage": null}});
                events(&[text(words), vec![failed]].concat())
            }
            Say::TooLong => told(
                400,
                "context_length_exceeded",
                "Your input exceeds the context window of this model.",
            ),
            Say::WrongKey => told(401, "invalid_api_key", "Incorrect API key provided"),
            Say::UnknownModel => told(
                400,
                "model_not_found",
                "The requested model 'gpt-9' does not exist.",
            ),
        })
    }

    fn hear(&self, asked: &Asked) -> Result<Heard, String> {
        let body = body(asked, "/v1/responses", &FIELDS)?;
        ensure(asked.header("authorization") == Some("Bearer k"), "no key")?;
        ensure(body["store"] == false, "what is said would be stored")?;
        let (mut messages, mut waiting, mut reasoned) = (Vec::new(), Vec::new(), false);
        for it in list(&body["input"], "input")? {
            heard(it, &mut messages, &mut waiting, &mut reasoned)?;
        }
        ensure(waiting.is_empty(), "No tool output found for function call")?;
        let tools = body["tools"].as_array().into_iter().flatten();
        let tools = tools.map(|tool| {
            ensure(
                tool["type"] == "function" && tool["strict"] == false,
                "a strict tool with an open schema",
            )?;
            text(&tool["name"], "name")
        });
        Ok(Heard {
            messages,
            tools: tools.collect::<Result<_, _>>()?,
            json: body["text"]["format"]["type"] == "json_schema",
            limit: body["max_output_tokens"].as_u64().ok_or("no limit")?,
        })
    }
}

fn file(part: &Value) -> Result<(String, String), String> {
    match part["type"].as_str() {
        Some("input_image") => data(&part["image_url"]),
        Some("input_file") => {
            text(&part["filename"], "filename")?;
            data(&part["file_data"])
        }
        other => Err(format!("unknown part {other:?}")),
    }
}

fn heard(
    it: &Value,
    messages: &mut Vec<Said>,
    waiting: &mut Vec<String>,
    reasoned: &mut bool,
) -> Result<(), String> {
    match (it["role"].as_str(), it["type"].as_str()) {
        (Some("developer"), None) => messages.push(Said::System(text(&it["content"], "content")?)),
        (Some("user"), None) if it["content"].is_array() => {
            let parts = list(&it["content"], "content")?.iter().map(file);
            messages.push(Said::Files(parts.collect::<Result<_, _>>()?));
        }
        (Some("user"), None) => messages.push(Said::User(text(&it["content"], "content")?)),
        (Some("assistant"), None) => messages.push(Said::Assistant {
            text: text(&it["content"], "content")?,
            calls: vec![],
            reasoned: false,
        }),
        (None, Some("reasoning")) => {
            ensure(
                *it == reasoning(),
                "the encrypted content can't be verified",
            )?;
            *reasoned = true;
        }
        (None, Some("function_call")) => {
            ensure(it.get("id").is_none(), "an item that isn't stored")?;
            let id = text(&it["call_id"], "call_id")?;
            waiting.push(id.clone());
            let call = (id, text(&it["name"], "name")?, arguments(&it["arguments"])?);
            match messages.last_mut() {
                Some(Said::Assistant { calls, .. }) => calls.push(call),
                _ => messages.push(Said::Assistant {
                    text: String::new(),
                    calls: vec![call],
                    reasoned: std::mem::take(reasoned),
                }),
            }
        }
        (None, Some("function_call_output")) => {
            let id = text(&it["call_id"], "call_id")?;
            let place = waiting.iter().position(|call| *call == id);
            waiting.remove(place.ok_or("no function call with this call_id")?);
            let result = (id, text(&it["output"], "output")?);
            match messages.last_mut() {
                Some(Said::Results(results)) => results.push(result),
                _ => messages.push(Said::Results(vec![result])),
            }
        }
        other => return Err(format!("unknown item {other:?}")),
    }
    Ok(())
}
