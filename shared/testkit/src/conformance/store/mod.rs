//! What every store must do: the cases of `store.txt`, and races.

mod calls;
mod concurrency;

use alfred_core::ports::{Blobs, Commit, Key, Store, StoreError, SystemIds, Write};
use serde_json::Value;
use std::sync::Arc;

use super::unique;
use crate::ManualClock;

/// A store, the clock that decides what has expired in it, and its blobs.
pub trait StoreUnderTest: Send + Sync {
    /// The store, without spilling. May hold other tests' items.
    fn store(&self) -> Arc<dyn Store>;
    /// The clock the store was given. Where the other side deletes expired
    /// items by its own clock (DynamoDB's TTL), start it at the real time.
    fn clock(&self) -> &ManualClock;
    fn blobs(&self) -> Arc<dyn Blobs>;
}

/// Plays the suite, and then its tests of races, each with a fresh side.
pub async fn store<S: StoreUnderTest>(open: impl AsyncFn() -> S) {
    calls::play(&open).await;
    concurrency::a_race_has_one_winner(&open().await).await;
    concurrency::no_update_is_lost(&open().await).await;
    concurrency::transfers_keep_their_sum(&open().await).await;
}

fn partition() -> String {
    format!("T1#conformance#{}", unique())
}

fn commit(writes: Vec<Write>) -> Commit {
    Commit::new(&SystemIds, writes)
}

/// Commits, trying again while the store is only contended.
async fn settle(store: &dyn Store, commit: &Commit) -> Result<(), StoreError> {
    for _ in 0..50 {
        match store.commit(commit).await {
            Err(StoreError::Contended { .. }) => tokio::task::yield_now().await,
            settled => return settled,
        }
    }
    panic!("still contended after 50 tries of a commit");
}

async fn write(store: &dyn Store, writes: Vec<Write>) {
    settle(store, &commit(writes)).await.unwrap();
}

async fn read(store: &dyn Store, key: &Key) -> Option<(u64, Value)> {
    let item = store.get(key).await.unwrap()?;
    assert_eq!(&item.key, key);
    Some((item.version, item.body))
}
