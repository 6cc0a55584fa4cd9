//! The sweep serves due timers even if others can't be served.

use alfred_agent::Deadline;
use alfred_agent::store::timer::{self, Timer};
use alfred_classifier::Classifier;
use alfred_core::ports::{
    Call, Clock, Intercept, Item, Key, Query, QueueName, Range, Store, Write,
};
use alfred_core::{Failure, RunId, keys};
use alfred_testkit::{When, intercepted, says, unavailable, unsent};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, dm, sweep, team};

async fn poison(world: &World) {
    let run = RunId::from("run_poisoned");
    let row = Write::create(keys::run(&team(), &run), json!({"v": 1, "id": 7}));
    let timer = timer::arm(world.clock.now(), &Timer::wake(&team(), &run)).unwrap();
    world.write(vec![row, timer]).await;
}

async fn in_partition(world: &World, partition: String) -> Vec<Item> {
    let query = Query::state(partition, Range::All);
    world.store.query(&query).await.unwrap().items
}

async fn aside(world: &World) -> Vec<Item> {
    in_partition(world, keys::timers_set_aside()).await
}

async fn buckets(world: &World, hours: i64) -> usize {
    let mut found = 0;
    for hour in 0..hours {
        let at = world.clock.now() + jiff::SignedDuration::from_hours(hour);
        for shard in 0..keys::DUE_SHARDS {
            let bucket = keys::due_partition(at, shard);
            found += in_partition(world, bucket).await.len();
        }
    }
    found
}

#[tokio::test]
async fn a_poisoned_timer_holds_up_nothing_and_ends_set_aside() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    poison(&world).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    world.clock.advance(Duration::from_secs(600));
    world.queue.forget_dedup();
    let first = world.deliver(QueueName::Runs, &sweep()).await;
    let Err(Failure::Bug { detail }) = first else {
        panic!("{first:?}");
    };
    assert!(detail.contains("run_poisoned"), "{detail}");
    world.drain().await;
    assert_eq!(world.said(), ["hi"], "the others are served");
    let last = Key::state("*#sweep", "last");
    let swept = world.store.get(&last).await.unwrap();
    assert!(swept.is_some(), "and the sweep advances");
    for _ in 0..8 {
        world.clock.advance(Duration::from_secs(120));
        let again = world.deliver(QueueName::Runs, &sweep()).await;
        assert!(again.is_ok(), "reported once: {again:?}");
    }
    let kept = aside(&world).await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].body["timer"]["run"], "run_poisoned");
    let why = kept[0].body["why"].as_str().unwrap();
    assert!(why.contains("unreadable row"), "{why}");
    assert_eq!(buckets(&world, 2).await, 0);
}

#[tokio::test]
async fn what_is_no_timer_is_set_aside_at_once() {
    let world = World::new(by_progress(vec![])).await;
    let key = keys::due(world.clock.now(), "odd");
    let odd = Write::create(key, json!({"team": 7}));
    world.write(vec![odd]).await;
    let first = world.deliver(QueueName::Runs, &sweep()).await;
    assert!(matches!(first, Err(Failure::Bug { .. })), "{first:?}");
    world.receive(&sweep()).await;
    assert_eq!(aside(&world).await[0].body["timer"]["team"], 7);
}

#[tokio::test]
async fn a_passing_fault_moves_a_timer_and_never_drops_it() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    let run = world.root().await;
    let wake = timer::arm(world.clock.now(), &Timer::wake(&team(), &run.id)).unwrap();
    world.write(vec![wake]).await;
    // Far more failures than a defect may have, each at the longest wait.
    for _ in 0..12 {
        world.faults.fail_next("queue.send", When::Before, unsent());
        world.receive(&sweep()).await;
        world.clock.advance(Duration::from_secs(3_600));
    }
    assert_eq!(aside(&world).await, []);
    world.queue.forget_dedup();
    world.settle().await;
    assert_eq!(world.said(), ["hi"]);
}

#[derive(Default)]
struct Watched {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Intercept for Watched {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        // Skips the digests' reads of the audit.
        if call.name != "store.query" || !call.about.starts_with("*#due#") {
            return work.await;
        }
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.all.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let done = work.await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        done
    }
}

#[tokio::test]
async fn buckets_are_read_side_by_side_and_the_hour_before_only_early_in_an_hour() {
    let world = World::new(by_progress(vec![])).await;
    let store = Arc::new(Watched::default());
    let mut ports = world.ports.clone();
    ports.store = intercepted(store.clone(), world.store.clone());
    let classifier = Classifier::new(ports, world.vault.clone()).unwrap();
    for (hours, queries) in [(0, 32), (10, 32 + 11 * 16 + 16)] {
        world.clock.advance(Duration::from_secs(3_600 * hours));
        classifier.handle(&sweep(), Deadline::none()).await.unwrap();
        assert_eq!(store.all.load(Ordering::SeqCst), queries);
    }
    assert_eq!(store.most.load(Ordering::SeqCst), 16);
    let before = store.all.load(Ordering::SeqCst);
    for _ in 0..60 {
        world.clock.advance(Duration::from_secs(60));
        classifier.handle(&sweep(), Deadline::none()).await.unwrap();
    }
    let read = store.all.load(Ordering::SeqCst) - before;
    assert_eq!(read, 60 * 16 + 11 * 16);
}

#[tokio::test]
async fn a_timer_that_is_committed_late_is_served_in_the_next_hour() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    let run = world.root().await.id;
    let due = world.clock.now() + jiff::SignedDuration::from_secs(3_570);
    world.clock.advance(Duration::from_secs(3_900));
    // Removes the watchdog's timer, which would wake the run too.
    world.receive(&sweep()).await;
    world.next().expect("what the watchdog sent");
    let timer = timer::arm(due, &Timer::wake(&team(), &run)).unwrap();
    world.write(vec![timer]).await;
    world.queue.forget_dedup();
    world.clock.advance(Duration::from_secs(60));
    world.sweep().await;
    assert_eq!(world.said(), ["hi"]);
}

#[tokio::test]
async fn a_sweep_that_could_not_read_is_rejected_and_not_repeated() {
    let world = World::new(by_progress(vec![])).await;
    let (before, away) = (When::Before, unavailable());
    world.faults.fail_next("store.query", before, away);
    let ended = world.deliver(QueueName::Runs, &sweep()).await;
    assert!(matches!(ended, Err(Failure::Reject { .. })), "{ended:?}");
}
