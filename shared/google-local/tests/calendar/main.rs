//! The local Google's calendars over HTTP: what they take, what they refuse, and who hears of it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod events;
mod guests;
mod lists;

use alfred_google_local::calendar::{Notice, Told};
use alfred_google_local::{Account, GoogleLocal, Options, Running, scope};
use alfred_testkit::{LIMIT, ManualClock};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const ANA: &str = "ana@example.com";
const BEN: &str = "ben@example.com";
const OUT: &str = "out@elsewhere.example";

struct World {
    running: Running,
    http: reqwest::Client,
}

/// A call as somebody.
struct Ask<'a> {
    who: &'a str,
    verb: Method,
    path: String,
    body: Value,
    etag: Option<String>,
}

fn ask(who: &str, verb: Method, path: impl Into<String>) -> Ask<'_> {
    Ask {
        who,
        verb,
        path: path.into(),
        body: Value::Null,
        etag: None,
    }
}

impl World {
    async fn new() -> Self {
        Self::with(Options::default()).await
    }

    async fn with(options: Options) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let google = GoogleLocal::open(options, Arc::new(ManualClock::default())).unwrap();
        for (email, name) in [(ANA, "Ana"), (BEN, "Ben")] {
            if !google.has_account(email) {
                let mut account = Account::new(email, name);
                account.calendar.time_zone = "Europe/Lisbon".into();
                google.put_account(account);
            }
        }
        Self {
            running: google.listen().await.unwrap(),
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(LIMIT)
                .build()
                .unwrap(),
        }
    }

    async fn call(&self, ask: Ask<'_>) -> (u16, Value) {
        self.call_with(ask, &scope::ALL).await
    }

    async fn call_with(&self, ask: Ask<'_>, scopes: &[&str]) -> (u16, Value) {
        let url = format!("{}/calendar/v3/{}", self.running.url, ask.path);
        let token = self.running.google.access_token(ask.who, scopes);
        let mut request = self.http.request(ask.verb, url).bearer_auth(token);
        if !ask.body.is_null() {
            request = request.json(&ask.body);
        }
        if let Some(etag) = ask.etag {
            request = request.header("If-Match", etag);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body = response.bytes().await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn get(&self, who: &str, path: &str) -> (u16, Value) {
        self.call(ask(who, Method::GET, path)).await
    }

    async fn insert(&self, body: Value) -> (u16, Value) {
        let mut ask = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates=all"));
        ask.body = body;
        self.call(ask).await
    }

    async fn patch(&self, who: &str, id: &str, body: Value) -> (u16, Value) {
        let path = format!("{EVENTS}/{id}?sendUpdates=all");
        self.call(Ask {
            body,
            ..ask(who, Method::PATCH, path)
        })
        .await
    }

    async fn delete(&self, who: &str, id: &str) -> u16 {
        let path = format!("{EVENTS}/{id}?sendUpdates=all");
        self.call(ask(who, Method::DELETE, path)).await.0
    }

    fn told(&self, who: &str) -> Vec<(String, Told)> {
        let notices = |account: &mut Account| account.calendar.notices.clone();
        let notices: Vec<Notice> = self.running.google.with_account(who, notices).unwrap();
        notices
            .into_iter()
            .map(|notice| (notice.to, notice.told))
            .collect()
    }
}

const EVENTS: &str = "calendars/primary/events";

fn reason(answer: &Value) -> &str {
    answer["error"]["errors"][0]["reason"]
        .as_str()
        .unwrap_or_default()
}

fn event(fields: Value) -> Value {
    let mut event = json!({
        "summary": "Lunch",
        "start": {"dateTime": "2026-11-27T12:00:00Z", "timeZone": "Europe/Lisbon"},
        "end": {"dateTime": "2026-11-27T13:00:00Z", "timeZone": "Europe/Lisbon"},
    });
    for (name, value) in fields.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

fn items<'a>(answer: &'a Value, field: &str) -> Vec<&'a str> {
    let items = answer["items"].as_array().unwrap().iter();
    items
        .map(|item| item[field].as_str().unwrap_or_default())
        .collect()
}
