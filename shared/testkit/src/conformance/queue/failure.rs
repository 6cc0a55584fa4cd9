//! Receivers that die, are slow, or can't read what they got.

use alfred_core::ports::QueueName;
use std::time::Duration;

use super::{LONG, PAST_SHORT, QueueUnderTest, SHORT, envelope, identity, next, nothing, send};

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
