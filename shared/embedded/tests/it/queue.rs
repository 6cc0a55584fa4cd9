//! Behaviour beyond the conformance suite: waking, released leases, stale receivers, dead letters.

use alfred_core::ports::QueueName::{Ingress, Team};
use alfred_core::ports::{Clock, SystemClock};
use alfred_embedded::{Database, Delivery, MAX_BODY_BYTES, SqliteQueue};
use alfred_testkit::{LIMIT, ManualClock, within};
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;
use tokio::task::JoinSet;

const MINUTE: Duration = Duration::from_secs(60);

fn queue() -> (ManualClock, SqliteQueue) {
    let clock = ManualClock::default();
    let database = Database::in_memory().unwrap();
    let queue = SqliteQueue::new(database, Arc::new(clock.clone()), 3);
    (clock, queue)
}

/// For tests in which a wait must not advance the clock.
fn in_real_time() -> SqliteQueue {
    SqliteQueue::new(Database::in_memory().unwrap(), Arc::new(SystemClock), 3)
}

async fn send(queue: &SqliteQueue, body: &str, group: &str) {
    let sent = queue.send_raw(Ingress, body.into(), group, body).await;
    sent.unwrap();
}

async fn one(queue: &SqliteQueue) -> Delivery {
    let mut got = queue.receive(Ingress, 1, MINUTE).await.unwrap();
    got.pop().unwrap()
}

#[tokio::test]
async fn send_wakes_a_waiting_receiver() {
    let (_, queue) = queue();
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.wait(Ingress, 1, MINUTE).await.unwrap() }
    });
    tokio::task::yield_now().await;
    let elsewhere = queue.send_raw(Team, "other queue".into(), "g", "d").await;
    elsewhere.unwrap();
    send(&queue, "hello", "g").await;
    assert_eq!(waiting.await.unwrap()[0].body, "hello");
}

#[tokio::test]
async fn waiting_receiver_is_woken_when_its_group_is_free() {
    let queue = in_real_time();
    send(&queue, "m1", "g").await;
    send(&queue, "m2", "g").await;
    let first = one(&queue).await;
    let mut waiting = std::pin::pin!(queue.wait(Ingress, 1, MINUTE));
    tokio::select! {
        biased;
        got = &mut waiting => panic!("got {got:?} of a group in flight"),
        dead = queue.dead_letters(Ingress, 1) => assert_eq!(dead.unwrap(), []),
    }
    assert!(queue.ack(&first).await.unwrap());
    assert_eq!(waiting.await.unwrap()[0].body, "m2");
}

/// Advances 10 ms at each reading, as on a busy machine.
#[derive(Default)]
struct BusyClock(ManualClock);

#[async_trait]
impl Clock for BusyClock {
    fn now(&self) -> Timestamp {
        self.0.advance(Duration::from_millis(10));
        self.0.now()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.advance(duration);
    }
}

#[tokio::test]
async fn message_that_becomes_visible_during_a_look_is_received() {
    for delay in (1..100).map(Duration::from_millis) {
        let clock = Arc::new(BusyClock::default());
        let queue = SqliteQueue::new(Database::in_memory().unwrap(), clock, 3);
        send(&queue, "m", "g").await;
        assert!(queue.nack(&one(&queue).await, delay).await.unwrap());
        let again = tokio::time::timeout(MINUTE, queue.wait(Ingress, 1, MINUTE)).await;
        assert_eq!(again.expect("it waits for ever").unwrap()[0].body, "m");
    }
}

#[tokio::test]
async fn waiting_receiver_gets_messages_after_time_outs_and_delays() {
    let (_, queue) = queue();
    send(&queue, "m", "g").await;
    assert_eq!(one(&queue).await.receive_count, 1);
    let second = queue.wait(Ingress, 1, MINUTE).await.unwrap().remove(0);
    assert_eq!(second.receive_count, 2);
    assert!(queue.nack(&second, Duration::from_secs(30)).await.unwrap());
    assert_eq!(queue.receive(Ingress, 1, MINUTE).await.unwrap(), vec![]);
    let third = queue.wait(Ingress, 1, MINUTE).await.unwrap();
    assert_eq!(third[0].receive_count, 3);
}

