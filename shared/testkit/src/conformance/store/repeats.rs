//! Time-outs: a commit that took effect, or didn't, and is repeated.

use alfred_core::ports::{Commit, Condition, Key, Op, Store, StoreError, Write};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

use super::{StoreUnderTest, commit, conflicting, partition, read, settle, write};
use crate::{Faults, When, unavailable};

/// The store, whose first commit fails so.
fn failing<S: Store>(store: S, when: When) -> impl Store {
    let faults = Faults::default();
    faults.fail_at("store.commit", 1, when, unavailable());
    faults.before(Arc::new(store))
}

async fn times_out(store: &dyn Store, commit: &Commit) {
    match store.commit(commit).await {
        Err(StoreError::Unavailable { .. }) => {}
        other => panic!("a time-out was due, got {other:?}"),
    }
}

/// The same id again succeeds and writes nothing twice, whatever the commit did.
pub async fn a_timed_out_commit_is_repeated_with_its_id(fixture: &impl StoreUnderTest) {
    let partition = partition();
    let key = |range: &str| Key::state(partition.clone(), range);
    let plain = fixture.store();
    let given = ["replaced", "deleted", "checked"];
    let given = given.map(|range| Write::create(key(range), json!({"n": 0})));
    write(&plain, given.to_vec()).await;

    let store = failing(plain.clone(), When::After);
    let commit = commit(vec![
        Write::create(key("created"), json!({"n": 1})),
        Write::replace(key("replaced"), 1, json!({"n": 1})),
        Write::delete(key("deleted"), Some(Condition::Version(1))),
        Write {
            key: key("checked"),
            condition: Some(Condition::Version(1)),
            op: Op::Check,
        },
    ]);
    times_out(&store, &commit).await;
    for _ in 0..2 {
        settle(&store, &commit).await.unwrap();
        let one = json!({"n": 1});
        assert_eq!(read(&store, &key("created")).await, Some((1, one.clone())));
        assert_eq!(read(&store, &key("replaced")).await, Some((2, one)));
        assert_eq!(read(&store, &key("deleted")).await, None);
    }
}

/// One item that still has the commit's id proves the whole, even when others
/// of its items have been written again since.
pub async fn a_repeat_succeeds_after_others_moved_on(fixture: &impl StoreUnderTest) {
    let partition = partition();
    let (moved, kept) = (
        Key::state(partition.clone(), "moved"),
        Key::state(partition, "kept"),
    );
    let store = failing(fixture.store(), When::After);
    let first = commit(vec![
        Write::create(moved.clone(), json!({"by": "first"})),
        Write::create(kept.clone(), json!({"by": "first"})),
    ]);
    times_out(&store, &first).await;
    write(
        &store,
        vec![Write::replace(moved.clone(), 1, json!({"by": "other"}))],
    )
    .await;
    settle(&store, &first).await.unwrap();
    assert_eq!(
        read(&store, &moved).await,
        Some((2, json!({"by": "other"})))
    );
    assert_eq!(read(&store, &kept).await, Some((1, json!({"by": "first"}))));
}

/// A commit that never arrived takes effect when it is repeated.
pub async fn a_repeat_that_never_arrived_takes_effect(fixture: &impl StoreUnderTest) {
    let key = Key::state(partition(), "a");
    let store = failing(fixture.store(), When::Before);
    let commit = commit(vec![Write::create(key.clone(), json!({}))]);
    times_out(&store, &commit).await;
    assert_eq!(read(&store, &key).await, None);
    settle(&store, &commit).await.unwrap();
    assert_eq!(read(&store, &key).await, Some((1, json!({}))));
}

/// The same writes under another id are another commit: they lost the race.
pub async fn another_commit_after_a_time_out_conflicts(fixture: &impl StoreUnderTest) {
    let key = Key::state(partition(), "a");
    let store = failing(fixture.store(), When::After);
    let first = commit(vec![Write::create(key.clone(), json!({"n": 1}))]);
    times_out(&store, &first).await;
    let other = Commit {
        id: Uuid::now_v7(),
        ..first
    };
    assert_eq!(conflicting(settle(&store, &other).await), key);
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 1}))));
}
