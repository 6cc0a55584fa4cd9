//! The sweep: what is due is served, whatever else can't be.

use alfred_agent::Deadline;
use alfred_agent::timer::{self, Timer};
use alfred_classifier::Classifier;
use alfred_core::ports::{
    Clock, Commit, Item, Key, Page, Query, QueueName, Range, Store, StoreError, Table, Write,
};
use alfred_core::{Failure, RunId, keys};
use alfred_testkit::{QueueFault, says};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::world::{World, by_progress, dm, sweep, team};

/// A run whose row can't be read, and a timer for it.
async fn poison(world: &World) {
    let run = RunId::from("run_poisoned");
    let row = Write::create(keys::run(&team(), &run), json!({"v": 1, "id": 7}));
    let timer = timer::arm(world.clock.now(), &Timer::wake(&team(), &run)).unwrap();
    world.write(vec![row, timer]).await;
}

async fn in_partition(world: &World, partition: String) -> Vec<Item> {
    let query = Query::state(partition, Range::All);
    world.store.inner().query(&query).await.unwrap().items
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
    let request = dm("U1", "1.1", "hello");
    world.deliver(QueueName::Ingress, &request).await.unwrap();
    world.next().expect("its message, which is lost here");
    world.clock.advance(Duration::from_secs(600));
    world.queue.inner().forget_dedup();
    let first = world.deliver(QueueName::Ingress, &sweep()).await;
    let Err(Failure::Bug { detail }) = first else {
        panic!("{first:?}");
    };
    assert!(detail.contains("run_poisoned"), "{detail}");
    world.drain().await;
    assert_eq!(world.said(), ["hi"], "the others are served");
    let last = Key::state("*#sweep", "last");
    let swept = world.store.inner().get(&last).await.unwrap();
    assert!(swept.is_some(), "and the sweep advances");
    for _ in 0..8 {
        world.clock.advance(Duration::from_secs(120));
        let again = world.deliver(QueueName::Ingress, &sweep()).await;
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
    world
        .write(vec![Write::create(key, json!({"team": 7}))])
        .await;
    let first = world.deliver(QueueName::Ingress, &sweep()).await;
    assert!(matches!(first, Err(Failure::Bug { .. })), "{first:?}");
    world.deliver(QueueName::Ingress, &sweep()).await.unwrap();
    assert_eq!(aside(&world).await[0].body["timer"]["team"], 7);
}

#[tokio::test]
async fn a_passing_fault_moves_a_timer_and_never_drops_it() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    let request = dm("U1", "1.1", "hello");
    world.deliver(QueueName::Ingress, &request).await.unwrap();
    let run = world.root().await;
    world.next().expect("its message, which is lost here");
    let wake = timer::arm(world.clock.now(), &Timer::wake(&team(), &run.id)).unwrap();
    world.write(vec![wake]).await;
    // Far more failures than a defect may have, each at the longest wait.
    for _ in 0..12 {
        world
            .queue
            .fail_at(world.queue.sends() + 1, QueueFault::Before);
        world.deliver(QueueName::Ingress, &sweep()).await.unwrap();
        world.clock.advance(Duration::from_secs(3_600));
    }
    assert_eq!(aside(&world).await, []);
    world.queue.inner().forget_dedup();
    world.settle().await;
    assert_eq!(world.said(), ["hi"]);
}

/// Counts how many queries are under way at once.
struct Watched {
    inner: Arc<dyn Store>,
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

#[async_trait]
impl Store for Watched {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        self.inner.get(key).await
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        // The digests' reads of the audit are none of the timers'.
        if query.table == Table::Audit {
            return self.inner.query(query).await;
        }
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.all.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let page = self.inner.query(query).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        page
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        self.inner.commit(commit).await
    }

    async fn add(
        &self,
        key: &Key,
        field: &str,
        n: i64,
        ceiling: Option<i64>,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, StoreError> {
        self.inner.add(key, field, n, ceiling, expires_at).await
    }
}

#[tokio::test]
async fn buckets_are_read_side_by_side_and_not_all_at_once() {
    let world = World::new(by_progress(vec![])).await;
    let store = Arc::new(Watched {
        inner: world.store.clone(),
        now: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        all: AtomicUsize::new(0),
    });
    let mut ports = world.ports.clone();
    ports.store = store.clone();
    let classifier = Classifier::new(ports, world.vault.clone()).unwrap();
    for (hours, queries) in [(0, 32), (10, 32 + 11 * 16 + 16)] {
        world.clock.advance(Duration::from_secs(3_600 * hours));
        classifier.handle(&sweep(), Deadline::none()).await.unwrap();
        assert_eq!(store.all.load(Ordering::SeqCst), queries);
    }
    assert_eq!(store.most.load(Ordering::SeqCst), 16);
}