#[tokio::test]
async fn released_leases_dont_count_as_receives() {
    let (_, queue) = queue();
    for (body, group) in [("a", "a"), ("b", "b"), ("delayed", "c")] {
        send(&queue, body, group).await;
    }
    let got = queue.receive(Ingress, 10, MINUTE).await.unwrap();
    assert_eq!(got.len(), 3);
    assert!(queue.nack(&got[2], MINUTE).await.unwrap());
    assert_eq!(queue.release_leases().await.unwrap(), 2);
    let again = queue.receive(Ingress, 10, MINUTE).await.unwrap();
    let seen = again.iter().map(|d| (&*d.body, d.receive_count, d.deaths));
    // A delay that was asked for stays.
    assert_eq!(seen.collect::<Vec<_>>(), [("a", 1, 1), ("b", 1, 1)]);
}

#[tokio::test]
async fn message_of_many_crashes_comes_back_after_the_others() {
    let (clock, queue) = queue();
    send(&queue, "poison", "g").await;
    for deaths in 0..50 {
        clock.advance(MINUTE);
        assert_eq!(one(&queue).await.deaths, deaths);
        queue.release_leases().await.unwrap();
    }
    send(&queue, "other", "o").await;
    let got = queue.receive(Ingress, 10, MINUTE).await.unwrap();
    assert_eq!(got.len(), 1, "{got:?}");
    assert_eq!(got[0].body, "other");
    clock.advance(Duration::from_secs(5));
    let late = one(&queue).await;
    assert_eq!((late.body.as_str(), late.receive_count), ("poison", 1));
}

#[tokio::test]
async fn repeated_id_is_dropped_for_five_minutes() {
    let (clock, queue) = queue();
    for (seconds, messages) in [(0, 1), (299, 0), (1, 1)] {
        clock.advance(Duration::from_secs(seconds));
        send(&queue, "once", "g").await;
        let got = queue.receive(Ingress, 1, MINUTE).await.unwrap();
        assert_eq!(got.len(), messages, "after {seconds} s");
        for delivery in got {
            assert!(queue.ack(&delivery).await.unwrap());
        }
    }
}

#[tokio::test]
async fn renewed_message_keeps_its_place_and_loses_its_receives() {
    let (_, queue) = queue();
    for body in ["first", "second"] {
        send(&queue, body, "g").await;
    }
    let got = one(&queue).await;
    assert!(queue.nack(&got, Duration::ZERO).await.unwrap());
    let got = one(&queue).await;
    assert_eq!(got.receive_count, 2);
    assert!(queue.renew(&got).await.unwrap());
    let again = one(&queue).await;
    assert_eq!((again.body.as_str(), again.receive_count), ("first", 1));
    assert!(!queue.renew(&got).await.unwrap(), "it is somebody else's");
}

#[tokio::test]
async fn receiver_that_lost_a_message_can_neither_remove_nor_hide_it() {
    let (clock, queue) = queue();
    send(&queue, "m", "g").await;
    let lost = one(&queue).await;
    clock.advance(MINUTE);
    let held = one(&queue).await;
    assert!(!queue.ack(&lost).await.unwrap());
    assert!(!queue.nack(&lost, Duration::ZERO).await.unwrap());
    assert!(!queue.extend(&lost, MINUTE).await.unwrap());
    assert!(!queue.dead_letter(&lost, "late").await.unwrap());
    assert!(queue.ack(&held).await.unwrap());
    assert!(!queue.ack(&held).await.unwrap());
}

#[tokio::test]
async fn body_over_the_limit_is_refused() {
    let (_, queue) = queue();
    let body = "x".repeat(MAX_BODY_BYTES + 1);
    assert!(queue.send_raw(Ingress, body, "g", "d").await.is_err());
    assert_eq!(queue.receive(Ingress, 1, MINUTE).await.unwrap(), []);
}

