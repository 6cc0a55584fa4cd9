//! Order, groups and deduplication.

use alfred_core::ports::QueueName;
use std::time::Duration;

use super::{LONG, QueueUnderTest, envelope, identity, next, nothing, send};

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
