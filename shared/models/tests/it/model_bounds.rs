//! Endpoints that never end, by real HTTP: the answer's bound and the turn's time hold.

use crate::support;

use alfred_core::ports::{ModelError, SystemClock};
use alfred_testkit::stand_in::Reply;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use support::{flooding_server, in_turn, model, request, sse, turn};

const EVENTS: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const ANY: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
/// The most bytes of an answer that are read.
const BOUND: usize = 16 * 1024 * 1024;
/// The reader appends an empty line to a stream of events.
const APPENDED: usize = 2;
const ENDLESS: usize = usize::MAX;
const ATTEMPTS: usize = 3;

/// The error of an endpoint that answers with so many bytes, after as many attempts as ever. More than linear work runs
/// into the turn's time.
async fn flooded(head: &'static str, piece: Vec<u8>, length: usize) -> ModelError {
    let (url, connections) = flooding_server(head, piece, length);
    let model = model(&url, "mine:m");
    let error = turn(&model, &request()).await.unwrap_err();
    assert_eq!(connections.load(Ordering::SeqCst), ATTEMPTS, "{error}");
    error
}

async fn is_unusable(head: &'static str, piece: Vec<u8>, length: usize, reason: &str) {
    let error = flooded(head, piece, length).await;
    assert!(matches!(error, ModelError::Unusable { .. }), "{error:?}");
    assert!(error.to_string().contains(reason), "{length}: {error}");
}

#[tokio::test]
async fn a_line_without_an_end_ends_at_the_bound() {
    is_unusable(EVENTS, vec![b'a'; 1_000], ENDLESS, "too large").await;
    is_unusable(ANY, vec![b'a'; 1_000], ENDLESS, "too large").await;
}

#[tokio::test]
async fn lines_that_say_nothing_count_too() {
    for (head, piece) in [
        (EVENTS, b": ping\n\n".repeat(1_000)),
        (EVENTS, vec![b'\n'; 10_000]),
        (ANY, vec![b'\n'; 10_000]),
        (EVENTS, b"data:\n".repeat(1_000)),
    ] {
        is_unusable(head, piece, ENDLESS, "too large").await;
    }
}

#[tokio::test]
async fn bound_is_exact() {
    for head in [EVENTS, ANY] {
        let piece = || vec![b'a'; 10_000];
        is_unusable(head, piece(), BOUND - APPENDED, "the stream was cut").await;
        is_unusable(head, piece(), BOUND + 1, "too large").await;
    }
}

#[tokio::test]
async fn headers_without_an_end_are_no_answer() {
    let headers = b"x-a: b\r\n".repeat(100);
    let error = flooded("HTTP/1.1 200 OK\r\n", headers, ENDLESS).await;
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_list_of_models_is_bounded_too() {
    for (length, reason) in [(BOUND, "can't be read"), (BOUND + 1, "too large")] {
        let (url, _) = flooding_server(ANY, vec![b' '; 1_000], length);
        let settings = |name: &str| (name == "ALFRED_MODEL_URL").then(|| url.clone());
        let model = alfred_models::from_settings(settings, None, Arc::new(SystemClock)).unwrap();
        let error = turn(&*model, &request()).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn more_calls_than_anybody_makes_are_no_answer() {
    let calls: Vec<_> = (0..60_000)
        .map(|n| json!({"index": n, "id": format!("c{n}"), "function": {"name": "x"}}))
        .collect();
    let answer = json!({"choices": [{"message": {"tool_calls": calls}}]}).to_string();
    let (url, _) = in_turn(vec![Reply::new(200, "application/json", answer)]);
    let error = turn(&model(&url, "mine:m"), &request()).await.unwrap_err();
    assert!(error.to_string().contains("too many tool calls"), "{error}");
}

#[tokio::test]
async fn nothing_is_unpacked_and_nothing_but_utf8_is_read() {
    let packed = sse("\u{1f}\u{8b}").with("content-encoding", "gzip");
    let broken = b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n";
    for (answer, words) in [(packed, "cut"), (sse(broken), "invalid JSON")] {
        let (url, asked) = in_turn(vec![answer]);
        let error = turn(&model(&url, "mine:m"), &request()).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(asked.lock().unwrap()[0].header("accept-encoding"), None);
    }
}
