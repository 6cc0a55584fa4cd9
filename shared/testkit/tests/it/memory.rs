//! The ports in memory pass the suites that the real ones pass.

use alfred_core::ports::{Blobs, Store};
use alfred_testkit::conformance::store::StoreUnderTest;
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

mod store {
    use super::*;
    alfred_testkit::store_conformance!(Memory::new());
}

mod blobs {
    use super::*;
    alfred_testkit::blobs_conformance!(MemoryBlobs::default());
}

mod vault {
    use super::*;
    alfred_testkit::vault_conformance!(MemoryVault::default());
}

mod secrets {
    use super::*;
    alfred_testkit::secrets_conformance!(MemorySecrets::default());
}

mod credentials {
    use super::*;
    use alfred_core::ports::NamedCredentials;
    alfred_testkit::credentials_conformance!(NamedCredentials(Arc::new(MemorySecrets::default())));
}
