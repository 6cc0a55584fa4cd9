//! The Web API through HTTP: tokens, bodies, limits, paging, error codes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod files;
mod history;
mod messages;
mod requests;
#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;

async fn error(running: &alfred_slack_local::Running, method: &str, arguments: Value) -> String {
    let answer = support::call(running, method, arguments).await;
    assert_eq!(answer["ok"], false, "{answer}");
    answer["error"].as_str().unwrap().to_owned()
}
