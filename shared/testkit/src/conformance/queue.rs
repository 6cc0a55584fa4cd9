//! What every FIFO queue must do. Time-outs are 2 s, so that a real queue can be waited for.

use alfred_core::ports::{Outgoing, Queue, QueueName};
use alfred_core::{Envelope, Payload};
use async_trait::async_trait;
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
    Envelope {
        v: 1,
        identity: identity.into(),
        trigger: identity.into(),
        trace_id: alfred_core::TraceId::of(&"T1".into(), identity),
        hops: 3,
        team: "T1".into(),
        user: "U1".into(),
        session: alfred_core::SessionId("T1/U1/D1".into()),
        received_at: "2026-11-21T09:00:00.123456Z".parse().unwrap(),
        payload: Payload::Run {
            run: "run_é🦀".into(),
        },
    }
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

/// Body, group and count are those of the message.
pub async fn an_envelope_arrives_as_it_was_sent(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "msg:C1:1.5", "T1/U1/D1").await;
    let got = next(fixture, LONG).await.unwrap();
    assert_eq!(got.envelope().unwrap(), envelope("msg:C1:1.5"));
    assert_eq!((got.group.as_str(), got.receive_count), ("T1/U1/D1", 1));
}

/// First in, first out.
pub async fn order_holds_within_a_group(fixture: &impl QueueUnderTest) {
    for n in 0..6 {
        send(fixture, QueueName::Ingress, &format!("m{n}"), "g").await;
    }
    for n in 0..6 {
        let got = next(fixture, LONG).await.unwrap();
        assert_eq!(identity(&got), format!("m{n}"));
        fixture.ack(QueueName::Ingress, &got).await;
    }
    nothing(fixture).await;
}

/// While one message of a group is in flight the next of it waits, and other groups go on.
pub async fn a_group_in_flight_blocks_only_itself(fixture: &impl QueueUnderTest) {
    for (id, group) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")] {
        send(fixture, QueueName::Ingress, id, group).await;
    }
    let first = next(fixture, LONG).await.unwrap();
    let second = next(fixture, LONG).await.unwrap();
    let mut ids = [identity(&first), identity(&second)];
    ids.sort();
    assert_eq!(ids, ["a1", "b1"]);
    nothing(fixture).await;

    let (a, b) = if identity(&first) == "a1" {
        (first, second)
    } else {
        (second, first)
    };
    fixture.ack(QueueName::Ingress, &a).await;
    let a2 = next(fixture, LONG).await.unwrap();
    assert_eq!(identity(&a2), "a2");
    nothing(fixture).await;
    fixture.ack(QueueName::Ingress, &b).await;
    assert_eq!(identity(&next(fixture, LONG).await.unwrap()), "b2");
}

/// The same group and id in another queue is another message.
pub async fn queues_are_apart(fixture: &impl QueueUnderTest) {
    for queue in QueueName::ALL {
        send(fixture, queue, "same", "g").await;
    }
    for queue in QueueName::ALL {
        let got = fixture.receive(queue, 1, LONG).await;
        assert_eq!(got.len(), 1, "{}", queue.as_str());
    }
}

/// A deduplication id seen before is accepted and dropped, also behind the acknowledgement.
pub async fn a_repeated_id_is_dropped(fixture: &impl QueueUnderTest) {
    for _ in 0..3 {
        send(fixture, QueueName::Ingress, "once", "g").await;
    }
    send(fixture, QueueName::Ingress, "other", "g").await;
    let once = next(fixture, LONG).await.unwrap();
    assert_eq!(identity(&once), "once");
    send(fixture, QueueName::Ingress, "once", "g").await;
    fixture.ack(QueueName::Ingress, &once).await;
    send(fixture, QueueName::Ingress, "once", "g").await;
    let other = next(fixture, LONG).await.unwrap();
    assert_eq!(identity(&other), "other");
    fixture.ack(QueueName::Ingress, &other).await;
    nothing(fixture).await;
}

/// After five minutes the id is new again. For queues whose time a test decides.
pub async fn an_id_is_forgotten_after_five_minutes(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "once", "g").await;
    let first = next(fixture, LONG).await.unwrap();
    fixture.ack(QueueName::Ingress, &first).await;
    fixture.elapse(Duration::from_secs(299)).await;
    send(fixture, QueueName::Ingress, "once", "g").await;
    nothing(fixture).await;
    fixture.elapse(Duration::from_secs(1)).await;
    send(fixture, QueueName::Ingress, "once", "g").await;
    assert_eq!(identity(&next(fixture, LONG).await.unwrap()), "once");
}

