use alfred_aws::{EncryptedCredentials, ManagedCredentials, Sessions};
use alfred_core::ports::{SystemClock, SystemIds};
use alfred_testkit::MemoryStore;
use alfred_testkit::conformance::{self, Side};
use std::sync::Arc;

use super::sdk;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn managed() {
    conformance::credentials(async || {
        let clock = Arc::new(SystemClock);
        let sessions = Sessions::new(&sdk().await, None, clock.clone());
        Side::new(ManagedCredentials::new(sessions, clock))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn encrypted() {
    conformance::credentials(async || {
        let (sdk, clock) = (sdk().await, Arc::new(SystemClock));
        let made = aws_sdk_kms::Client::new(&sdk).create_key().send().await;
        let key = made.unwrap().key_metadata.unwrap().key_id;
        let sessions = Sessions::new(&sdk, None, clock.clone());
        let store = Arc::new(MemoryStore::new(clock));
        let ids = Arc::new(SystemIds);
        Side::new(EncryptedCredentials::new(sessions, key, store, ids))
    })
    .await;
}
