//! An OpenAI-compatible endpoint that obeys: `NAME {…}` calls that tool once, then the run ends. In the arguments,
//! `{phrase}` stands for the user's text in the prompt.

use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Returns the value for `ALFRED_MODEL_URL`.
pub async fn serve() -> String {
    serve_with(delta).await
}

/// Answers with this `delta` per request.
pub async fn serve_with(delta: fn(&Value) -> Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = move |Json(request): Json<Value>| async move { turn(&delta(&request)) };
    let router = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn turn(delta: &Value) -> impl IntoResponse + use<> {
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]});
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], body)
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
    let names = parts
        .flatten()
        .filter_map(|part| part["file"]["filename"].as_str());
    names.map(|name| format!(" [{name}]")).collect()
}

fn cites(messages: &[Value]) -> String {
    let results = messages.iter().filter(|m| m["role"] == "tool");
    let told = results.filter_map(|m| serde_json::from_str::<Value>(m["content"].as_str()?).ok());
    let cites = told.flat_map(|told| {
        let pages = told["results"].as_array().cloned().unwrap_or_default();
        pages
            .into_iter()
            .filter_map(|page| Some(page["cite"].as_str()?.to_owned()))
    });
    cites.map(|cite| format!(" {cite}")).collect()
}
