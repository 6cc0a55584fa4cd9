use alfred_aws::{EncryptedCredentials, ManagedCredentials, Sessions};
use alfred_core::ports::{SystemClock, SystemIds};
use alfred_testkit::MemoryStore;
use std::sync::Arc;

use super::sdk;

mod managed {
    use super::*;

    async fn credentials() -> ManagedCredentials {
        let clock = Arc::new(SystemClock);
        let sessions = Sessions::new(&sdk().await, None, clock.clone());
        ManagedCredentials::new(sessions, clock)
    }

    alfred_testkit::credentials_conformance!(credentials().await);
}

mod encrypted {
    use super::*;

    async fn credentials() -> EncryptedCredentials {
        let (sdk, clock) = (sdk().await, Arc::new(SystemClock));
        let made = aws_sdk_kms::Client::new(&sdk).create_key().send().await;
        let key = made.unwrap().key_metadata.unwrap().key_id;
        let sessions = Sessions::new(&sdk, None, clock.clone());
        let store = Arc::new(MemoryStore::new(clock));
        EncryptedCredentials::new(sessions, key, store, Arc::new(SystemIds))
    }

    alfred_testkit::credentials_conformance!(credentials().await);
}
