//! Batches as SQS delivers them.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

use alfred_core::ports::{Clock, QueueError, QueueName, Redelivery};
use alfred_core::{Envelope, Failure, Payload, WorkerInput};
use alfred_lambda_kit::{BatchRunner, Delivery, Inbound, SqsEvent};
use async_trait::async_trait;
use jiff::Timestamp;
use lambda_runtime::Context;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const NOW: i64 = 1_795_255_200_000;

/// Moves one second at every look.
struct Ticking(Mutex<i64>);

#[async_trait]
impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        let mut now = self.0.lock().unwrap();
        *now += 1_000;
        Timestamp::from_millisecond(*now).unwrap()
    }
    async fn sleep(&self, _: Duration) {
        unreachable!("the runner never waits")
    }
}

fn envelope(trigger: &str) -> Value {
    json!({
        "v": 1, "identity": "evt:1", "trigger": trigger, "trace_id": "7".repeat(32), "team": "T1", "user": "U1",
        "session": "T1/U1/D1", "received_at": "2026-11-21T10:00:00Z", "payload": {"kind": "run", "run": "run_1"},
    })
}

fn record(id: &str, group: Option<&str>, body: &str) -> Value {
    let sent = (NOW - 4_000).to_string();
    let mut attributes = json!({"ApproximateReceiveCount": "2", "SentTimestamp": sent});
    if let Some(group) = group {
        attributes["MessageGroupId"] = json!(group);
    }
    json!({
        "messageId": id, "receiptHandle": format!("receipt-{id}"), "body": body, "messageAttributes": {},
        "attributes": attributes, "eventSource": "aws:sqs", "awsRegion": "eu-central-1",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:alfred-utility.fifo",
    })
}

/// Remembers what was put off, and may refuse to.
#[derive(Default)]
struct Delays {
    asked: Mutex<Vec<(QueueName, String, Duration)>>,
    refuses: bool,
}

#[async_trait]
impl Redelivery for Delays {
    async fn delay(
        &self,
        queue: QueueName,
        receipt: &str,
        after: Duration,
    ) -> Result<(), QueueError> {
        let asked = (queue, receipt.to_owned(), after);
        self.asked.lock().unwrap().push(asked);
        match self.refuses {
            true => Err(QueueError::Unavailable {
                detail: "down".into(),
            }),
            false => Ok(()),
        }
    }
}

struct Ran {
    failed: Vec<String>,
    seen: Vec<(String, u32)>,
    lines: Vec<Value>,
}

/// Runs records whose trigger says what their handler does.
async fn run(records: Vec<Value>, deadline: i64) -> Ran {
    run_delaying(records, deadline, Arc::new(Delays::default())).await
}

async fn run_delaying(records: Vec<Value>, deadline: i64, delays: Arc<Delays>) -> Ran {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let runner = BatchRunner::with_emit("test", Arc::new(Ticking(Mutex::new(NOW))), move |line| {
        sink.lock()
            .unwrap()
            .push(serde_json::from_str(line).unwrap());
    })
    .delaying(delays);
    let event: SqsEvent = serde_json::from_value(json!({"Records": records})).unwrap();
    let mut context = Context::default();
    context.deadline = u64::try_from(deadline).unwrap();
    let seen = Mutex::new(Vec::new());
    let response = runner
        .run(event, &context, |envelope: Envelope, delivery: Delivery| {
            seen.lock()
                .unwrap()
                .push((delivery.message_id.clone(), delivery.receives));
            async move {
                delivery.metrics.add_named("model.calls", 2.0).unwrap();
                match envelope.trigger.as_str() {
                    "retry" => Err(Failure::Retry {
                        reason: "busy".into(),
                        after: Some(Duration::from_secs(9)),
                    }),
                    "soon" => Err(Failure::retry("no hurry")),
                    "reject" => Err(Failure::Reject {
                        user_message: "no".into(),
                    }),
                    "bug" => Err(Failure::bug("odd")),
                    "panic" => panic!("on purpose"),
                    _ => Ok(()),
                }
            }
        })
        .await;
    let failures = response.batch_item_failures;
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    Ran {
        failed: failures
            .into_iter()
            .map(|failure| failure.item_identifier)
            .collect(),
        seen: seen.into_inner().unwrap(),
        lines,
    }
}

fn batch(records: &[(&str, &str, &str)]) -> Vec<Value> {
    records
        .iter()
        .map(|(id, group, trigger)| record(id, Some(group), &envelope(trigger).to_string()))
        .collect()
}

