//! Runs the port conformance suites on disk and in memory.

use alfred_core::ports::{BlobError, Blobs, Queue, QueueName, SecretError, Secrets, Store};
use alfred_embedded::{
    Database, Delivery as Received, FileBlobs, FileSecrets, SqliteQueue, SqliteStore,
};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::queue::{Delivery, QueueUnderTest};
use alfred_testkit::conformance::store::StoreUnderTest;
use async_trait::async_trait;
use secrecy::SecretString;
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
    blobs: Arc<FileBlobs>,
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
            blobs: Arc::new(FileBlobs::new(folder.path().join("blobs"))),
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
        self.blobs.clone()
    }
}

#[async_trait]
impl QueueUnderTest for Fixture {
    fn queue(&self) -> Arc<dyn Queue> {
        Arc::new(self.queue.clone())
    }

    fn max_receives(&self) -> u32 {
        3
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

/// A port and its temporary folder.
struct InFolder<P>(
    P,
    #[expect(dead_code, reason = "deletes the folder when dropped")] TempDir,
);

#[async_trait]
impl Blobs for InFolder<FileBlobs> {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        self.0.put(scope, bytes).await
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        self.0.get(scope, digest).await
    }
}

#[async_trait]
impl Secrets for InFolder<FileSecrets> {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        self.0.get(name).await
    }

    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError> {
        self.0.put(name, value).await
    }

    async fn delete(&self, name: &str) -> Result<(), SecretError> {
        self.0.delete(name).await
    }
}

mod store_on_disk {
    use super::*;
    alfred_testkit::store_conformance!(Fixture::on_disk());
}

mod store_in_memory {
    use super::*;
    alfred_testkit::store_conformance!(Fixture::in_memory());
}

mod queue_on_disk {
    use super::*;
    alfred_testkit::queue_conformance!(Fixture::on_disk());
    alfred_testkit::conformance_tests!(
        queue,
        Fixture::on_disk(),
        [an_id_is_forgotten_after_five_minutes]
    );
}

mod queue_in_memory {
    use super::*;
    alfred_testkit::queue_conformance!(Fixture::in_memory());
}

mod blobs {
    use super::*;

    fn blobs() -> InFolder<FileBlobs> {
        let folder = TempDir::new().unwrap();
        InFolder(FileBlobs::new(folder.path().join("deep/blobs")), folder)
    }

    alfred_testkit::blobs_conformance!(blobs());
}

mod secrets {
    use super::*;

    fn secrets() -> InFolder<FileSecrets> {
        let folder = TempDir::new().unwrap();
        InFolder(FileSecrets::new(folder.path().join("secrets.json")), folder)
    }

    alfred_testkit::secrets_conformance!(secrets());
}
