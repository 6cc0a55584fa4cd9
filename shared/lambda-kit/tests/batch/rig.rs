//! Runs batches with a handler that does what each record says.

use alfred_core::ports::{Clock, Letter, QueueError, QueueName, Redelivery};
use alfred_core::{Envelope, Failure};
use alfred_lambda_kit::metrics::MODEL_CALLS;
use alfred_lambda_kit::{BatchRunner, Delivery, LastResort, SqsEvent};
use async_trait::async_trait;
use jiff::Timestamp;
use lambda_runtime::Context;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const NOW: i64 = 1_795_255_200_000;

/// Moves one second at every look.
pub struct Ticking(pub Mutex<i64>);

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

pub fn envelope(trigger: &str) -> Value {
    json!({
        "v": 1, "identity": "evt:1", "trigger": trigger, "trace_id": "7".repeat(32), "team": "T1", "user": "U1",
        "session": "T1/U1/D1", "received_at": "2026-11-21T10:00:00Z", "payload": {"kind": "run", "run": "run_1"},
    })
}

pub fn record(id: &str, group: Option<&str>, body: &str) -> Value {
    received(id, group, body, 2)
}

pub fn received(id: &str, group: Option<&str>, body: &str, receives: u32) -> Value {
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
pub struct Settled {
    pub said: Mutex<Vec<String>>,
    refuses: bool,
    /// Nothing can be ended now.
    store_is_down: bool,
}

impl Settled {
    fn say(&self, what: String) -> Result<(), QueueError> {
        self.said.lock().unwrap().push(what);
        let detail = "down".to_owned();
        if self.refuses {
            return Err(QueueError::Unavailable { detail });
        }
        Ok(())
    }
}

pub fn settled(refuses: bool, store_is_down: bool) -> Settled {
    Settled {
        refuses,
        store_is_down,
        ..Settled::default()
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
        let (id, group, receives) = (&letter.id, &letter.group, letter.receives);
        let reason = &letter.reason;
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
        let told = format!("{} is given up: {why}", envelope.trigger);
        self.said.lock().unwrap().push(told);
        if self.store_is_down {
            return Err(Failure::retry("the store is down"));
        }
        Ok(())
    }
}

pub struct Ran {
    pub failed: Vec<String>,
    /// The records that were handled, once an attempt.
    pub seen: Vec<String>,
    pub lines: Vec<Value>,
    pub said: Vec<String>,
}

impl Ran {
    pub fn outcomes(&self) -> Vec<&str> {
        let outcomes = self.lines.iter().map(|line| line["outcome"].as_str());
        outcomes.map(Option::unwrap).collect()
    }
}

pub fn context(deadline: i64) -> Context {
    let mut context = Context::default();
    context.deadline = u64::try_from(deadline).unwrap();
    context
}

pub fn event(records: &[Value]) -> SqsEvent {
    serde_json::from_value(json!({"Records": records})).unwrap()
}

/// Runs records whose trigger says what their handler does, with two minutes' time.
pub async fn run(records: &[Value]) -> Ran {
    run_settling(records, NOW + 120_000, Settled::default()).await
}

pub async fn run_settling(records: &[Value], deadline: i64, settled: Settled) -> Ran {
    let settled = Arc::new(settled);
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let clock = Arc::new(Ticking(Mutex::new(NOW)));
    let runner = BatchRunner::new("test", clock, settled.clone(), settled.clone());
    let runner = runner.emitting(move |line| {
        let line = serde_json::from_str(line).unwrap();
        sink.lock().unwrap().push(line);
    });
    let seen = Mutex::new(Vec::new());
    let handler = |envelope: Envelope, delivery: Delivery| {
        seen.lock().unwrap().push(delivery.message_id.clone());
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
                _ => {
                    assert_eq!(delivery.receives, 2);
                    Ok(())
                }
            }
        }
    };
    let context = context(deadline);
    let response = runner.run(event(records), &context, handler).await;
    let failures = response.batch_item_failures.into_iter();
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    Ran {
        failed: failures.map(|failure| failure.item_identifier).collect(),
        seen: seen.into_inner().unwrap(),
        lines,
        said: settled.said.lock().unwrap().clone(),
    }
}

/// Records by id, group and trigger: "1a ok".
pub fn batch<const N: usize>(records: [&str; N]) -> [Value; N] {
    records.map(|told| {
        let (at, trigger) = told.split_once(' ').unwrap();
        record(&at[..1], Some(&at[1..]), &envelope(trigger).to_string())
    })
}