/// A message whose receiver died is hidden for its time-out, and then received again.
pub async fn an_unacknowledged_message_comes_back(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "m", "g").await;
    let first = next(fixture, SHORT).await.unwrap();
    nothing(fixture).await;
    fixture.elapse(PAST_SHORT).await;
    let second = next(fixture, LONG).await.unwrap();
    assert_eq!(second.body, first.body);
    assert_eq!((first.receive_count, second.receive_count), (1, 2));
    fixture.ack(QueueName::Ingress, &second).await;
    nothing(fixture).await;
}

/// What comes back comes before the later messages of its group.
pub async fn order_holds_through_redelivery(fixture: &impl QueueUnderTest) {
    for id in ["m1", "m2"] {
        send(fixture, QueueName::Ingress, id, "g").await;
    }
    assert_eq!(identity(&next(fixture, SHORT).await.unwrap()), "m1");
    fixture.elapse(PAST_SHORT).await;
    let again = next(fixture, LONG).await.unwrap();
    assert_eq!(identity(&again), "m1");
    nothing(fixture).await;
    fixture.ack(QueueName::Ingress, &again).await;
    assert_eq!(identity(&next(fixture, LONG).await.unwrap()), "m2");
}

/// A longer time-out counts from when it was asked for, and ends too.
pub async fn extending_keeps_it_hidden(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "m", "g").await;
    let got = next(fixture, SHORT).await.unwrap();
    let longer = Duration::from_secs(5);
    fixture.extend(QueueName::Ingress, &got, longer).await;
    fixture.elapse(PAST_SHORT).await;
    nothing(fixture).await;
    fixture.elapse(longer).await;
    assert_eq!(next(fixture, LONG).await.unwrap().receive_count, 2);
}

/// A time-out of zero gives the message back.
pub async fn giving_back_shows_it_at_once(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "m", "g").await;
    let got = next(fixture, LONG).await.unwrap();
    nothing(fixture).await;
    fixture
        .extend(QueueName::Ingress, &got, Duration::ZERO)
        .await;
    let again = next(fixture, LONG).await.unwrap();
    assert_eq!((identity(&again).as_str(), again.receive_count), ("m", 2));
}

/// It doesn't come back when its time-out would have ended.
pub async fn an_acknowledged_message_is_gone(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "m", "g").await;
    let got = next(fixture, SHORT).await.unwrap();
    fixture.ack(QueueName::Ingress, &got).await;
    fixture.elapse(PAST_SHORT).await;
    nothing(fixture).await;
    assert_eq!(fixture.receive_dead(QueueName::Ingress, 10).await, vec![]);
}

/// A message that nobody survives is received so many times, then put aside
/// whole, and its group goes on.
pub async fn too_many_receives_end_in_the_dead_letters(fixture: &impl QueueUnderTest) {
    send(fixture, QueueName::Ingress, "poison", "g").await;
    send(fixture, QueueName::Ingress, "next", "g").await;
    for count in 1..=fixture.max_receives() {
        let got = next(fixture, SHORT).await.unwrap();
        assert_eq!(
            (identity(&got).as_str(), got.receive_count),
            ("poison", count)
        );
        fixture.elapse(PAST_SHORT).await;
    }
    let after = next(fixture, LONG).await.unwrap();
    assert_eq!(identity(&after), "next");
    let dead = fixture.receive_dead(QueueName::Ingress, 10).await;
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].envelope().unwrap(), envelope("poison"));
    assert_eq!(dead[0].group, "g");
}

/// What isn't an envelope is delivered as it is, can be put aside, and blocks nothing then.
pub async fn an_unparsable_body_can_be_put_aside(fixture: &impl QueueUnderTest) {
    let body = "{\"v\":1, not JSON é";
    fixture.send_raw(QueueName::Ingress, body, "g", "raw").await;
    send(fixture, QueueName::Ingress, "next", "g").await;
    let got = next(fixture, LONG).await.unwrap();
    assert_eq!(got.body, body);
    assert!(got.envelope().is_err());
    fixture.dead_letter(QueueName::Ingress, &got).await;
    assert_eq!(identity(&next(fixture, LONG).await.unwrap()), "next");
    let dead = fixture.receive_dead(QueueName::Ingress, 10).await;
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].body, body);
}
