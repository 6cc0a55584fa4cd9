//! The switches: what the caller sees, what happened, and the routes for other processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod support;

use alfred_slack_local::seed::{ANA, GENERAL};
use alfred_slack_local::{Fault, Hold, Options, Release, Running, SlackLocal};
use serde_json::{Value, json};
use support::{answer, call, client, form, png, served, soon, uploaded};

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
    let code = "is_archived".into();
    slack.fail_next("chat.postMessage", 2, Fault::Error { code });
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
    slack.fail_next("chat.update", 1, Fault::DropBefore);
    assert_eq!(posted(&running), 0);
    assert_eq!(post(&running).await.unwrap().status(), 200);
    slack.clear_faults();
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
    let slack = &running.slack;
    let mut gate = slack.hold("chat.postMessage", Hold::BeforeEffect);
    let caller = tokio::spawn(post(&running));
    let held = soon(gate.arrived()).await;
    assert_eq!(held.call.arguments["text"], "x");
    assert_eq!(posted(&running), 0);
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    held.release(Release::Complete);
    let look = |slack: &SlackLocal| slack.messages(GENERAL, 9).unwrap().pop();
    assert_eq!(soon(slack.until(look)).await.text, "x");

    let caller = tokio::spawn(post(&running));
    soon(gate.arrived()).await.release(Release::Drop);
    assert!(caller.await.unwrap().is_err());
    assert_eq!(posted(&running), 1);
    drop(gate);
    assert_eq!(post(&running).await.unwrap().status(), 200);

    let mut gate = slack.hold("*", Hold::AfterEffect);
    let caller = tokio::spawn(post(&running));
    let held = soon(gate.arrived()).await;
    assert_eq!(posted(&running), 3);
    held.release(Release::Drop);
    assert!(caller.await.unwrap().is_err());
}

#[tokio::test]
async fn a_delay_ends_by_the_injected_clock() {
    let (running, clock) = served(Options::default()).await;
    let delay = Fault::Delay {
        milliseconds: 60_000,
    };
    running.slack.fail_next("chat.postMessage", 1, delay);
    let caller = tokio::spawn(post(&running));
    let called = |slack: &SlackLocal| slack.call_counts().get("chat.postMessage").copied();
    soon(running.slack.until(called)).await;
    assert_eq!(posted(&running), 0);
    // Advance until the delayed call has seen it: it may not sleep yet.
    while !caller.is_finished() {
        clock.advance(std::time::Duration::from_secs(60));
        tokio::task::yield_now().await;
    }
    assert_eq!(caller.await.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn other_processes_have_the_same_switches() {
    let options = Options {
        control: true,
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let url = |path: &str| format!("{}/control/{path}", running.url);
    let http = client();
    let fault =
        json!({"method": "chat.postMessage", "fault": {"kind": "error", "code": "is_archived"}});
    let set = answer(http.post(url("faults")).json(&fault)).await;
    assert_eq!(set.0, 200);
    let failed: Value = post(&running).await.unwrap().json().await.unwrap();
    assert_eq!(failed["error"], "is_archived");
    let gate = json!({"method": "chat.postMessage", "hold": "before_effect"});
    let (_, gate) = answer(http.post(url("gates")).json(&gate)).await;
    let arrival = url(&format!("gates/{}", gate["gate"]));
    let nobody = http.post(format!("{arrival}?timeout_ms=1"));
    assert_eq!(answer(nobody).await.0, 408);
    let caller = tokio::spawn(post(&running));
    let (_, arrived) = answer(http.post(&arrival)).await;
    assert_eq!(arrived["call"]["method"], "chat.postMessage");
    let release = url(&format!("calls/{}", arrived["call"]["number"]));
    let decide = |then: &str| answer(http.post(&release).json(&json!({ "then": then })));
    assert_eq!(decide("complete").await.0, 200);
    assert_eq!(caller.await.unwrap().unwrap().status(), 200);
    assert_eq!(decide("drop").await.0, 404);
    assert_eq!(answer(http.delete(&arrival)).await.0, 200);
    let (_, calls) = answer(http.get(url("calls"))).await;
    assert_eq!(calls["counts"]["chat.postMessage"], 2);
    let looks = http.put(url("file_looks")).json(&json!({"looks": 1}));
    assert_eq!(answer(looks).await.0, 200);
    let id = uploaded(&running, png(3, 2)).await;
    let second = form(&running, "files.info", &[("file", &id)]).await;
    assert_eq!(second["file"]["mimetype"], "image/png");
    running.slack.dm_as(ANA, "hi").unwrap();
    let (_, waiting) = answer(http.get(url("deliveries"))).await;
    let mut pending = waiting["pending"].as_array().unwrap().iter();
    assert!(pending.any(|d| d["body"].as_str().unwrap().contains("\"hi\"")));
    let reset = http.delete(format!("{}/control", running.url));
    assert_eq!(answer(reset).await.0, 200);
    assert!(running.slack.call_counts().is_empty());

    let (plain, _) = served(Options::default()).await;
    let closed = http.get(format!("{}/control/calls", plain.url));
    assert_eq!(answer(closed).await.0, 404);
    assert_eq!(call(&plain, "api.test", json!({})).await["ok"], true);
}
