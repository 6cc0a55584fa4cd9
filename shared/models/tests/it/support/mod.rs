//! Servers, requests and a clock for the tests of the model adapter.

use alfred_core::ports::{
    Clock, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest, Usage,
};
use alfred_models::{Endpoint, Fallbacks, Wire};
use alfred_testkit::{ManualClock, stand_in};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::{MockServer, ResponseTemplate};

/// A manual clock that remembers what was waited for.
#[derive(Clone, Default)]
pub struct RecordingClock {
    clock: ManualClock,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl RecordingClock {
    pub fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }
}

#[async_trait]
impl Clock for RecordingClock {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn sleep(&self, duration: Duration) {
        self.waits.lock().unwrap().push(duration);
        self.clock.sleep(duration).await;
    }
}

/// A server, with the TLS provider that the client needs installed.
pub async fn start() -> MockServer {
    install_tls();
    MockServer::start().await
}

pub fn install_tls() {
    // The second test of a process finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Models `provider:model` at mock servers, in order.
pub fn model(servers: &[(&MockServer, &str)]) -> (Fallbacks, RecordingClock) {
    let urls: Vec<(String, &str)> = servers
        .iter()
        .map(|(server, name)| (format!("{}/v1", server.uri()), *name))
        .collect();
    model_at(&urls)
}

/// The same at any address.
pub fn model_at(urls: &[(String, &str)]) -> (Fallbacks, RecordingClock) {
    install_tls();
    let clock = RecordingClock::default();
    let endpoints = urls
        .iter()
        .map(|(url, name)| {
            let (provider, model) = name.split_once(':').unwrap();
            Endpoint {
                provider: provider.into(),
                model: Some(model.into()),
                wire: Wire::Chat,
                base_url: url.clone(),
                key: Some("k".into()),
                streamed: true,
                context: None,
            }
        })
        .collect();
    let model = Fallbacks::new(endpoints, None, Arc::new(clock.clone())).unwrap();
    (model, clock)
}

/// A question with one tool, 60 s for everything.
pub fn request() -> TurnRequest {
    TurnRequest {
        messages: vec![
            Message::System {
                text: "Be Alfred.".into(),
            },
            Message::User {
                text: "Time?".into(),
            },
        ],
        tools: Arc::new([ToolSpec {
            name: "time_now".into(),
            description: "The time.".into(),
            parameters: json!({"type": "object", "properties": {"timezone": {"type": "string"}}}),
        }]),
        output: Output::Text,
        max_output_tokens: 500,
        timeout: Duration::from_secs(60),
    }
}

/// The same after a tool call and its result.
pub fn with_history() -> TurnRequest {
    let mut request = request();
    request.messages.push(Message::Assistant {
        text: "".into(),
        tool_calls: Arc::new([ToolCall {
            id: "c1".into(),
            name: "time_now".into(),
            arguments: String::new(),
            echo: None,
        }]),
    });
    request.messages.push(Message::Tool {
        call_id: "c1".into(),
        text: "{\"success\":true}".into(),
    });
    request
}

/// One turn, nobody listening.
pub async fn turn(model: &impl Model, request: &TurnRequest) -> Result<Turn, ModelError> {
    model.turn(request, &mut Usage::default()).await
}

/// A stream that says these pieces: finished, counted, done.
pub fn text_events(pieces: &[&str]) -> String {
    let mut body = String::new();
    for piece in pieces {
        body.push_str(&format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{piece}\"}}}}]}}\n\n"
        ));
    }
    let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 42, "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 4}}});
    body.push_str(&format!(
        "data: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    ));
    body
}

/// A 200 with this stream of events.
pub fn sse(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body, "text/event-stream")
}

/// A 200 with one object that holds this message.
pub fn json_answer(message: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({"choices": [{"message": message}]}))
}

/// What the server was posted.
pub async fn bodies(server: &MockServer) -> Vec<Value> {
    let received = server.received_requests().await.unwrap();
    received
        .iter()
        .filter(|request| request.method.as_str() == "POST")
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect()
}

/// Answers every connection with this head and then with `length` bytes, which repeat `piece`; the client may go
/// before. Counts the connections.
pub fn flooding_server(
    head: &'static str,
    piece: Vec<u8>,
    length: usize,
) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            read_request(&mut BufReader::new(stream.try_clone().unwrap()));
            let mut written = stream.write_all(head.as_bytes());
            let mut left = length;
            while written.is_ok() && left > 0 {
                let size = piece.len().min(left);
                written = stream.write_all(&piece[..size]);
                left -= size;
            }
        }
    });
    (url, connections)
}

/// Keeps connections, gives every request this stream, and counts the connections.
pub fn counting_server(body: String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            let body = body.clone();
            std::thread::spawn(move || serve(stream.unwrap(), &body));
        }
    });
    (url, connections)
}

fn serve(mut stream: TcpStream, body: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    while read_request(&mut reader) {
        let answer = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads a request to its end; false when the connection is closed.
fn read_request(reader: &mut BufReader<TcpStream>) -> bool {
    stand_in::read_request(reader).is_some()
}
