//! The ports in memory pass the suites that the real ones pass.

use alfred_core::ports::{Blobs, NamedCredentials, Store};
use alfred_testkit::conformance::{self, Side, StoreUnderTest};
use alfred_testkit::{ManualClock, MemoryBlobs, MemorySecrets, MemoryStore, MemoryVault};
use std::sync::Arc;

struct Memory {
    store: Arc<MemoryStore>,
    clock: ManualClock,
    blobs: Arc<MemoryBlobs>,
}

impl Memory {
    fn new() -> Self {
        let clock = ManualClock::default();
        Self {
            store: Arc::new(MemoryStore::new(Arc::new(clock.clone()))),
            clock,
            blobs: Arc::default(),
        }
    }
}

impl StoreUnderTest for Memory {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn blobs(&self) -> Arc<dyn Blobs> {
        self.blobs.clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store() {
    conformance::store(async || Memory::new()).await;
}

#[tokio::test]
async fn blobs() {
    conformance::blobs(async || Side::new(MemoryBlobs::default())).await;
}

#[tokio::test]
async fn vault() {
    conformance::vault(async || Side::new(MemoryVault::default())).await;
}

#[tokio::test]
async fn secrets() {
    conformance::secrets(async || Side::new(MemorySecrets::default())).await;
}

#[tokio::test]
async fn credentials() {
    let named = || NamedCredentials(Arc::new(MemorySecrets::default()));
    conformance::credentials(async || Side::new(named())).await;
}
