//! Batches as SQS delivers them.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

use alfred_core::ports::{Clock, Letter, QueueError, QueueName, Redelivery};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Envelope, Failure, Payload, WorkerInput};
use alfred_lambda_kit::metrics::MODEL_CALLS;
use alfred_lambda_kit::{BatchRunner, Delivery, Inbound, LastResort, SqsEvent};
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
    async fn sleep(&self, time: Duration) {
        *self.0.lock().unwrap() += i64::try_from(time.as_millis()).unwrap();
    }
}

fn envelope(trigger: &str) -> Value {
    json!({
        "v": 1, "identity": "evt:1", "trigger": trigger, "trace_id": "7".repeat(32), "team": "T1", "user": "U1",
        "session": "T1/U1/D1", "received_at": "2026-11-21T10:00:00Z", "payload": {"kind": "run", "run": "run_1"},
    })
}

fn record(id: &str, group: Option<&str>, body: &str) -> Value {
    received(id, group, body, 2)
}

fn received(id: &str, group: Option<&str>, body: &str, receives: u32) -> Value {
    let sent = (NOW - 4_000).to_string();
    let mut attributes =
        json!({"ApproximateReceiveCount": receives.to_string(), "SentTimestamp": sent});
    if let Some(group) = group {
        attributes["MessageGroupId"] = json!(group);
    }
    json!({
        "messageId": id, "receiptHandle": format!("receipt-{id}"), "body": body, "messageAttributes": {},
        "attributes": attributes, "eventSource": "aws:sqs", "awsRegion": "eu-central-1",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:alfred-utility.fifo",
    })
}

/// Remembers how messages were settled, and may refuse to.
#[derive(Default)]
struct Settled {
    said: Mutex<Vec<String>>,
    refuses: bool,
    /// Nothing can be ended now.
    store_is_down: bool,
}

