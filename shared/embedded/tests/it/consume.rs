use alfred_core::ports::QueueName::{self, Ingress};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Envelope, Failure};
use alfred_embedded::{Consumer, Database, Handler, SqliteQueue};
use alfred_testkit::{LIMIT, ManualClock, eventually, within};
use async_trait::async_trait;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(400);

/// Does what the identity of an envelope asks.
#[derive(Default)]
struct Scripted {
    log: Mutex<Vec<String>>,
    /// True if notifications fail.
    is_down: Mutex<bool>,
}

#[async_trait]
impl Handler for Scripted {
    async fn handle(&self, _: QueueName, envelope: &Envelope, _: bool) -> Result<(), Failure> {
        self.log.lock().unwrap().push(envelope.identity.clone());
        match envelope.identity.as_str() {
            "bug" => Err(Failure::bug("odd")),
            "later" => Err(Failure::Retry {
                reason: "busy".into(),
                after: Some(MINUTE),
            }),
            _ => Ok(()),
        }
    }

    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        let log = format!("{} is given up: {why}", envelope.identity);
        self.log.lock().unwrap().push(log);
        if *self.is_down.lock().unwrap() {
            return Err(Failure::retry("down"));
        }
        Ok(())
    }
}

struct Fixture {
    clock: ManualClock,
    queue: SqliteQueue,
    handler: Arc<Scripted>,
    consumer: Consumer,
    from: QueueName,
}

impl Fixture {
    fn new() -> Self {
        let clock = ManualClock::default();
        let shared = Arc::new(clock.clone());
        let database = Database::in_memory().unwrap();
        let queue = SqliteQueue::new(database, shared.clone(), MAX_RECEIVES);
        let handler = Arc::new(Scripted::default());
        let consumer = Consumer::new(queue.clone(), shared, handler.clone());
        Self {
            clock,
            queue,
            handler,
            consumer,
            from: Ingress,
        }
    }

    fn body(&self, identity: &str) -> String {
        json!({
            "v": 1, "identity": identity, "trigger": identity, "trace_id": "7".repeat(32),
            "team": "T1", "user": "U1", "session": "T1/U1/D1",
            "received_at": "2026-11-21T09:00:00Z", "payload": {"kind": "run", "run": "run_1"},
        })
        .to_string()
    }

    async fn send(&self, identity: &str) {
        self.send_raw(identity, &self.body(identity)).await;
    }

    async fn send_raw(&self, dedup: &str, body: &str) {
        let body = body.to_owned();
        let sent = self.queue.send_raw(self.from, body, "g", dedup).await;
        sent.unwrap();
    }

    /// Receives and handles one message. Returns what was recorded meanwhile.
    async fn deliver(&self) -> Vec<String> {
        let got = self.queue.receive(self.from, 1, MINUTE).await.unwrap();
        if let Some(delivery) = got.first() {
            self.consumer.deliver(delivery).await;
        }
        std::mem::take(&mut *self.handler.log.lock().unwrap())
    }

    async fn dead(&self) -> Vec<String> {
        let dead = self.queue.dead_letters(self.from, 10).await.unwrap();
        dead.into_iter().map(|letter| letter.reason).collect()
    }
}

#[tokio::test]
async fn defect_is_put_aside_once_its_user_is_notified() {
    let fixture = Fixture::new();
    *fixture.handler.is_down.lock().unwrap() = true;
    fixture.send("bug").await;
    fixture.send("next").await;
    fixture.deliver().await;
    assert_eq!(fixture.dead().await.len(), 0);
    *fixture.handler.is_down.lock().unwrap() = false;
    fixture.clock.advance(LONG);
    assert_eq!(fixture.deliver().await, ["bug", "bug is given up: odd"]);
    assert_eq!(fixture.dead().await, ["odd"]);
    let then = fixture.deliver().await;
    assert_eq!(then, ["next"], "its conversation goes on");
}

#[tokio::test]
async fn unreadable_message_is_put_aside_at_once_without_its_text() {
    let fixture = Fixture::new();
    fixture.send_raw("odd", "{\"secret\": 7}").await;
    fixture.send("next").await;
    assert_eq!(fixture.deliver().await, Vec::<String>::new());
    let dead = fixture.dead().await;
    assert!(!dead[0].contains("secret"), "{dead:?}");
    assert_eq!(fixture.deliver().await, ["next"]);
}

