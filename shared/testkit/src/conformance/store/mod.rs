//! What every store must do.

mod bodies;
mod concurrency;
mod conditions;
mod expiry;
mod limits;
mod paging;
mod repeats;

pub use bodies::*;
pub use concurrency::*;
pub use conditions::*;
pub use expiry::*;
pub use limits::*;
pub use paging::*;
pub use repeats::*;

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
    /// Where large bodies go.
    fn blobs(&self) -> Arc<dyn Blobs>;
}

/// Makes a test of each function of this suite; the argument makes a `StoreUnderTest`.
#[macro_export]
macro_rules! store_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            store,
            $fixture,
            [
                absent_and_version_conditions,
                the_failing_condition_is_named,
                all_or_nothing,
                unconditional_writes,
                checks_guard_other_items,
                reads_see_the_last_write,
                one_winner_among_concurrent_creators,
                one_winner_among_concurrent_replacers,
                no_update_is_lost,
                transfers_keep_their_sum,
                pages_past_a_megabyte,
                pages_backward_and_within_ranges,
                range_keys_sort_by_bytes,
                an_expired_item_is_never_read,
                an_expired_item_counts_as_absent,
                a_new_expiry_replaces_the_old_one,
                a_timed_out_commit_is_repeated_with_its_id,
                a_repeat_succeeds_after_others_moved_on,
                a_repeat_that_never_arrived_takes_effect,
                another_commit_after_a_time_out_conflicts,
                limits_are_refused_before_anything_is_written,
                audit_items_are_never_overwritten,
                awkward_json_comes_back,
                the_largest_commit_is_taken,
                large_bodies_come_back_whole,
                a_lasting_body_is_apart_from_expiring_ones,
                a_missing_blob_is_corruption,
            ]
        );
    };
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

/// The version and body of an item.
async fn read(store: &dyn Store, key: &Key) -> Option<(u64, Value)> {
    let item = store.get(key).await.unwrap()?;
    assert_eq!(&item.key, key);
    Some((item.version, item.body))
}

/// The key whose condition failed.
fn conflicting(result: Result<(), StoreError>) -> Key {
    match result {
        Err(StoreError::Conflict { key }) => key,
        other => panic!("a conflict was due, got {other:?}"),
    }
}
