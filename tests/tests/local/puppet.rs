//! An OpenAI-compatible endpoint that does what it is told: `NAME {…}` is a call of that tool with these arguments, and
//! then it is done.

use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Serves it; gives what `ALFRED_MODEL_URL` is set to.
pub async fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let router = Router::new().route("/v1/chat/completions", post(turn));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

async fn turn(Json(request): Json<Value>) -> impl IntoResponse {
    let chunk =
        json!({"choices": [{"index": 0, "delta": delta(&request), "finish_reason": "stop"}]});
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
            let function = json!({"name": name, "arguments": format!("{{{arguments}")});
            let call =
                json!({"index": 0, "id": "call_0", "type": "function", "function": function});
            json!({"tool_calls": [call]})
        }
        _ => json!({"content": "That is all."}),
    }
}