#[tokio::test]
async fn requested_delay_is_kept_and_holds_the_conversation() {
    let fixture = Fixture::new();
    fixture.send("later").await;
    fixture.send("next").await;
    assert_eq!(fixture.deliver().await, ["later"]);
    fixture.clock.advance(MINUTE - Duration::from_secs(1));
    assert_eq!(fixture.deliver().await, Vec::<String>::new());
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(fixture.deliver().await, ["later"]);
}

#[tokio::test]
async fn message_is_given_up_or_starts_anew_after_its_last_receive() {
    let fixture = Fixture::new();
    fixture.send("later").await;
    for _ in 1..MAX_RECEIVES {
        assert_eq!(fixture.deliver().await, ["later"]);
        fixture.clock.advance(LONG);
    }
    *fixture.handler.is_down.lock().unwrap() = true;
    let given_up = ["later is given up: received 10 times"];
    assert_eq!(fixture.deliver().await, given_up);
    assert_eq!(fixture.deliver().await, ["later"], "from the start");
    *fixture.handler.is_down.lock().unwrap() = false;
    for _ in 2..MAX_RECEIVES {
        fixture.clock.advance(LONG);
        assert_eq!(fixture.deliver().await, ["later"]);
    }
    fixture.clock.advance(LONG);
    assert_eq!(fixture.deliver().await, given_up);
    assert_eq!(fixture.dead().await, ["received 10 times"]);
}

#[tokio::test]
async fn message_that_crashes_each_process_is_given_up() {
    let fixture = Fixture::new();
    fixture.send("poison").await;
    for _ in 0..100 {
        fixture.clock.advance(MINUTE);
        let got = fixture.queue.receive(Ingress, 1, MINUTE).await.unwrap();
        assert_eq!((got.len(), got[0].receive_count), (1, 1));
        fixture.queue.release_leases().await.unwrap();
    }
    fixture.clock.advance(MINUTE);
    let why = "100 processes ended while they had it";
    let given_up = [format!("poison is given up: {why}")];
    assert_eq!(fixture.deliver().await, given_up);
    assert_eq!(fixture.dead().await, [why]);
}

#[tokio::test]
async fn message_that_its_queue_does_not_carry_is_put_aside_unhandled() {
    let mut fixture = Fixture::new();
    fixture.from = QueueName::Team;
    let run = r#"{"kind":"run","run":"run_1"}"#;
    let sweep = fixture.body("sweep").replace(run, r#"{"kind":"sweep"}"#);
    fixture.send_raw("sweep", &sweep).await;
    assert_eq!(fixture.deliver().await, [""; 0]);
    let dead = fixture.dead().await;
    assert_eq!(dead, ["alfred-team.fifo carries no message of this kind"]);
}

/// Never returns from a turn, like a model that doesn't answer.
#[derive(Default)]
struct Hanging {
    turns: Mutex<usize>,
    clicked: tokio::sync::Notify,
}

#[async_trait]
impl Handler for Hanging {
    async fn handle(&self, queue: QueueName, _: &Envelope, _: bool) -> Result<(), Failure> {
        if queue == Ingress {
            self.clicked.notify_one();
            return Ok(());
        }
        *self.turns.lock().unwrap() += 1;
        std::future::pending().await
    }

    async fn give_up(&self, _: &Envelope, _: &str) -> Result<(), Failure> {
        Ok(())
    }
}

#[tokio::test]
async fn hanging_turns_delay_no_click() {
    let fixture = Fixture::new();
    let handler = Arc::new(Hanging::default());
    let clock = Arc::new(fixture.clock.clone());
    let consumer = Consumer::new(fixture.queue.clone(), clock, handler.clone());
    for n in 0..200 {
        let (id, body) = (n.to_string(), fixture.body("run"));
        let queue = [QueueName::Utility, QueueName::Team][n % 2];
        fixture.queue.send_raw(queue, body, &id, &id).await.unwrap();
    }
    let serving = tokio::spawn(Arc::new(consumer).run());
    eventually(LIMIT, "64 turns that hang", async || {
        (*handler.turns.lock().unwrap() >= 64).then_some(())
    })
    .await;
    fixture.send("click").await;
    within(LIMIT, "the click to be handled", handler.clicked.notified()).await;
    serving.abort();
}