/// Eight receivers, some of which return messages. Each message is handled once, in its group's order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_receivers_keep_the_order_of_each_group() {
    const GROUPS: usize = 5;
    const EACH: usize = 20;
    let queue = in_real_time();
    let busy: Arc<[AtomicBool; GROUPS]> = Arc::default();
    let (handled, mut log) = tokio::sync::mpsc::unbounded_channel();
    let mut receivers = JoinSet::new();
    for _ in 0..8 {
        let (queue, busy, handled) = (queue.clone(), busy.clone(), handled.clone());
        receivers.spawn(async move {
            loop {
                let delivery = queue.wait(Ingress, 1, MINUTE).await.unwrap().remove(0);
                let (group, n) = delivery.body.split_once('/').unwrap();
                let (group, n): (usize, usize) = (group.parse().unwrap(), n.parse().unwrap());
                assert!(!busy[group].swap(true, SeqCst), "two of {group} in flight");
                tokio::task::yield_now().await;
                let gives_back = n % 7 == 3 && delivery.receive_count == 1;
                if !gives_back {
                    handled.send((group, n)).unwrap();
                }
                busy[group].store(false, SeqCst);
                let settled = if gives_back {
                    queue.nack(&delivery, Duration::ZERO).await
                } else {
                    queue.ack(&delivery).await
                };
                assert!(settled.unwrap());
            }
        });
    }
    for n in 0..EACH {
        for group in 0..GROUPS {
            send(&queue, &format!("{group}/{n}"), &group.to_string()).await;
        }
    }
    let mut orders: [Vec<usize>; GROUPS] = Default::default();
    for _ in 0..GROUPS * EACH {
        tokio::select! {
            entry = within(LIMIT, "the next message", log.recv()) => {
                let (group, n) = entry.unwrap();
                orders[group].push(n);
            }
            ended = receivers.join_next() => ended.unwrap().unwrap(),
        }
    }
    for order in orders {
        assert_eq!(order, (0..EACH).collect::<Vec<_>>());
    }
    receivers.shutdown().await;
    assert!(log.try_recv().is_err(), "a message was handled twice");
}

#[tokio::test]
async fn clock_set_back_hides_no_message_and_ends_deduplication() {
    const DAY: Duration = Duration::from_secs(86_400);
    for back in [2 * 3_600, 400 * 86_400].map(Duration::from_secs) {
        let (clock, queue) = queue();
        clock.advance(400 * DAY);
        send(&queue, "m1", "g").await;
        let m1 = one(&queue).await;
        queue.nack(&m1, 3 * MINUTE).await.unwrap();
        send(&queue, "m2", "other").await;
        let m2 = one(&queue).await;
        clock.set(clock.now() - back);
        assert_eq!(one(&queue).await.body, "m1", "it comes back");
        let more = queue.receive(Ingress, 9, MINUTE).await.unwrap();
        assert_eq!(more, [], "what is being handled isn't handed out twice");
        assert!(queue.extend(&m2, MINUTE).await.unwrap());
        clock.advance(2 * MINUTE);
        let more = queue.receive(Ingress, 9, MINUTE).await.unwrap();
        assert_eq!(more.len(), 2, "a lease ends as ever");
        // After the clock was set back, the same id counts as new.
        send(&queue, "m1", "third").await;
        assert_eq!(one(&queue).await.group, "third");
    }
}

#[tokio::test]
async fn message_is_hidden_for_an_hour_at_most() {
    let (clock, queue) = queue();
    send(&queue, "m1", "g").await;
    let m1 = one(&queue).await;
    queue.nack(&m1, Duration::MAX).await.unwrap();
    assert!(queue.receive(Ingress, 1, MINUTE).await.unwrap().is_empty());
    clock.advance(60 * MINUTE);
    assert_eq!(one(&queue).await.body, "m1");
}
