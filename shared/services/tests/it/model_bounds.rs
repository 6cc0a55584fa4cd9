//! Endpoints that never end, by real HTTP: the answer's bound and the turn's time hold.

use crate::support;

use alfred_core::ports::ModelError;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use support::{flooding_server, model, model_at, request, sse, start, turn};
use wiremock::matchers::method;
use wiremock::{Mock, ResponseTemplate};

const EVENTS: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const ANY: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
const BOUND: usize = 16 * 1024 * 1024;
/// What may be under way in sockets when the client goes.
const UNDER_WAY: usize = 16 * 1024 * 1024;
const ATTEMPTS: usize = 3;

/// The error of an endpoint that sends this for ever. More than linear work runs into the turn's time.
async fn flooded(head: &'static str, piece: Vec<u8>) -> ModelError {
    let (url, sent) = flooding_server(head, piece);
    let (model, _) = model_at(&[(url, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    let sent = sent.load(Ordering::SeqCst);
    assert!(sent <= ATTEMPTS * (BOUND + UNDER_WAY), "{sent} bytes");
    error
}

async fn is_too_large(head: &'static str, piece: Vec<u8>) {
    let error = flooded(head, piece).await;
    assert!(matches!(error, ModelError::Unusable { .. }), "{error:?}");
    assert!(error.to_string().contains("too large"), "{error}");
}

#[tokio::test]
async fn a_line_without_an_end_ends_at_the_bound() {
    is_too_large(EVENTS, vec![b'a'; 1_000]).await;
    is_too_large(ANY, vec![b'a'; 1_000]).await;
}

#[tokio::test]
async fn lines_that_say_nothing_count_too() {
    is_too_large(EVENTS, b": ping\n\n".repeat(1_000)).await;
    is_too_large(EVENTS, vec![b'\n'; 10_000]).await;
    is_too_large(ANY, vec![b'\n'; 10_000]).await;
    is_too_large(EVENTS, b"data:\n".repeat(1_000)).await;
}

#[tokio::test]
async fn headers_without_an_end_are_no_answer() {
    let error = flooded("HTTP/1.1 200 OK\r\n", b"x-a: b\r\n".repeat(100)).await;
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_list_of_models_is_bounded_too() {
    support::install_tls();
    let (url, sent) = flooding_server(ANY, vec![b' '; 1_000]);
    let clock = Arc::new(support::RecordingClock::default());
    let settings = |name: &str| (name == "ALFRED_MODEL_URL").then(|| url.clone());
    let model = alfred_services::model::from_settings(settings, None, clock).unwrap();
    let error = model.turn(&request(), &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    let sent = sent.load(Ordering::SeqCst);
    assert!(sent <= ATTEMPTS * (BOUND + UNDER_WAY), "{sent} bytes");
}

#[tokio::test]
async fn more_calls_than_anybody_makes_are_no_answer() {
    let calls: Vec<_> = (0..60_000)
        .map(|n| json!({"index": n, "id": format!("c{n}"), "function": {"name": "x"}}))
        .collect();
    let server = start().await;
    let answer = json!({"choices": [{"message": {"tool_calls": calls}}]});
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(error.to_string().contains("too many tool calls"), "{error}");
}

#[tokio::test]
async fn nothing_is_unpacked_and_nothing_but_utf8_is_read() {
    let server = start().await;
    let packed = sse("\u{1f}\u{8b}").insert_header("content-encoding", "gzip");
    let broken = ResponseTemplate::new(200).set_body_raw(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n".to_vec(),
        "text/event-stream",
    );
    for (answer, words) in [(packed, "cut"), (broken, "invalid JSON")] {
        server.reset().await;
        Mock::given(method("POST"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let (model, _) = model(&[(&server, "mine:m")]);
        let error = turn(&model, &request()).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        let asked = server.received_requests().await.unwrap();
        assert!(!asked[0].headers.contains_key("accept-encoding"));
    }
}