#[tokio::test]
async fn only_failed_records_go_back() {
    let ran = run(
        batch(&[
            ("1", "a", "ok"),
            ("2", "b", "retry"),
            ("3", "c", "reject"),
            ("4", "d", "bug"),
            ("5", "e", "ok"),
        ]),
        NOW + 120_000,
    )
    .await;
    assert_eq!(ran.failed, ["2", "4"]);
    assert_eq!(ran.seen.len(), 5);
    assert_eq!(ran.seen[0], ("1".to_owned(), 2));
    let outcomes: Vec<_> = ran
        .lines
        .iter()
        .map(|line| line["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["done", "retry", "rejected", "bug", "done"]);
}

#[tokio::test]
async fn a_retry_that_asks_for_a_delay_gets_it() {
    for refuses in [false, true] {
        let delays = Arc::new(Delays {
            refuses,
            ..Delays::default()
        });
        let records = batch(&[
            ("1", "a", "retry"),
            ("2", "b", "soon"),
            ("3", "c", "bug"),
            ("4", "d", "ok"),
        ]);
        let ran = run_delaying(records, NOW + 120_000, delays.clone()).await;
        assert_eq!(ran.failed, ["1", "2", "3"], "they go back all the same");
        assert_eq!(
            *delays.asked.lock().unwrap(),
            [(
                QueueName::Utility,
                "receipt-1".to_owned(),
                Duration::from_secs(9)
            )]
        );
    }
}

#[tokio::test]
async fn what_stands_behind_a_failed_record_of_its_group_stays_there() {
    let ran = run(
        batch(&[
            ("1", "a", "retry"),
            ("2", "b", "ok"),
            ("3", "a", "ok"),
            ("4", "a", "ok"),
        ]),
        NOW + 120_000,
    )
    .await;
    assert_eq!(ran.failed, ["1", "3", "4"]);
    let seen: Vec<_> = ran.seen.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(seen, ["1", "2"]);
}

#[tokio::test]
async fn a_record_that_cannot_be_read_fails_alone() {
    let mut newer = envelope("ok");
    newer["v"] = json!(2);
    let broken = [
        "",
        "{",
        "[]",
        "null",
        "{\"v\":1}",
        "{\"v\":\"x\"}",
        &newer.to_string(),
    ];
    for body in broken {
        let mut records = batch(&[("1", "a", "ok"), ("3", "a", "ok")]);
        records.insert(1, record("2", Some("a"), body));
        let ran = run(records, NOW + 120_000).await;
        assert_eq!(ran.failed, ["2"], "{body}");
        assert_eq!(ran.seen.len(), 2);
        assert_eq!(ran.lines[1]["outcome"], "unreadable");
    }
}

#[tokio::test]
async fn a_panic_fails_its_record_and_nothing_else() {
    let ran = run(
        batch(&[("1", "a", "panic"), ("2", "b", "ok")]),
        NOW + 120_000,
    )
    .await;
    assert_eq!(ran.failed, ["1"]);
    assert_eq!(ran.seen.len(), 2);
    assert_eq!(ran.lines[0]["outcome"], "panic");
}

#[tokio::test]
async fn a_later_record_is_not_begun_without_time() {
    // Every look at the clock takes a second: of eight, the first record leaves four.
    let ran = run(batch(&[("1", "a", "ok"), ("2", "b", "ok")]), NOW + 8_000).await;
    assert_eq!((ran.failed, ran.seen.len()), (vec!["2".to_owned()], 1));
    // The duration that cargo lambda sends is no date long past.
    let ran = run(batch(&[("1", "a", "ok"), ("2", "b", "ok")]), 600_000).await;
    assert_eq!(ran.seen.len(), 2);
}

#[tokio::test]
async fn a_request_leaves_one_line_of_metrics() {
    let ran = run(batch(&[("1", "a", "ok")]), NOW + 120_000).await;
    let line = &ran.lines[0];
    assert_eq!(ran.lines.len(), 1);
    assert_eq!(
        (&line["service"], &line["requests"]),
        (&json!("test"), &json!(1.0))
    );
    // Sent four seconds before, the second look at the clock started it, the third ended it.
    assert_eq!(
        (&line["queue.wait"], &line["handler.time"]),
        (&json!(6_000.0), &json!(1_000.0))
    );
    assert_eq!(line["model.calls"], 2.0);
    assert_eq!(line["trace.id"], "7".repeat(32));
}

#[tokio::test]
async fn contracts_may_come_inline() {
    let input = json!({
        "task_prompt": "What time is it?", "session_id": "T1/U1/D1",
        "user_context": {"slack_user_id": "U1", "email": "", "name": "Ana", "timezone": "UTC", "role": "member"},
        "slack_context": {"channel_id": "D1", "thread_ts": null, "response_type": "dm"},
    });
    let records = [
        record("1", Some("a"), &input.to_string()),
        record("2", Some("b"), &envelope("ok").to_string()),
        record("3", None, "{\"task_prompt\": 7}"),
    ];
    let event: SqsEvent = serde_json::from_value(json!({"Records": records})).unwrap();
    let runner = BatchRunner::with_emit("test", Arc::new(Ticking(Mutex::new(NOW))), |_| {});
    let mut context = Context::default();
    context.deadline = u64::try_from(NOW + 120_000).unwrap();
    let seen = Mutex::new(Vec::new());
    let response = runner
        .run(
            event,
            &context,
            |message: Inbound<WorkerInput>, delivery| {
                let kind = match message {
                    Inbound::Inline(input) => {
                        format!("{}:{}", delivery.message_id, input.task_prompt)
                    }
                    Inbound::Envelope(envelope) => match envelope.payload {
                        Payload::Run { run, .. } => run.0,
                        other => panic!("{other:?}"),
                    },
                };
                seen.lock().unwrap().push(kind);
                async { Ok(()) }
            },
        )
        .await;
    assert_eq!(seen.into_inner().unwrap(), ["1:What time is it?", "run_1"]);
    assert_eq!(response.batch_item_failures[0].item_identifier, "3");
}
