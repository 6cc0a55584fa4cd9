//! The switches: what the caller sees, and what happened.

use crate::support;

use alfred_slack_local::seed::GENERAL;
use alfred_slack_local::{Fault, Hold, Options, Release, Running};
use serde_json::{Value, json};
use support::{client, served, soon};

fn post(running: &Running) -> impl Future<Output = reqwest::Result<reqwest::Response>> + use<> {
    client()
        .post(format!("{}/chat.postMessage", running.api_url()))
        .bearer_auth(support::TOKEN)
        .json(&json!({"channel": GENERAL, "text": "x"}))
        .send()
}

fn posted(running: &Running) -> usize {
    running.slack.messages(GENERAL, 100).unwrap().len()
}

#[tokio::test]
async fn faults_without_effect() {
    let (running, _) = served(Options::default()).await;
    let slack = &running.slack;
    slack.fail_next(
        "chat.postMessage",
        2,
        Fault::Error {
            code: "is_archived".into(),
        },
    );
    for _ in 0..2 {
        let body: Value = post(&running).await.unwrap().json().await.unwrap();
        assert_eq!(body["error"], "is_archived");
    }
    slack.fail_next("*", 1, Fault::Status { status: 503 });
    assert_eq!(post(&running).await.unwrap().status(), 503);
    slack.fail_next("chat.postMessage", 1, Fault::RateLimited { seconds: 7 });
    assert_eq!(post(&running).await.unwrap().headers()["retry-after"], "7");
    slack.fail_next("chat.postMessage", 1, Fault::DropBefore);
    assert!(post(&running).await.unwrap_err().is_request());
    assert_eq!(posted(&running), 0);
    assert_eq!(post(&running).await.unwrap().status(), 200);
    assert_eq!(slack.call_counts()["chat.postMessage"], 6);
}

#[tokio::test]
async fn faults_after_the_effect() {
    let (running, _) = served(Options::default()).await;
    let slack = &running.slack;
    slack.fail_next("chat.postMessage", 1, Fault::DropAfter);
    assert!(post(&running).await.unwrap_err().is_request());
    assert_eq!(posted(&running), 1);
    slack.fail_next("chat.postMessage", 1, Fault::StatusAfter { status: 500 });
    assert_eq!(post(&running).await.unwrap().status(), 500);
    slack.fail_next("chat.postMessage", 1, Fault::GarbledAfter);
    assert!(post(&running).await.unwrap().json::<Value>().await.is_err());
    assert_eq!(posted(&running), 3);
}

#[tokio::test]
async fn a_held_call_takes_effect_though_its_caller_died() {
    let (running, _) = served(Options::default()).await;
    let mut gate = running.slack.hold("chat.postMessage", Hold::BeforeEffect);
    let caller = tokio::spawn(post(&running));
    let held = soon(gate.arrived()).await;
    assert_eq!(held.call.arguments["text"], "x");
    assert_eq!(posted(&running), 0);
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    held.release(Release::Complete);
    let look = |slack: &alfred_slack_local::SlackLocal| slack.messages(GENERAL, 9).unwrap().pop();
    assert_eq!(soon(running.slack.until(look)).await.text, "x");

    let caller = tokio::spawn(post(&running));
    soon(gate.arrived()).await.release(Release::Drop);
    assert!(caller.await.unwrap().is_err());
    assert_eq!(posted(&running), 1);
    drop(gate);
    assert_eq!(post(&running).await.unwrap().status(), 200);

    let mut gate = running.slack.hold("*", Hold::AfterEffect);
    let caller = tokio::spawn(post(&running));
    let held = soon(gate.arrived()).await;
    assert_eq!(posted(&running), 3);
    held.release(Release::Drop);
    assert!(caller.await.unwrap().is_err());
}
