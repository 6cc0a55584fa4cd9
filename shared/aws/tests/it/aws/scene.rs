use alfred_aws::DynamoStore;
use alfred_core::ports::{Commit, Key, Store, SystemIds, Write};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::unique;
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;

use super::proxy::Proxy;
use super::{AUDIT, STATE, ministack, sdk_at};

/// A store behind a proxy, and a partition that nobody else has.
pub struct Scene {
    pub proxy: Proxy,
    pub store: DynamoStore,
    pub clock: ManualClock,
    pub partition: String,
}

impl Scene {
    pub async fn new() -> Self {
        let proxy = Proxy::start(ministack().port()).await;
        let sdk = sdk_at(&proxy.endpoint()).await;
        let clock = ManualClock::at(Timestamp::now());
        Self {
            store: alfred_aws::store(&sdk, STATE, AUDIT, Arc::new(clock.clone())),
            proxy,
            clock,
            partition: format!("T1#faults#{}", unique()),
        }
    }

    pub fn key(&self, range: &str) -> Key {
        Key::state(self.partition.clone(), range)
    }

    pub fn create(&self, ranges: &[&str]) -> Commit {
        let create = |range: &&str| Write::create(self.key(range), json!({"n": 1}));
        commit(ranges.iter().map(create).collect())
    }

    pub async fn version(&self, range: &str) -> Option<u64> {
        let item = self.store.get(&self.key(range)).await.unwrap();
        item.map(|item| item.version)
    }
}

/// Under a new id.
pub fn commit(writes: Vec<Write>) -> Commit {
    Commit::new(&SystemIds, writes)
}
