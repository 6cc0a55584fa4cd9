//! Servers and requests for the tests of the model adapter.

pub use crate::model_conformance::player::request;

use alfred_core::ports::{Model, ModelError, Turn, TurnRequest, Usage};
use alfred_models::{Endpoint, Fallbacks, Wire};
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::{self, Asked, Log, Reply};
use serde_json::json;
use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server's base URL, and what it is asked.
pub fn serving(answer: impl FnMut(&Asked) -> Reply + Send + 'static) -> (String, Log) {
    install_tls();
    let (url, log) = stand_in::serve_logged(answer);
    (format!("{url}/v1"), log)
}

/// A server that gives these answers in turn, the last one again and again.
pub fn in_turn(answers: Vec<Reply>) -> (String, Log) {
    install_tls();
    let (url, log) = stand_in::serve_in_turn(answers);
    (format!("{url}/v1"), log)
}

pub fn install_tls() {
    // The second test of a process finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Models `provider:model` at these addresses, in order.
pub fn model_at(urls: &[(&str, &str)], clock: &ManualClock) -> Fallbacks {
    install_tls();
    let endpoints = urls
        .iter()
        .map(|(url, name)| endpoint(url, name, Wire::Chat));
    Fallbacks::new(endpoints.collect(), None, Arc::new(clock.clone())).unwrap()
}

/// A model at one address, with its own clock.
pub fn model(url: &str, name: &str) -> Fallbacks {
    model_at(&[(url, name)], &ManualClock::default())
}

pub fn endpoint(url: &str, name: &str, wire: Wire) -> Endpoint {
    let (provider, model) = name.split_once(':').unwrap();
    Endpoint {
        provider: provider.into(),
        model: Some(model.into()),
        wire,
        base_url: url.into(),
        key: Some("k".into()),
        streamed: true,
        context: None,
    }
}

pub async fn turn(
    model: &(impl Model + ?Sized),
    request: &TurnRequest,
) -> Result<Turn, ModelError> {
    model.turn(request, &mut Usage::default()).await
}

/// A stream of this text, a finish reason, token counts and `[DONE]`.
pub fn text_events(text: &str) -> String {
    let chunks = [
        json!({"choices": [{"delta": {"content": text}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 42, "completion_tokens": 1}}),
    ];
    let chunks: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    chunks + "data: [DONE]\n\n"
}

/// A 200 with this stream of events.
pub fn sse(body: impl Into<Vec<u8>>) -> Reply {
    Reply::new(200, "text/event-stream", body)
}

/// A 200 with the stream that says this.
pub fn says(text: &str) -> Reply {
    sse(text_events(text))
}

/// Answers every request of a connection with this head and then with `length` bytes, which repeat `piece`; the
/// client may go before. Counts the connections.
pub fn flooding_server(
    head: &'static str,
    piece: Vec<u8>,
    length: usize,
) -> (String, Arc<AtomicUsize>) {
    install_tls();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let is_kept = !head.contains("close");
            while stand_in::read_request(&mut reader).is_some() {
                let mut written = stream.write_all(head.as_bytes());
                let mut left = length;
                while written.is_ok() && left > 0 {
                    let size = piece.len().min(left);
                    written = stream.write_all(&piece[..size]);
                    left -= size;
                }
                if written.is_err() || !is_kept {
                    break;
                }
            }
        }
    });
    (url, connections)
}
