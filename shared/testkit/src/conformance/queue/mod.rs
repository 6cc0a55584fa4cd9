//! What every FIFO queue must do. Time-outs are 2 s, so that a real queue can be waited for.

mod delivery;
mod failure;

pub use delivery::*;
pub use failure::*;

use alfred_core::Envelope;
use alfred_core::ports::{Outgoing, Queue, QueueName};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A time-out that a test lets pass.
const SHORT: Duration = Duration::from_secs(2);
/// Behind a short time-out.
const PAST_SHORT: Duration = Duration::from_millis(2_600);
/// A time-out that doesn't pass during a test.
const LONG: Duration = Duration::from_secs(60);

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The body as it was sent; an envelope's JSON, or anything.
    pub body: String,
    /// How often it has been received, this time included.
    pub receive_count: u32,
    /// Its message group.
    pub group: String,
    /// What acknowledges this very receive.
    pub handle: String,
}

impl Delivery {
    /// The envelope, if the body is one.
    ///
    /// # Errors
    /// When it isn't.
    pub fn envelope(&self) -> Result<Envelope, serde_json::Error> {
        serde_json::from_str(&self.body)
    }
}

/// The three queues, all empty and used by one test only, with both of their ends.
#[async_trait]
pub trait QueueUnderTest: Send + Sync {
    /// The sending end, the port.
    fn queue(&self) -> Arc<dyn Queue>;
    /// After how many receives a message goes to the dead letters; at most 5.
    fn max_receives(&self) -> u32;
    /// Sends a body as it is.
    async fn send_raw(&self, queue: QueueName, body: &str, group: &str, dedup: &str);
    /// Receives what is there, and hides it that long; empty when a second or so brings nothing.
    async fn receive(&self, queue: QueueName, max: usize, visibility: Duration) -> Vec<Delivery>;
    /// Removes a received message.
    async fn ack(&self, queue: QueueName, delivery: &Delivery);
    /// Hides a received message that long from now on; zero shows it at once.
    async fn extend(&self, queue: QueueName, delivery: &Delivery, visibility: Duration);
    /// Moves a received message to the dead letters.
    async fn dead_letter(&self, queue: QueueName, delivery: &Delivery);
    /// Receives dead letters of this queue.
    async fn receive_dead(&self, queue: QueueName, max: usize) -> Vec<Delivery>;
    /// Lets this time pass.
    async fn elapse(&self, time: Duration);
}

/// Makes a test of each function of this suite but `an_id_is_forgotten_after_five_minutes`,
/// which no real queue can be waited for; the argument makes a `QueueUnderTest`.
#[macro_export]
macro_rules! queue_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            queue,
            $fixture,
            [
                an_envelope_arrives_as_it_was_sent,
                order_holds_within_a_group,
                a_group_in_flight_blocks_only_itself,
                queues_are_apart,
                a_repeated_id_is_dropped,
                an_unacknowledged_message_comes_back,
                order_holds_through_redelivery,
                extending_keeps_it_hidden,
                giving_back_shows_it_at_once,
                an_acknowledged_message_is_gone,
                too_many_receives_end_in_the_dead_letters,
                an_unparsable_body_can_be_put_aside,
            ]
        );
    };
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

async fn send(fixture: &impl QueueUnderTest, queue: QueueName, identity: &str, group: &str) {
    let message = Outgoing::new(queue, envelope(identity), group.into(), identity.into());
    fixture.queue().send(&message).await.unwrap();
}

/// One message, or none. A real queue may give nothing on a receive that moved a dead letter.
async fn next(fixture: &impl QueueUnderTest, visibility: Duration) -> Option<Delivery> {
    for _ in 0..3 {
        let mut got = fixture.receive(QueueName::Ingress, 1, visibility).await;
        assert!(got.len() <= 1, "asked for one, got {}", got.len());
        if let Some(delivery) = got.pop() {
            return Some(delivery);
        }
    }
    None
}

async fn nothing(fixture: &impl QueueUnderTest) {
    let got = fixture.receive(QueueName::Ingress, 10, LONG).await;
    assert_eq!(got, vec![], "nothing should be visible");
}

fn identity(delivery: &Delivery) -> String {
    delivery.envelope().unwrap().identity
}
