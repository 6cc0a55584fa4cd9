//! The fault switches: methods for tests in the same process, and JSON under
//! `/control/` for tests of other processes.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::faults::{Call, Fault, Gate, HeldCall, Hold, Release};
use crate::state::{RequestUrls, SlackLocal, lock};

/// Gates and held calls of other processes.
#[derive(Default)]
pub(crate) struct Gates {
    open: Mutex<HashMap<u64, Arc<tokio::sync::Mutex<Gate>>>>,
    held: Mutex<HashMap<u64, HeldCall>>,
}

impl SlackLocal {
    /// Makes the next `times` calls of a method (`*`: of any) fail so.
    pub fn fail_next(&self, method: &str, times: u32, fault: Fault) {
        self.0.faults.add(method, times, fault);
    }

    /// Takes back the faults that haven't happened yet.
    pub fn clear_faults(&self) {
        self.0.faults.clear();
    }

    /// Holds the calls of a method (`*`: of any) while the gate lives.
    #[must_use]
    pub fn hold(&self, method: &str, hold: Hold) -> Gate {
        self.0.faults.gate(method, hold)
    }

    /// One message a second in a channel, or as many as come.
    pub fn set_rate_limit(&self, on: bool) {
        self.0.rate_limit.store(on, Ordering::Relaxed);
    }

    /// How often each method was called, refused calls included.
    #[must_use]
    pub fn call_counts(&self) -> BTreeMap<String, u64> {
        self.0.faults.counts()
    }

    /// The newest 1,000 calls, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.0.faults.calls()
    }

    /// Starts counting anew.
    pub fn forget_calls(&self) {
        self.0.faults.forget_calls();
    }
}

pub(crate) fn routes() -> Router<SlackLocal> {
    Router::new()
        .route("/control/faults", post(add_fault).delete(clear_faults))
        .route("/control/gates", post(open_gate))
        .route("/control/gates/{id}", post(arrival).delete(close_gate))
        .route("/control/calls", get(calls).delete(forget_calls))
        .route("/control/calls/{number}", post(release))
        .route("/control/rate_limit", put(rate_limit))
        .route("/control/file_looks", put(file_looks))
        .route("/control/request_urls", put(request_urls))
        .route("/control/deliveries", get(deliveries))
        .route("/control", delete(reset))
}

fn done() -> Json<Value> {
    Json(json!({"ok": true}))
}

fn unknown(what: &str) -> Response {
    let body = json!({"ok": false, "error": format!("unknown_{what}")});
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddFault {
    method: String,
    #[serde(default = "once")]
    times: u32,
    fault: Fault,
}

fn once() -> u32 {
    1
}

async fn add_fault(State(slack): State<SlackLocal>, Json(add): Json<AddFault>) -> Json<Value> {
    slack.fail_next(&add.method, add.times, add.fault);
    done()
}

async fn clear_faults(State(slack): State<SlackLocal>) -> Json<Value> {
    slack.clear_faults();
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenGate {
    method: String,
    hold: Hold,
}

async fn open_gate(State(slack): State<SlackLocal>, Json(open): Json<OpenGate>) -> Json<Value> {
    let gate = slack.hold(&open.method, open.hold);
    let id = gate.id();
    lock(&slack.0.gates.open).insert(id, Arc::new(tokio::sync::Mutex::new(gate)));
    Json(json!({"ok": true, "gate": id}))
}

#[derive(Deserialize)]
struct Patience {
    timeout_ms: Option<u64>,
}

/// Waits for a call to arrive; 408 when none did in time (default 10 s).
async fn arrival(
    State(slack): State<SlackLocal>,
    Path(id): Path<u64>,
    Query(patience): Query<Patience>,
) -> Response {
    let Some(gate) = lock(&slack.0.gates.open).get(&id).cloned() else {
        return unknown("gate");
    };
    let patience = Duration::from_millis(patience.timeout_ms.unwrap_or(10_000));
    let arrived = tokio::time::timeout(patience, async { gate.lock().await.arrived().await });
    match arrived.await {
        Ok(held) => {
            let call = held.call.clone();
            lock(&slack.0.gates.held).insert(call.number, held);
            Json(json!({"ok": true, "call": call})).into_response()
        }
        Err(_) => {
            let body = json!({"ok": false, "error": "no_call_arrived"});
            (StatusCode::REQUEST_TIMEOUT, Json(body)).into_response()
        }
    }
}

async fn close_gate(State(slack): State<SlackLocal>, Path(id): Path<u64>) -> Response {
    match lock(&slack.0.gates.open).remove(&id) {
        Some(_) => done().into_response(),
        None => unknown("gate"),
    }
}

async fn calls(State(slack): State<SlackLocal>) -> Json<Value> {
    Json(json!({"ok": true, "counts": slack.call_counts(), "calls": slack.calls()}))
}

async fn forget_calls(State(slack): State<SlackLocal>) -> Json<Value> {
    slack.forget_calls();
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    then: Release,
}

async fn release(
    State(slack): State<SlackLocal>,
    Path(number): Path<u64>,
    Json(decide): Json<Decide>,
) -> Response {
    let held = lock(&slack.0.gates.held).remove(&number);
    match held {
        Some(held) => {
            held.release(decide.then);
            done().into_response()
        }
        None => unknown("call"),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    on: bool,
}

async fn rate_limit(State(slack): State<SlackLocal>, Json(switch): Json<Switch>) -> Json<Value> {
    slack.set_rate_limit(switch.on);
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLooks {
    looks: u32,
}

async fn file_looks(State(slack): State<SlackLocal>, Json(set): Json<FileLooks>) -> Json<Value> {
    slack.set_file_looks(set.looks);
    done()
}

async fn request_urls(
    State(slack): State<SlackLocal>,
    Json(urls): Json<RequestUrls>,
) -> Json<Value> {
    slack.set_request_urls(urls);
    done()
}

async fn deliveries(State(slack): State<SlackLocal>) -> Response {
    match (slack.pending_deliveries(), slack.given_up_deliveries()) {
        (Ok(pending), Ok(given_up)) => {
            Json(json!({"ok": true, "pending": pending, "given_up": given_up})).into_response()
        }
        (Err(error), _) | (_, Err(error)) => {
            crate::person::PersonError::from(error).into_response()
        }
    }
}

/// No faults, no gates, no calls remembered; held calls lose their connection.
async fn reset(State(slack): State<SlackLocal>) -> Json<Value> {
    slack.clear_faults();
    slack.forget_calls();
    lock(&slack.0.gates.open).clear();
    lock(&slack.0.gates.held).clear();
    done()
}
