//! Failures of a model service: the user's message and the log.

use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_testkit::chromium::{Chromium, Tab};
use alfred_testkit::{LIMIT, eventually};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::fs::File;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::local::cli::Cli;
use crate::local::process::Serving;

const KEY: &str = "sk-nobody-may-read-this";

/// Status, content type, body.
type Way = (u16, &'static str, &'static str);

const JSON: &str = "application/json";
const WAYS: [(&str, Way); 7] = [
    (
        "a web page",
        (200, "text/html", "<!doctype html><html>Welcome</html>"),
    ),
    ("no choices", (200, JSON, r#"{"id": "1", "choices": []}"#)),
    (
        "a wrong key",
        (
            401,
            JSON,
            r#"{"error": {"message": "Incorrect API key provided: sk-nobody-may-read-this", "code": "invalid_api_key"}}"#,
        ),
    ),
    (
        "no credit",
        (
            402,
            JSON,
            r#"{"error": {"message": "Insufficient Balance"}}"#,
        ),
    ),
    (
        "too little context",
        (
            400,
            JSON,
            r#"{"error": {"message": "This model's maximum context length is 512 tokens.", "code": "context_length_exceeded"}}"#,
        ),
    ),
    (
        "a gateway in front of nothing",
        (502, "text/html", "<h1>502 Bad Gateway</h1>"),
    ),
    (
        "an answer that is cut",
        (
            200,
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":{\"content\":\"Half of\"}}]}\n\n",
        ),
    ),
];

#[derive(Clone)]
struct Broken {
    way: Arc<Mutex<Way>>,
    /// The server answers while this is true.
    open: watch::Sender<bool>,
}

async fn turn(State(broken): State<Broken>, Json(_): Json<Value>) -> Response {
    let mut open = broken.open.subscribe();
    open.wait_for(|open| *open).await.unwrap();
    let (status, kind, body) = *broken.way.lock().unwrap();
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}

async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Alfred's answer to a request. The page shows that it is thinking meanwhile.
async fn answered(serving: &Serving, tab: &Tab, broken: &Broken, request: &str) -> String {
    broken.open.send_replace(false);
    let said = json!({"user": ANA, "text": request});
    let posted = serving.post("/client/post", &said).await;
    let posted: Value = posted.json().await.unwrap();
    let ts = posted["message"]["ts"].as_str().unwrap().to_owned();
    let status = "document.getElementById('statuses').innerText";
    tab.until(&format!("{status}.includes('is thinking…')"));
    broken.open.send_replace(true);
    let page = format!("/client/messages?channel={ANA_DM}");
    let answer = eventually(LIMIT, "an answer", async || {
        let found = serving.get(&page).await;
        let mut messages = found["messages"].as_array().unwrap().clone();
        messages.retain(|message| message["bot_id"].is_string());
        let last = messages.pop()?;
        let behind = last["ts"].as_str().unwrap() > ts.as_str();
        behind.then(|| last["text"].as_str().unwrap().to_owned())
    });
    let answer = answer.await;
    tab.until(&format!("{status} === ''"));
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_blamed_and_the_log_says_why() {
    let broken = Broken {
        way: Arc::new(Mutex::new(WAYS[0].1)),
        open: watch::Sender::new(true),
    };
    let router = Router::new().route("/v1/chat/completions", post(turn));
    let url = serve(router.with_state(broken.clone())).await;
    let cli = Cli::new();
    let log = cli.data().join("log.txt");
    let mut command = cli.command("serve --port 0");
    command
        .env("ALFRED_MODEL", "acme:best")
        .env("ALFRED_MODEL_URL", format!("{url}/v1"))
        .env("ACME_API_KEY", KEY)
        .env("NO_COLOR", "1")
        .stderr(File::create(&log).unwrap());
    let serving = Serving::start(command, cli.data()).await;
    let tab = Chromium::start().open(&serving.link);
    let logged = || std::fs::read_to_string(&log).unwrap();
    let mut told = Vec::new();
    for (what, way) in WAYS {
        *broken.way.lock().unwrap() = way;
        let before = logged().len();
        let answer = answered(&serving, &tab, &broken, &format!("hello, with {what}")).await;
        let lines = logged().split_off(before);
        let why = lines
            .lines()
            .find_map(|line| line.split_once("no model turn"));
        let why = why.and_then(|(_, fields)| fields.split_once("error="));
        let why = why.map_or("nothing", |(_, error)| error);
        told.push(format!("{what}\n  page: {answer}\n  log: {why}"));
    }
    serving.kill().await;
    let logged = logged();
    assert!(
        !logged.contains(KEY) && !logged.contains("hello"),
        "{logged}"
    );
    insta::assert_snapshot!(told.join("\n"), @r#"
a web page
  page: My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.
  log: model refused the request: acme:best: a web page came instead of an answer: check the URL
no choices
  page: My language model gave an answer I can't use. Please try again in a moment.
  log: model gave an unusable answer: acme:best: no choices
a wrong key
  page: My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.
  log: model refused the request: acme:best: status 401 (invalid_api_key): check the provider's key
no credit
  page: My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.
  log: model refused the request: acme:best: status 402: the account has no credit left
too little context
  page: My language model's context is too small for this, although your message is short. Please ask an administrator to set a larger one; the log says how much is needed.
  log: the conversation is longer than the model takes: acme:best: status 400 (context_length_exceeded)
a gateway in front of nothing
  page: I couldn't reach my language model just now. Please try again in a moment.
  log: model unavailable: acme:best: status 502
an answer that is cut
  page: My language model gave an answer I can't use. Please try again in a moment.
  log: model gave an unusable answer: acme:best: the stream was cut
"#);
}
