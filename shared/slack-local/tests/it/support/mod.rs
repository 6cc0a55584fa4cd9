//! The stand-in under a manual clock, an app that records what Slack sends, and callers of the Web API.

use alfred_core::ports::SystemIds;
use alfred_slack_local::{Options, Running, SlackLocal};
use alfred_testkit::{LIMIT, ManualClock, within};
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

pub const TOKEN: &str = "xoxb-local";
pub const APP_TOKEN: &str = "xapp-local";

pub async fn served(mut options: Options) -> (Running, ManualClock) {
    // An error means that another test of this process has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    options.seed.bot_token = TOKEN.into();
    options.seed.app_token = APP_TOKEN.into();
    let clock = ManualClock::default();
    let slack = SlackLocal::open(options, Arc::new(clock.clone()), Arc::new(SystemIds));
    (slack.unwrap().listen().await.unwrap(), clock)
}

/// Waits until the app has taken every event, or Slack has given it up.
pub async fn delivered(slack: &SlackLocal) {
    let none = |slack: &SlackLocal| slack.pending_deliveries().unwrap().is_empty().then_some(());
    within(LIMIT, "the deliveries", slack.until(none)).await;
}

/// An app that gives these answers, then 200.
pub async fn app(answers: impl IntoIterator<Item = ResponseTemplate>) -> MockServer {
    let app = MockServer::start().await;
    for answer in answers {
        let once = Mock::given(any()).respond_with(answer);
        once.up_to_n_times(1).mount(&app).await;
    }
    let taken = Mock::given(any()).respond_with(ResponseTemplate::new(200));
    taken.mount(&app).await;
    app
}

pub fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    Some(request.headers.get(name)?.to_str().unwrap())
}

/// The trigger of the app's newest command.
pub async fn trigger(app: &MockServer) -> String {
    let requests = app.received_requests().await.unwrap();
    let triggers = requests.iter().rev().filter_map(|request| {
        let fields: Vec<(String, String)> = serde_urlencoded::from_bytes(&request.body).ok()?;
        let field = fields.into_iter().find(|(name, _)| name == "trigger_id")?;
        Some(field.1)
    });
    triggers.into_iter().next().unwrap()
}

pub fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

pub async fn send(request: RequestBuilder) -> Response {
    within(LIMIT, "an answer", request.send()).await.unwrap()
}

pub fn method(running: &Running, method: &str) -> RequestBuilder {
    let url = format!("{}/{method}", running.api_url());
    client().post(url).bearer_auth(TOKEN)
}

pub async fn call(running: &Running, name: &str, arguments: Value) -> Value {
    let answer = send(method(running, name).json(&arguments)).await;
    answer.json().await.unwrap()
}

/// The header of a PNG, which is all that the stand-in reads.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.extend([8, 6, 0, 0, 0]);
    png
}

/// Uploads a file in all steps but the last look. Returns its id.
pub async fn uploaded(running: &Running, bytes: Vec<u8>) -> String {
    let asked = json!({"filename": "day.png", "length": bytes.len()});
    let place = call(running, "files.getUploadURLExternal", asked).await;
    let address = place["upload_url"].as_str().unwrap();
    assert_eq!(send(client().post(address).body(bytes)).await.status(), 200);
    let id = place["file_id"].as_str().unwrap().to_owned();
    let files = json!({"files": [{"id": id}]});
    let done = call(running, "files.completeUploadExternal", files).await;
    assert_eq!(done["ok"], true, "{done}");
    id
}
