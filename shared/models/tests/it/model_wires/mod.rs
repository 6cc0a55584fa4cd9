//! The four wire forms of this crate over real HTTP, each through the suite that every endpoint passes: a stand-in
//! that speaks and refuses as the provider does. Peculiarities stand in `model_conformance`.

mod anthropic;
mod chat;
mod own;
mod responses;

use alfred_core::ports::{Clock, Model};
use alfred_models::{Endpoint, Fallbacks, Wire};
use alfred_testkit::stand_in::{Asked, End, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// `provider:model` at an address, asked in this form.
fn model(name: &str, wire: Wire, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
    // The second test of a process finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (provider, model) = name.split_once(':').unwrap();
    let endpoint = Endpoint {
        provider: provider.into(),
        model: Some(model.into()),
        wire,
        base_url: format!("{url}/v1"),
        key: Some("k".into()),
        streamed: true,
        context: Some(200_000),
    };
    Arc::new(Fallbacks::new(vec![endpoint], None, clock).unwrap())
}

/// A stream of these events, each with its type as its name.
fn events(events: &[Value]) -> Reply {
    let event = |data: &Value| match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    };
    let body: String = events.iter().map(event).collect();
    Reply::new(200, "text/event-stream", body)
}

/// The same, ending like this.
fn ending(reply: Reply, end: End) -> Reply {
    Reply { end, ..reply }
}

fn error(status: u16, error: Value) -> Reply {
    let body = json!({"type": "error", "error": error});
    Reply::new(status, "application/json", body.to_string())
}

fn too_many(after: Option<&str>, body: Value) -> Reply {
    let reply = error(429, body);
    match after {
        Some(after) => reply.with("retry-after", after),
        None => reply,
    }
}

/// What a `data:` address holds.
fn data(url: &Value) -> Result<(String, String), String> {
    let url = text(url, "data url")?;
    let held = url
        .strip_prefix("data:")
        .and_then(|url| url.split_once(";base64,"));
    let (media_type, base64) = held.ok_or("no data url")?;
    Ok((media_type.to_owned(), base64.to_owned()))
}

fn ensure(holds: bool, otherwise: impl Into<String>) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| otherwise.into())
}

/// A request to this path with no other fields than these.
fn body(asked: &Asked, path: &str, fields: &[&str]) -> Result<Value, String> {
    ensure(asked.path == path, format!("no such path {}", asked.path))?;
    let body = asked.json();
    let known = body.as_object().ok_or("no object")?;
    for field in known.keys() {
        ensure(fields.contains(&&**field), format!("unknown field {field}"))?;
    }
    ensure(body["stream"] == true, "not streamed")?;
    Ok(body)
}

fn list<'a>(value: &'a Value, what: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or(format!("{what} is no list"))
}

fn text(value: &Value, what: &str) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or(format!("{what} is no text"))
}

/// Arguments in a string.
fn arguments(value: &Value) -> Result<Value, String> {
    let text = text(value, "arguments")?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