impl Settled {
    fn say(&self, what: String) -> Result<(), QueueError> {
        self.said.lock().unwrap().push(what);
        match self.refuses {
            true => Err(QueueError::Unavailable {
                detail: "down".into(),
            }),
            false => Ok(()),
        }
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

#[async_trait]
impl Redelivery for Settled {
    async fn delay(
        &self,
        queue: QueueName,
        receipt: &str,
        after: Duration,
    ) -> Result<(), QueueError> {
        assert_eq!(queue, QueueName::Utility);
        self.say(format!("{receipt} in {} s", after.as_secs()))
    }

    async fn put_aside(&self, letter: &Letter) -> Result<(), QueueError> {
        assert_eq!(letter.queue, QueueName::Utility);
        let Letter {
            id,
            group,
            receives,
            reason,
            ..
        } = letter;
        self.say(format!("{id} of {group} aside behind {receives}: {reason}"))
    }

    async fn requeue(&self, letter: &Letter) -> Result<(), QueueError> {
        assert!(letter.body.contains("evt:1"), "as it was");
        self.say(format!("{} anew: {}", letter.id, letter.reason))
    }
}

#[async_trait]
impl LastResort for Settled {
    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        self.said
            .lock()
            .unwrap()
            .push(format!("{} is given up: {why}", envelope.trigger));
        match self.store_is_down {
            true => Err(Failure::retry("the store is down")),
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
    run_settling(records, deadline, Arc::default()).await
}

async fn run_settling(records: Vec<Value>, deadline: i64, settled: Arc<Settled>) -> Ran {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let clock = Arc::new(Ticking(Mutex::new(NOW)));
    let runner = BatchRunner::new("test", clock, settled.clone(), settled);
    let runner = runner.emitting(move |line| {
        sink.lock()
            .unwrap()
            .push(serde_json::from_str(line).unwrap());
    });
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
                delivery.metrics.add(MODEL_CALLS, 2.0);
                match envelope.trigger.as_str() {
                    "retry" => Err(Failure::Retry {
                        reason: "busy".into(),
                        after: Some(Duration::from_secs(25)),
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
    assert_eq!(ran.failed, ["2"]);
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
        let settled = Arc::new(Settled {
            refuses,
            ..Settled::default()
        });
        let records = batch(&[("1", "a", "retry"), ("2", "b", "ok")]);
        let ran = run_settling(records, NOW + 120_000, settled.clone()).await;
        assert_eq!(ran.failed, ["1"], "it goes back all the same");
        assert_eq!(settled.said(), ["receipt-1 in 25 s"]);
    }
}

#[tokio::test]
async fn a_fault_that_may_pass_is_waited_out_and_then_goes_back_for_longer_each_time() {
    let mut waits = Vec::new();
    for receives in [1, 2, 3, 4, 9] {
        let settled = Arc::new(Settled::default());
        let record = received("1", Some("a"), &envelope("soon").to_string(), receives);
        let ran = run_settling(vec![record], NOW + 120_000, settled.clone()).await;
        assert_eq!(ran.failed, ["1"]);
        // 2, 4, 8, 16 and then every 20 s, and at the last moment for a whole attempt.
        assert!((8..=10).contains(&ran.seen.len()), "{}", ran.seen.len());
        waits.extend(settled.said());
    }
    let waits: Vec<u32> = waits
        .iter()
        .map(|said| said.split(' ').nth(2).unwrap().parse().unwrap())
        .collect();
    let steps = [2, 16, 128, 180, 180];
    for (wait, step) in waits.iter().zip(steps) {
        assert!(*wait <= step && wait * 10 >= (step - 1) * 9, "{waits:?}");
    }
}

#[tokio::test]
async fn a_defect_goes_to_the_dead_letters_at_once_when_its_person_was_told() {
    let settled = Arc::new(Settled::default());
    let records = batch(&[("1", "a", "bug"), ("2", "a", "ok")]);
    let ran = run_settling(records.clone(), NOW + 120_000, settled.clone()).await;
    assert_eq!(
        (ran.failed.len(), ran.seen.len()),
        (0, 2),
        "its group goes on"
    );
    assert_eq!(
        settled.said(),
        ["bug is given up: odd", "1 of a aside behind 2: odd"]
    );

    let down = Arc::new(Settled {
        store_is_down: true,
        ..Settled::default()
    });
    let ran = run_settling(records.clone(), NOW + 120_000, down.clone()).await;
    assert_eq!(ran.failed, ["1", "2"], "nobody could be told");
    assert!(!down.said().iter().any(|said| said.contains("aside")));

    let refusing = Arc::new(Settled {
        refuses: true,
        ..Settled::default()
    });
    let ran = run_settling(records, NOW + 120_000, refusing).await;
    assert_eq!(ran.failed, ["1", "2"], "it is nowhere else");
}

#[tokio::test]
async fn the_last_delivery_ends_the_message_or_starts_it_anew() {
    for store_is_down in [false, true] {
        let settled = Arc::new(Settled {
            store_is_down,
            ..Settled::default()
        });
        let body = envelope("ok").to_string();
        let record = received("1", Some("a"), &body, MAX_RECEIVES);
        let ran = run_settling(vec![record], NOW + 120_000, settled.clone()).await;
        assert_eq!(
            (ran.failed.len(), ran.seen.len()),
            (0, 0),
            "nothing is tried"
        );
        let said = settled.said();
        assert_eq!(said[0], "ok is given up: received 10 times");
        let then = match store_is_down {
            true => "1 anew: the store is down",
            false => "1 of a aside behind 10: received 10 times",
        };
        assert_eq!(said[1], then);
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
async fn a_record_that_cannot_be_read_is_put_aside_at_once() {
    for body in ["", "{", "[]", "null", "{\"v\":1}", "{\"v\":\"x\"}"] {
        let mut records = batch(&[("1", "a", "ok"), ("3", "a", "ok")]);
        records.insert(1, record("2", Some("a"), body));
        let settled = Arc::new(Settled::default());
        let ran = run_settling(records, NOW + 120_000, settled.clone()).await;
        assert_eq!((ran.failed.len(), ran.seen.len()), (0, 2), "{body}");
        assert_eq!(ran.lines[1]["outcome"], "unreadable");
        let said = settled.said();
        assert!(said[0].starts_with("2 of a aside behind 2: "), "{said:?}");
    }
}

#[tokio::test]
async fn a_record_of_a_newer_release_is_left_to_it() {
    let mut newer = envelope("ok");
    newer["v"] = json!(2);
    let settled = Arc::new(Settled::default());
    let records = vec![record("1", Some("a"), &newer.to_string())];
    let ran = run_settling(records, NOW + 120_000, settled.clone()).await;
    assert_eq!(ran.failed, ["1"]);
    assert!(settled.said()[0].starts_with("receipt-1 in "));
}

#[tokio::test]
async fn a_panic_is_a_defect_of_its_record_and_nothing_else() {
    let ran = run(
        batch(&[("1", "a", "panic"), ("2", "b", "ok")]),
        NOW + 120_000,
    )
    .await;
    assert_eq!((ran.failed.len(), ran.seen.len()), (0, 2));
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
    // Sent four seconds before, the second look at the clock started it, the fourth ended it.
    assert_eq!(
        (&line["queue.wait"], &line["handler.time"]),
        (&json!(6_000.0), &json!(2_000.0))
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
    let clock = Arc::new(Ticking(Mutex::new(NOW)));
    let settled = Arc::new(Settled::default());
    let runner = BatchRunner::new("test", clock, settled.clone(), settled.clone());
    let runner = runner.emitting(|_| {});
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
    assert_eq!(response.batch_item_failures.len(), 0);
    assert!(settled.said()[0].starts_with("3 of  aside"));
}
