//! The demo, whose local Slack and its history are in the killed process.

use alfred_core::{TeamId, TraceId};
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_testkit::{LIMIT, eventually};
use fastrand::Rng;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

use crate::local::cli::Cli;
use crate::local::process::Serving;

const TEAM: &str = "T0LOCAL001";
const LIVES: u64 = 8;

async fn answers(serving: &Serving) -> Vec<Value> {
    let path = format!("/client/messages?channel={ANA_DM}");
    let page = serving.get(&path).await;
    let mut messages = page["messages"].as_array().unwrap().clone();
    messages.retain(|message| message["bot_id"].is_string());
    messages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_right_after_a_message_it_answers_once() {
    for seed in 0..LIVES {
        let mut rng = Rng::with_seed(seed);
        let cli = Cli::new();
        let serving = cli.serve().await;
        let request = json!({"user": ANA, "text": "What time is it in Tokyo?"});
        let posted = serving.post("/client/post", &request).await;
        assert_eq!(posted.status(), 200);
        let posted: Value = posted.json().await.unwrap();
        // The first dies at once, the others during their answer.
        sleep(Duration::from_micros(rng.u64(0..=seed * 6_000))).await;
        serving.kill().await;

        let serving = cli.serve().await;
        let found = eventually(LIMIT, "an answer", async || {
            Some(answers(&serving).await).filter(|found| !found.is_empty())
        });
        let found = found.await;
        let ts = posted["message"]["ts"].as_str().unwrap();
        let trace = TraceId::derive(&TeamId::from(TEAM), &format!("msg:{ANA_DM}:{ts}"));
        serving.done(&trace.0, TEAM).await;
        assert_eq!(answers(&serving).await, found, "seed {seed}");
        assert_eq!(found.len(), 1, "seed {seed}: {found:#?}");
        let text = found[0]["text"].as_str().unwrap();
        assert!(text.contains("Tokyo"), "seed {seed}: {text}");
        serving.kill().await;
    }
}
