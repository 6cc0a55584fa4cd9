//! What a request says, read as strictly as Bedrock does.

use alfred_testkit::conformance::model::{Heard, Said, also};
use alfred_testkit::stand_in::Asked;
use serde_json::{Value, json};

const FIELDS: [&str; 5] = [
    "inferenceConfig",
    "messages",
    "outputConfig",
    "system",
    "toolConfig",
];

fn ensure(holds: bool, otherwise: impl Into<String>) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| otherwise.into())
}

fn list<'a>(value: &'a Value, what: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or(format!("{what} is no list"))
}

fn text(value: &Value, what: &str) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or(format!("{what} is no text"))
}

fn is_mark(block: &Value) -> bool {
    *block == json!({"cachePoint": {"type": "default"}})
}

pub fn hear(asked: &Asked) -> Result<Heard, String> {
    let path = format!("/model/{}/converse-stream", super::CLAUDE);
    ensure(asked.path == path, format!("no such path {}", asked.path))?;
    let signed = asked.header("authorization").unwrap_or_default();
    ensure(signed.starts_with("AWS4-HMAC-SHA256"), "not signed")?;
    let body = asked.json();
    for field in body.as_object().ok_or("no object")?.keys() {
        ensure(
            FIELDS.contains(&&**field),
            format!("extraneous key [{field}]"),
        )?;
    }
    let marks = body.to_string().matches("\"cachePoint\"").count();
    ensure(marks <= 4, "too many cache points")?;
    let mut heard = Heard {
        json: body["outputConfig"]["textFormat"]["type"] == "json_schema",
        limit: body["inferenceConfig"]["maxTokens"]
            .as_u64()
            .ok_or("no limit")?,
        ..Heard::default()
    };
    for block in list(&body["system"], "system")?
        .iter()
        .filter(|it| !is_mark(it))
    {
        heard
            .messages
            .push(Said::System(text(&block["text"], "system")?));
    }
    let mut waiting = Vec::new();
    for (place, message) in list(&body["messages"], "messages")?.iter().enumerate() {
        let role = if place % 2 == 0 { "user" } else { "assistant" };
        ensure(message["role"] == role, "roles must alternate")?;
        let blocks = list(&message["content"], "content")?.iter();
        let blocks: Vec<&Value> = blocks.filter(|it| !is_mark(it)).collect();
        ensure(!blocks.is_empty(), "the content field is empty")?;
        match role {
            "user" => heard.messages.extend(user(&blocks, &mut waiting)?),
            _ => heard.messages.push(assistant(&blocks, &mut waiting)?),
        }
    }
    let tools = body["toolConfig"]["tools"].as_array().into_iter().flatten();
    for tool in tools.filter(|it| !is_mark(it)) {
        let spec = &tool["toolSpec"];
        ensure(spec["inputSchema"]["json"]["type"] == "object", "no schema")?;
        heard.tools.push(text(&spec["name"], "name")?);
    }
    Ok(heard)
}

/// Results first, one of each call that waits.
fn user(blocks: &[&Value], waiting: &mut Vec<String>) -> Result<Vec<Said>, String> {
    let (mut results, mut said) = (Vec::new(), Vec::new());
    for block in blocks {
        let file = ["image", "document"].map(|kind| &block[kind]);
        if let Some(file) = file.into_iter().find(|it| it.is_object()) {
            let media_type = match text(&file["format"], "format")?.as_str() {
                "pdf" => "application/pdf".to_owned(),
                format => format!("image/{format}"),
            };
            let name = file["name"].as_str().unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || " -()[]".contains(c);
            ensure(name.chars().all(plain), "a document's name")?;
            also(
                &mut said,
                (media_type, text(&file["source"]["bytes"], "bytes")?),
            );
            continue;
        }
        let result = &block["toolResult"];
        if result.is_null() {
            said.push(Said::User(text(&block["text"], "text")?));
            continue;
        }
        let id = text(&result["toolUseId"], "toolUseId")?;
        ensure(
            waiting.first() == Some(&id),
            format!("unexpected toolResult {id}"),
        )?;
        waiting.remove(0);
        results.push((id, text(&result["content"][0]["text"], "content")?));
    }
    ensure(waiting.is_empty(), "Expected toolResult blocks")?;
    let results = (!results.is_empty()).then_some(Said::Results(results));
    Ok(results.into_iter().chain(said).collect())
}

fn assistant(blocks: &[&Value], waiting: &mut Vec<String>) -> Result<Said, String> {
    let thinking = json!({"reasoningText": {"text": "Hm, so.", "signature": "c2ln"}});
    let (mut words, mut calls, mut reasoned) = (String::new(), Vec::new(), false);
    for (place, block) in blocks.iter().enumerate() {
        let (reasoning, call) = (&block["reasoningContent"], &block["toolUse"]);
        if !reasoning.is_null() {
            ensure(
                place == 0 && *reasoning == thinking,
                "the signature doesn't fit",
            )?;
            reasoned = true;
        } else if call.is_null() {
            words.push_str(&text(&block["text"], "text")?);
        } else {
            let id = text(&call["toolUseId"], "toolUseId")?;
            ensure(call["input"].is_object(), "input is no object")?;
            waiting.push(id.clone());
            calls.push((id, text(&call["name"], "name")?, call["input"].clone()));
        }
    }
    Ok(Said::Assistant {
        text: words,
        calls,
        reasoned,
    })
}
