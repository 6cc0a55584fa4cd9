//! An OpenAI-compatible endpoint that obeys: `NAME {…}` calls that tool once, then the run ends. In the arguments,
//! `{phrase}` stands for the user's text in the prompt.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::future::ready;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

pub type Broken = Arc<Mutex<Option<(u16, String, String)>>>;

/// Returns the value for `ALFRED_MODEL_URL`.
pub async fn serve() -> String {
    serve_with(delta).await
}

/// Answers with this `delta` per request.
pub async fn serve_with(delta: fn(&Value) -> Value) -> String {
    endpoint(move |request| ready(turn(&delta(&request)))).await
}

/// Obeys, unless there is an answer for all requests: status, content type, body.
pub async fn serve_or_break(broken: Broken) -> String {
    let answer = move |request| match broken.lock().unwrap().clone() {
        Some((status, kind, body)) => {
            let status = StatusCode::from_u16(status).unwrap();
            (status, [(header::CONTENT_TYPE, kind)], body).into_response()
        }
        None => turn(&delta(&request)),
    };
    endpoint(move |request| ready(answer(request))).await
}

/// Serves chat completions. Returns the value for `ALFRED_MODEL_URL`.
pub async fn endpoint<F>(answer: impl Fn(Value) -> F + Clone + Send + Sync + 'static) -> String
where
    F: Future<Output = Response> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = move |Json(request): Json<Value>| answer(request);
    let router = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

/// A whole turn of this `delta`. Without a count of tokens: a small one would mean that the prompt was cut.
fn turn(delta: &Value) -> Response {
    events(&chunks(delta))
}

/// The same for short prompts, with a count of tokens.
pub fn counted_turn(delta: &Value) -> Response {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}});
    events(&[&chunks(delta)[..], &[usage]].concat())
}

fn chunks(delta: &Value) -> [Value; 2] {
    [
        json!({"choices": [{"index": 0, "delta": delta}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    ]
}

fn events(events: &[Value]) -> Response {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    let events: String = lines.collect();
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, format!("{events}data: [DONE]\n\n")).into_response()
}

fn delta(request: &Value) -> Value {
    if request["response_format"]["json_schema"]["name"] == "predicate" {
        return json!({"content": "{\"result\": false}"});
    }
    let messages = request["messages"].as_array().unwrap();
    let asked = messages.iter().rposition(|m| m["role"] == "user").unwrap();
    let told = messages[asked]["content"].as_str().unwrap();
    let done = messages[asked..].iter().any(|m| m["role"] == "tool");
    match told.split_once(" {") {
        Some((name, arguments)) if !done => {
            let name = name.split_whitespace().last().unwrap();
            let arguments = format!("{{{arguments}").replace("{phrase}", &phrase(messages));
            calls(name, &arguments)
        }
        _ => {
            let cites = cites(&messages[asked..]);
            json!({"content": format!("That is all.{cites}{}", files(messages))})
        }
    }
}

pub fn calls(name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": function}]})
}

fn phrase(messages: &[Value]) -> String {
    let system = messages[0]["content"].as_str().unwrap_or_default();
    let behind = system.split_once("they write “");
    let phrase = behind.and_then(|(_, behind)| behind.split_once('”'));
    phrase.map_or_else(String::new, |(phrase, _)| phrase.to_owned())
}

fn files(messages: &[Value]) -> String {
    let parts = messages.iter().filter_map(|m| m["content"].as_array());
    let parts = parts.flatten();
    let names = parts.filter_map(|part| part["file"]["filename"].as_str());
    names.map(|name| format!(" [{name}]")).collect()
}

fn cites(messages: &[Value]) -> String {
    let results = messages.iter().filter(|m| m["role"] == "tool");
    let told = results.filter_map(|m| serde_json::from_str::<Value>(m["content"].as_str()?).ok());
    let cites = told.flat_map(|told| {
        let pages = told["results"].as_array().cloned().unwrap_or_default();
        let pages = pages.into_iter();
        pages.filter_map(|page| Some(page["cite"].as_str()?.to_owned()))
    });
    cites.map(|cite| format!(" {cite}")).collect()
}
