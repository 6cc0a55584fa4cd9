//! What the suites share: a clock that is moved by hand, an app that records
//! what Slack sends, and a caller of the Web API.

use alfred_core::ports::{Clock, SystemIds};
use alfred_slack_local::{Options, Running, SlackLocal, signature};
use alfred_testkit::{LIMIT, within};
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

pub const TOKEN: &str = "xoxb-local";
pub const SIGNING_SECRET: &str = "local-signing-secret";

/// Stands until it is moved; sleepers wake when their time has come.
#[derive(Clone)]
pub struct HandClock(watch::Sender<Timestamp>);

impl Default for HandClock {
    fn default() -> Self {
        Self(watch::Sender::new("2026-11-21T09:00:00Z".parse().unwrap()))
    }
}

impl HandClock {
    pub fn advance(&self, by: Duration) {
        self.0.send_modify(|now| *now += by);
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    async fn sleep(&self, duration: Duration) {
        let until = self.now() + duration;
        let mut time = self.0.subscribe();
        time.wait_for(|now| *now >= until).await.unwrap();
    }
}

pub fn provider() {
    // A second suite in the process finds it installed; that is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

pub fn open(mut options: Options, clock: &HandClock) -> SlackLocal {
    provider();
    options.seed.bot_token = TOKEN.into();
    options.seed.signing_secret = SIGNING_SECRET.into();
    SlackLocal::open(options, Arc::new(clock.clone()), Arc::new(SystemIds)).unwrap()
}

/// A stand-in on a port, under a clock moved by hand.
pub async fn served(options: Options) -> (Running, HandClock) {
    let clock = HandClock::default();
    (open(options, &clock).listen().await.unwrap(), clock)
}

/// Fails the test when this takes longer than anything here may.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    within(LIMIT, "the stand-in or the app", future).await
}

pub fn client() -> reqwest::Client {
    provider();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Calls a method with JSON and the right token.
pub async fn call(running: &Running, method: &str, arguments: Value) -> Value {
    let sent = client()
        .post(format!("{}/{method}", running.api_url()))
        .bearer_auth(TOKEN)
        .json(&arguments)
        .send();
    soon(sent).await.unwrap().json().await.unwrap()
}

/// Calls a method with a form.
pub async fn form(running: &Running, method: &str, arguments: &[(&str, &str)]) -> Value {
    let sent = client()
        .post(format!("{}/{method}", running.api_url()))
        .bearer_auth(TOKEN)
        .form(arguments)
        .send();
    soon(sent).await.unwrap().json().await.unwrap()
}

/// A request the app got.
pub struct Received {
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn form(&self) -> Value {
        let fields: Vec<(String, String)> = serde_urlencoded::from_bytes(&self.body).unwrap();
        Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name, value.into()))
                .collect(),
        )
    }

    pub fn payload(&self) -> Value {
        serde_json::from_str(self.form()["payload"].as_str().unwrap()).unwrap()
    }

    pub fn check_signature(&self, secret: &str) {
        let timestamp = self
            .header("x-slack-request-timestamp")
            .unwrap()
            .parse()
            .unwrap();
        let expected = signature(secret, timestamp, &self.body);
        assert_eq!(self.header("x-slack-signature").unwrap(), expected);
    }
}

/// How the app answers.
#[derive(Clone)]
pub enum Reply {
    Json(Value),
    Status(u16),
    NoRetry(u16),
    Never,
}

/// An app that records what it gets; it answers by script, then 200.
pub struct App {
    pub url: String,
    requests: mpsc::UnboundedReceiver<Received>,
    script: Arc<Mutex<VecDeque<Reply>>>,
}

impl App {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/slack", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::unbounded_channel();
        let script: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let answers = Arc::clone(&script);
        let handler = move |headers: HeaderMap, body: Bytes| {
            let reply = answers.lock().unwrap().pop_front();
            sender.send(Received { headers, body }).unwrap();
            async move {
                match reply {
                    None => (StatusCode::OK, HeaderMap::new(), String::new()),
                    Some(Reply::Json(body)) => (StatusCode::OK, HeaderMap::new(), body.to_string()),
                    Some(Reply::Status(status)) => (
                        StatusCode::from_u16(status).unwrap(),
                        HeaderMap::new(),
                        "no".into(),
                    ),
                    Some(Reply::NoRetry(status)) => {
                        let mut headers = HeaderMap::new();
                        headers.insert("x-slack-no-retry", "1".parse().unwrap());
                        (
                            StatusCode::from_u16(status).unwrap(),
                            headers,
                            String::new(),
                        )
                    }
                    Some(Reply::Never) => std::future::pending().await,
                }
            }
        };
        let router = axum::Router::new().route("/slack", axum::routing::post(handler));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            requests,
            script,
        }
    }

    pub fn url(&self) -> Option<String> {
        Some(self.url.clone())
    }

    pub fn answers(&self, replies: impl IntoIterator<Item = Reply>) {
        self.script.lock().unwrap().extend(replies);
    }

    pub async fn next(&mut self) -> Received {
        soon(self.requests.recv()).await.unwrap()
    }

    /// Nothing has come, and nothing is on its way.
    pub fn assert_quiet(&mut self, slack: &SlackLocal) {
        assert!(self.requests.try_recv().is_err(), "an unexpected request");
        assert!(slack.pending_deliveries().unwrap().is_empty());
    }
}

pub fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": text}})
}

pub fn buttons() -> Value {
    json!({"type": "actions", "block_id": "decision", "elements": [
        {"type": "button", "action_id": "approve", "value": "apr_1", "style": "primary",
         "text": {"type": "plain_text", "text": "Approve"}},
        {"type": "static_select", "action_id": "pick", "options": [
            {"text": {"type": "plain_text", "text": "One"}, "value": "1"}]}]})
}

/// A PNG as far as anybody here looks: its head.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.extend([8, 6, 0, 0, 0]);
    png
}

/// Sends bytes to an upload's address; the status and what it says.
pub async fn send(address: &str, bytes: Vec<u8>) -> (u16, String) {
    let sent = soon(client().post(address).body(bytes).send())
        .await
        .unwrap();
    (sent.status().as_u16(), sent.text().await.unwrap())
}

/// An address for a file's bytes, and the file's id.
pub async fn expect(running: &Running, length: usize) -> (String, String) {
    let asked = json!({"filename": "day.png", "length": length, "alt_txt": "A day"});
    let answer = call(running, "files.getUploadURLExternal", asked).await;
    let text = |field: &str| answer[field].as_str().unwrap().to_owned();
    (text("upload_url"), text("file_id"))
}

/// Uploads a picture through all steps and looks once; gives its id.
pub async fn uploaded(running: &Running, png: Vec<u8>) -> String {
    let (address, id) = expect(running, png.len()).await;
    assert_eq!(send(&address, png).await.0, 200);
    let files = json!({"files": [{"id": id}]});
    let done = call(running, "files.completeUploadExternal", files).await;
    assert_eq!(done["ok"], true, "{done}");
    assert_eq!(
        form(running, "files.info", &[("file", &id)]).await["ok"],
        true
    );
    id
}

pub fn picture(id: &str) -> Value {
    json!({"type": "image", "alt_text": "A day", "slack_file": {"id": id}})
}
