//! The Web API through HTTP: tokens, bodies, limits, paging, error codes.

mod files;
mod history;
mod messages;
mod requests;
use crate::support;

use serde_json::Value;

async fn error(running: &alfred_slack_local::Running, method: &str, arguments: Value) -> String {
    let answer = support::call(running, method, arguments).await;
    assert_eq!(answer["ok"], false, "{answer}");
    answer["error"].as_str().unwrap().to_owned()
}
