//! The calls of `queue.txt`. Visibility timeouts are 2 s, so that a real queue can be waited for.

use alfred_core::Envelope;
use alfred_core::ports::{Outgoing, Queue, QueueName};
use async_trait::async_trait;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::{Calls, joined, pass, quoted};

/// A visibility timeout that doesn't end during a test.
const LONG: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub body: String,
    /// How often it has been received, this time included.
    pub receive_count: u32,
    pub group: String,
    /// What acknowledges this very receive.
    pub handle: String,
}

/// The queues, all empty and used by one case only, with both of their ends. After three receives a message
/// goes to the dead letters.
#[async_trait]
pub trait QueueUnderTest: Send + Sync {
    fn queue(&self) -> Arc<dyn Queue>;
    async fn send_raw(&self, queue: QueueName, body: &str, group: &str, dedup: &str);
    /// Receives what is there, and hides it that long; empty when a second or so brings nothing.
    async fn receive(&self, queue: QueueName, max: usize, visibility: Duration) -> Vec<Delivery>;
    async fn ack(&self, queue: QueueName, delivery: &Delivery);
    /// Hides a received message that long from now on; zero shows it at once.
    async fn extend(&self, queue: QueueName, delivery: &Delivery, visibility: Duration);
    /// Moves a received message to the dead letters.
    async fn dead_letter(&self, queue: QueueName, delivery: &Delivery);
    async fn receive_dead(&self, queue: QueueName, max: usize) -> Vec<Delivery>;
    async fn elapse(&self, time: Duration);
}

pub async fn queue<Q: QueueUnderTest>(open: impl AsyncFn() -> Q) {
    let open = async || World {
        side: open().await,
        groups: HashMap::new(),
        received: HashMap::new(),
    };
    pass("queue.txt", include_str!("queue.txt"), open).await;
}

struct World<Q> {
    side: Q,
    /// The group of each message that was sent.
    groups: HashMap<String, String>,
    received: HashMap<String, Delivery>,
}

impl<Q: QueueUnderTest> World<Q> {
    async fn send(&mut self, identity: &str, group: &str, queue: QueueName) {
        self.groups.insert(identity.into(), group.into());
        let envelope = envelope(identity);
        let message = Outgoing::new(queue, envelope, group.into(), identity.into());
        self.side.queue().send(&message).await.unwrap();
    }

    /// Receives the next message. A real queue may return nothing on a receive that moved a dead letter.
    async fn next(&mut self, queue: QueueName, visibility: Duration) -> String {
        for _ in 0..3 {
            let got = self.side.receive(queue, 1, visibility).await;
            assert!(got.len() <= 1, "asked for one, got {}", got.len());
            if !got.is_empty() {
                return self.show(got);
            }
        }
        self.show(Vec::new())
    }

    /// Shows each delivery by its identity and its count, or by its body. It must be what was sent.
    fn show(&mut self, deliveries: Vec<Delivery>) -> String {
        let mut shown = Vec::new();
        for delivery in deliveries {
            let name = self.name(&delivery);
            shown.push(format!("{} {}", quoted(&name), delivery.receive_count));
            self.received.insert(name, delivery);
        }
        shown.sort();
        joined(shown, ", ")
    }

    fn name(&self, delivery: &Delivery) -> String {
        let name = match serde_json::from_str::<Envelope>(&delivery.body) {
            Ok(read) => {
                assert_eq!(read, envelope(&read.identity));
                read.identity
            }
            Err(_) => delivery.body.clone(),
        };
        assert_eq!(delivery.group, self.groups[&name]);
        name
    }
}

#[async_trait]
impl<Q: QueueUnderTest> Calls for World<Q> {
    async fn call(&mut self, words: &[&str]) -> String {
        let ingress = QueueName::Ingress;
        match words {
            ["send", id, group] => self.send(id, group, ingress).await,
            ["send", id, group, queue] => self.send(id, group, named(queue)).await,
            ["raw", body, group] => {
                self.groups.insert((*body).into(), (*group).into());
                self.side.send_raw(ingress, body, group, "raw").await;
            }
            ["next"] => return self.next(ingress, LONG).await,
            ["next", "for", time] => return self.next(ingress, seconds(time)).await,
            ["next", queue] => return self.next(named(queue), LONG).await,
            ["two"] => {
                let first = self.next(ingress, LONG).await;
                let mut both = [first, self.next(ingress, LONG).await];
                both.sort();
                return both.join(", ");
            }
            ["all"] => {
                let got = self.side.receive(ingress, 10, LONG).await;
                return self.show(got);
            }
            ["ack", id] => self.side.ack(ingress, &self.received[*id]).await,
            ["extend", id, time] => {
                let delivery = &self.received[*id];
                self.side.extend(ingress, delivery, seconds(time)).await;
            }
            ["put", "aside", id] => self.side.dead_letter(ingress, &self.received[*id]).await,
            ["dead"] => {
                let dead = self.side.receive_dead(ingress, 10).await;
                return joined(dead.iter().map(|one| quoted(&self.name(one))), ", ");
            }
            ["wait", millis] => {
                let time = Duration::from_millis(millis.parse().unwrap());
                self.side.elapse(time).await;
            }
            _ => panic!("no call {words:?}"),
        }
        String::new()
    }
}

fn seconds(word: &str) -> Duration {
    Duration::from_secs(word.parse().unwrap())
}

fn named(queue: &str) -> QueueName {
    QueueName::named(&format!("alfred-{queue}.fifo")).unwrap()
}

fn envelope(identity: &str) -> Envelope {
    let value = json!({
        "v": 1,
        "identity": identity,
        "trigger": identity,
        "trace_id": "0123456789abcdef0123456789abcdef",
        "hops": 3,
        "team": "T1",
        "user": "U1",
        "session": "T1/U1/D1",
        "received_at": "2026-11-21T09:00:00.123456Z",
        "payload": {"kind": "run", "run": "run_é🦀"},
    });
    serde_json::from_value(value).expect("an envelope of version 1")
}
