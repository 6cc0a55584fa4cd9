//! Runs the port conformance suites on disk and in memory.

use alfred_core::ports::{Blobs, Queue, QueueName, Store};
use alfred_embedded::{Database, Delivery as Received, FileSecrets, SqliteQueue, SqliteStore};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::{self, Delivery, QueueUnderTest, Side, StoreUnderTest};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

struct Fixture {
    // Dropped before the folder, so that the files are closed first.
    store: SqliteStore,
    queue: SqliteQueue,
    received: Mutex<HashMap<String, Received>>,
    clock: ManualClock,
    _folder: TempDir,
}

impl Fixture {
    fn on_disk() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("test.db");
        Self::new(folder, Database::open(&file).unwrap())
    }

    fn in_memory() -> Self {
        Self::new(TempDir::new().unwrap(), Database::in_memory().unwrap())
    }

    fn new(folder: TempDir, database: Database) -> Self {
        let clock = ManualClock::default();
        Self {
            store: SqliteStore::new(database.clone(), Arc::new(clock.clone())),
            queue: SqliteQueue::new(database, Arc::new(clock.clone()), 3),
            received: Mutex::default(),
            clock,
            _folder: folder,
        }
    }

    fn delivery(&self, received: Received) -> Delivery {
        let handle = format!("{}/{}", received.body, received.receive_count);
        let delivery = Delivery {
            body: received.body.clone(),
            receive_count: received.receive_count,
            group: received.group.clone(),
            handle: handle.clone(),
        };
        self.received.lock().unwrap().insert(handle, received);
        delivery
    }

    fn received(&self, delivery: &Delivery) -> Received {
        self.received.lock().unwrap()[&delivery.handle].clone()
    }
}

impl StoreUnderTest for Fixture {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::new(self.store.blobs())
    }
}

#[async_trait]
impl QueueUnderTest for Fixture {
    fn queue(&self) -> Arc<dyn Queue> {
        Arc::new(self.queue.clone())
    }

    async fn send_raw(&self, queue: QueueName, body: &str, group: &str, dedup: &str) {
        let sent = self.queue.send_raw(queue, body.into(), group, dedup);
        sent.await.unwrap();
    }

    async fn receive(&self, queue: QueueName, max: usize, visibility: Duration) -> Vec<Delivery> {
        let got = self.queue.receive(queue, max, visibility).await.unwrap();
        got.into_iter().map(|one| self.delivery(one)).collect()
    }

    async fn ack(&self, _: QueueName, delivery: &Delivery) {
        assert!(self.queue.ack(&self.received(delivery)).await.unwrap());
    }

    async fn extend(&self, _: QueueName, delivery: &Delivery, visibility: Duration) {
        let received = self.received(delivery);
        let extended = if visibility.is_zero() {
            self.queue.nack(&received, visibility).await
        } else {
            self.queue.extend(&received, visibility).await
        };
        assert!(extended.unwrap());
    }

    async fn dead_letter(&self, _: QueueName, delivery: &Delivery) {
        let received = self.received(delivery);
        let moved = self.queue.dead_letter(&received, "no envelope").await;
        assert!(moved.unwrap());
    }

    async fn receive_dead(&self, queue: QueueName, max: usize) -> Vec<Delivery> {
        let dead = self.queue.dead_letters(queue, max).await.unwrap();
        let delivery = |letter: alfred_embedded::DeadLetter| Delivery {
            body: letter.body,
            receive_count: letter.receive_count,
            group: letter.group,
            handle: letter.id.to_string(),
        };
        dead.into_iter().map(delivery).collect()
    }

    async fn elapse(&self, time: Duration) {
        self.clock.advance(time);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store_on_disk() {
    conformance::store(async || Fixture::on_disk()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store_in_memory() {
    conformance::store(async || Fixture::in_memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queue_on_disk() {
    conformance::queue(async || Fixture::on_disk()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queue_in_memory() {
    conformance::queue(async || Fixture::in_memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blobs() {
    conformance::blobs(async || {
        let fixture = Fixture::on_disk();
        Side::with(fixture.store.blobs(), fixture)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vault() {
    conformance::vault(async || {
        let fixture = Fixture::on_disk();
        Side::with(fixture.store.vault(), fixture)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets() {
    conformance::secrets(async || {
        let folder = TempDir::new().unwrap();
        let secrets = FileSecrets::new(folder.path().join("secrets.json"));
        Side::with(secrets, folder)
    })
    .await;
}
