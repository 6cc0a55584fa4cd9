//! An OpenAI-compatible endpoint without state that creates two tasks per request. Its answer follows from the
//! results in the prompt.

use alfred_testkit::{LIMIT, within};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::local::process::now_ms;
use crate::local::puppet;

/// Marks a request whose tasks are created in two turns.
pub const SLOWLY: &str = "one by one";

/// Marks a request that writes to the user whose id follows.
pub const TELL: &str = "tell";

pub struct ScriptedModel {
    /// The value for `ALFRED_MODEL_URL`.
    pub url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Times of the calls, in milliseconds since 1970.
    calls: watch::Sender<Vec<i64>>,
    answered: watch::Sender<usize>,
    held_from: watch::Sender<Option<usize>>,
    turn_ms: AtomicU64,
}

pub fn answer(tag: &str) -> String {
    format!("Both tasks of {tag} are there.")
}

pub fn told(tag: &str) -> String {
    format!("Word of {tag}.")
}

pub fn titles(tag: &str) -> [String; 2] {
    ["first", "second"].map(|which| format!("The {which} task of {tag}"))
}

impl ScriptedModel {
    pub async fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let serving = shared.clone();
        let url = puppet::endpoint(move |request| turn(serving.clone(), request)).await;
        Self { url, shared }
    }

    pub fn calls(&self) -> usize {
        self.shared.calls.borrow().len()
    }

    /// The time of the first call after `known` earlier ones.
    pub fn first_behind(&self, known: usize) -> Option<i64> {
        self.shared.calls.borrow().get(known).copied()
    }

    pub fn hold_from(&self, n: usize) {
        self.shared.held_from.send_replace(Some(n));
    }

    pub fn takes(&self, turn: Duration) {
        let ms = u64::try_from(turn.as_millis()).unwrap();
        self.shared.turn_ms.store(ms, Ordering::Relaxed);
    }

    pub fn release(&self) {
        self.shared.held_from.send_replace(None);
    }

    pub async fn called(&self, times: usize) {
        let mut calls = self.shared.calls.subscribe();
        let come = calls.wait_for(|calls| calls.len() >= times);
        drop(within(LIMIT, "calls of the model", come).await.unwrap());
    }

    pub fn answers(&self) -> usize {
        *self.shared.answered.borrow()
    }

    pub async fn answered(&self, times: usize) {
        let mut answered = self.shared.answered.subscribe();
        let given = answered.wait_for(|count| *count >= times);
        drop(within(LIMIT, "answers of the model", given).await.unwrap());
    }
}

async fn turn(shared: Arc<Shared>, request: Value) -> Response {
    let mut number = 0;
    shared.calls.send_modify(|calls| {
        number = calls.len();
        calls.push(now_ms());
    });
    let mut held = shared.held_from.subscribe();
    let free = |from: &Option<usize>| from.is_none_or(|from| number < from);
    held.wait_for(free).await.unwrap();
    let ms = shared.turn_ms.load(Ordering::Relaxed);
    sleep(Duration::from_millis(ms)).await;
    shared.answered.send_modify(|count| *count += 1);
    puppet::counted_turn(&delta(&request))
}

fn delta(request: &Value) -> Value {
    if request["response_format"]["json_schema"]["name"] == "predicate" {
        return json!({"content": "{\"result\": false}"});
    }
    let messages = request["messages"].as_array().unwrap();
    let asked = messages.iter().rposition(|m| m["role"] == "user").unwrap();
    let text = messages[asked]["content"].as_str().unwrap();
    let tag = tag(text);
    let results = messages[asked..].iter().filter(|m| m["role"] == "tool");
    let results = results.count();
    let call = |at: usize| {
        json!({
            "index": at, "id": format!("call_{at}"), "type": "function",
            "function": {
                "name": "task_createTask",
                "arguments": json!({"title": titles(tag)[at]}).to_string(),
            },
        })
    };
    let mut words = text.split_whitespace();
    if words.any(|word| word == TELL) && results == 0 {
        let arguments = json!({"to": words.next(), "text": told(tag)}).to_string();
        return puppet::calls("slack_sendMessage", &arguments);
    }
    match results {
        _ if text.contains(TELL) => json!({"content": answer(tag)}),
        0 if !text.contains(SLOWLY) => json!({"tool_calls": [call(0), call(1)]}),
        0 => json!({"tool_calls": [call(0)]}),
        1 => json!({"tool_calls": [call(1)]}),
        _ => json!({"content": answer(tag)}),
    }
}

fn tag(text: &str) -> &str {
    let (_, rest) = text.split_once('#').expect("a request with a tag");
    rest.split_whitespace().next().unwrap()
}
