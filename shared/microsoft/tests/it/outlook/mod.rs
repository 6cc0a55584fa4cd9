//! Plays Microsoft Graph for one mailbox. Answers are whole recorded resources with what the client changed. Its rules
//! are few, but Microsoft's own models read every request and answer.

mod asked;
mod calendar;
mod mail;
mod mime;
mod series;

pub use calendar::Calendar;
pub use mail::Mailbox;

use crate::models::GraphModels;
use alfred_loopback::{Faults, Gate, Hold, outlive};
use alfred_testkit::ManualClock;
use asked::Asked;
use axum::Router;
use axum::extract::{Form, Request, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::net::TcpListener;

pub const ANA: &str = "ana@example.com";
/// Requests that a mailbox takes at once.
const AT_ONCE: usize = 4;

pub type Fault = alfred_loopback::Fault<Refusal>;

/// Graph's error: its status, its code and its `Retry-After`.
#[derive(Clone, Debug)]
pub struct Refusal(pub u16, pub &'static str, pub Option<&'static str>);

/// A status with its body. A text is sent as it is.
pub type Answer = (u16, Value);

pub fn error(status: u16, code: &str) -> Answer {
    (
        status,
        json!({"error": {"code": code, "message": "As was wished."}}),
    )
}

pub fn recorded(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/outlook/recorded");
    let text = std::fs::read(format!("{folder}/{name}.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

pub fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[derive(Clone)]
pub struct Player(Arc<Inner>);

struct Inner {
    faults: Faults<Refusal>,
    mailbox: Mutex<Mailbox>,
    at_work: AtomicUsize,
    /// What the client or the player did that Graph doesn't know.
    wrong: Mutex<Vec<String>>,
}

async fn api(State(player): State<Player>, request: Request) -> Response {
    let asked = Asked::read(request).await;
    outlive(async move { player.at_work(&asked).await }).await
}

async fn token(
    State(player): State<Player>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Response {
    outlive(async move {
        let effect = || (200, player.mailbox().token(&form));
        player.through("oauth2.token", effect).await
    })
    .await
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, code, after) = self;
        let after = after.map(|after| [(RETRY_AFTER, after)]);
        (after, response(error(status, code))).into_response()
    }
}

fn response((status, body): Answer) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    match body {
        Value::Null => status.into_response(),
        Value::String(text) => (status, text).into_response(),
        body => (status, axum::Json(body)).into_response(),
    }
}

impl Player {
    /// Serves a player. Gives its address, `http://127.0.0.1:PORT`.
    pub async fn listen(clock: ManualClock) -> (Self, String) {
        let player = Self(Arc::new(Inner {
            mailbox: Mutex::new(Mailbox::new(clock)),
            faults: Faults::default(),
            at_work: AtomicUsize::new(0),
            wrong: Mutex::default(),
        }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/common/oauth2/v2.0/token", post(token))
            .route("/{*path}", any(api))
            .with_state(player.clone());
        tokio::spawn(alfred_loopback::serve(listener, router));
        (player, url)
    }

    pub fn assert_nothing_wrong(&self) {
        assert_eq!(*self.0.wrong.lock().unwrap(), [""; 0]);
    }

    /// Looks at the mailbox, or changes it, as its owner does elsewhere.
    pub fn mailbox(&self) -> MutexGuard<'_, Mailbox> {
        self.0.mailbox.lock().unwrap()
    }

    pub fn fail_next(&self, call: &str, times: u32, fault: Fault) {
        self.0.faults.fail_next(call, times, fault);
    }

    pub fn hold(&self, call: &str, hold: Hold) -> Gate {
        self.0.faults.hold(call, hold)
    }

    pub fn calls(&self, call: &str) -> u64 {
        let counts = self.0.faults.call_counts();
        counts.get(call).copied().unwrap_or_default()
    }

    async fn at_work(&self, asked: &Asked) -> Response {
        let before = self.0.at_work.fetch_add(1, Ordering::SeqCst);
        if before >= AT_ONCE {
            self.wrong(format!("{} requests at once", before + 1));
        }
        let answer = self.through(asked.call.name, || self.effect(asked)).await;
        self.0.at_work.fetch_sub(1, Ordering::SeqCst);
        answer
    }

    fn wrong(&self, what: String) {
        self.0.wrong.lock().unwrap().push(what);
    }

    async fn through(&self, name: &str, effect: impl FnOnce() -> Answer) -> Response {
        let faults = &self.0.faults;
        let call = faults.record(name, Value::Null, 0);
        faults.through(call, || response(effect())).await
    }

    fn effect(&self, asked: &Asked) -> Answer {
        let answer = match self.mailbox().answer(asked) {
            Ok(shown) => (200, asked.selected(shown)),
            Err(refusal) => refusal,
        };
        for wrong in asked.wrong() {
            self.wrong(wrong);
        }
        let models = GraphModels::shared();
        let wrong = models.check(asked.call, &asked.body, &asked.fields(), &answer);
        self.0.wrong.lock().unwrap().extend(wrong);
        answer
    }
}
