//! The payloads in `events/` are accepted by the functions.
use alfred_core::ports::{Clock, QueueName};
use alfred_core::{Envelope, Payload, TeamInput, WorkerInput};
use alfred_slack_receiver::{RawRequest, Receiver, SigningSecrets};
use alfred_testkit::{ManualClock, MemoryQueue};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

pub const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../events")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

/// The bodies of an SQS event, read as the functions do.
fn bodies(name: &str) -> Vec<String> {
    let event: alfred_lambda_kit::SqsEvent = serde_json::from_value(json(name)).unwrap();
    let records = event.records.into_iter();
    records.map(|record| record.body.unwrap()).collect()
}

fn envelope(name: &str) -> Envelope {
    serde_json::from_str(&bodies(name)[0]).unwrap()
}

#[test]
fn every_envelope_in_events_is_read_and_written_as_it_is() {
    let mut seen = 0;
    for entry in std::fs::read_dir(path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".json") || json(&name).get("Records").is_none() {
            continue;
        }
        for body in bodies(&name) {
            let body: Value = serde_json::from_str(&body).unwrap();
            if body.get("v").is_none() {
                continue;
            }
            let read: Envelope = serde_json::from_value(body.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), body, "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, 5);
}

#[test]
fn inline_contracts_are_the_workers_inputs() {
    let worker: WorkerInput =
        serde_json::from_str(&bodies("utility-worker.inline.json")[0]).unwrap();
    let session = envelope("classifier.message.json").session;
    assert_eq!(worker.session_id, session);
    let team: TeamInput = serde_json::from_str(&bodies("team-manager.inline.json")[0]).unwrap();
    assert_eq!(team.team.as_str(), "marketing");
    assert_eq!(team.team_config.timeout_seconds, 300);
    for name in ["utility-worker.run.json", "team-manager.run.json"] {
        let is_run = matches!(envelope(name).payload, Payload::Run { .. });
        assert!(is_run, "{name}");
    }
}

/// A request that is signed as `events/README.md` describes.
pub fn signed(now: i64, media: &str, body: String) -> RawRequest {
    let timestamp = now.to_string();
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("v0:{timestamp}:{body}").as_bytes());
    let signature = format!("v0={}", hex::encode(mac.finalize().into_bytes()));
    let headers = [
        ("content-type", media),
        ("x-slack-request-timestamp", &timestamp),
        ("x-slack-signature", &signature),
    ];
    RawRequest::new(headers, body)
}

/// Signs the file without its last line break.
#[tokio::test]
async fn the_receiver_makes_of_the_message_what_the_classifier_gets() {
    let body = text("slack-message.json").trim_end().to_owned();
    let clock = ManualClock::default();
    let request = signed(clock.now().as_second(), "application/json", body);
    let queue = Arc::new(MemoryQueue::default());
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let receiver = Receiver::new(queue.clone(), secrets, Arc::new(clock));
    let reply = receiver.handle(request).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let sent = queue.take(QueueName::Ingress).unwrap();
    assert_eq!(sent.envelope, envelope("classifier.message.json"));
    let attributes = &json("classifier.message.json")["Records"][0]["attributes"];
    assert_eq!(attributes["MessageGroupId"], sent.group.as_str());
    assert_eq!(attributes["MessageDeduplicationId"], sent.dedup.as_str());
}
