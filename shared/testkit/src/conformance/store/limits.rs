//! What is refused before it is sent.

use alfred_core::ports::{
    Condition, Key, MAX_COMMIT_BYTES, MAX_ITEM_BYTES, MAX_WRITES, Query, Range, StoreError, Table,
    Write,
};
use serde_json::json;

use super::{StoreUnderTest, commit, conflicting, partition, read, settle, write};

/// Too many writes, too many bytes, one item twice, nothing at all, no object: refused, nothing written.
pub async fn limits_are_refused_before_anything_is_written(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let key = |n: usize| Key::state(partition.clone(), format!("{n:04}"));
    let put = |n: usize| Write::create(key(n), json!({"n": n}));
    let sized = |n: usize, bytes: usize| Write::create(key(n), json!({"t": "x".repeat(bytes)}));
    let too_many = MAX_COMMIT_BYTES / 380_000 + 1;
    let refused = [
        Vec::new(),
        (0..=MAX_WRITES).map(put).collect(),
        vec![put(1), put(2), put(1)],
        vec![put(1), Write::delete(key(1), None)],
        vec![put(1), sized(2, MAX_ITEM_BYTES + 1)],
        (0..too_many).map(|n| sized(n, 380_000)).collect(),
        vec![put(1), Write::create(key(2), json!(["no object"]))],
    ];
    for writes in refused {
        let count = writes.len();
        match store.commit(&commit(writes)).await {
            Err(StoreError::Refused { reason }) => assert!(!reason.is_empty()),
            other => panic!("{count} writes should be refused, got {other:?}"),
        }
    }
    let all = Query::state(partition, Range::All);
    assert_eq!(store.query(&all).await.unwrap().items, vec![]);
}

/// The audit table takes new items only: nothing changes, replaces, adds to or deletes one.
pub async fn audit_items_are_never_overwritten(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key {
        table: Table::Audit,
        ..Key::state(partition(), "entry")
    };
    write(
        &store,
        vec![Write::create(key.clone(), json!({"did": "this"}))],
    )
    .await;
    let attempts = [
        Write::replace(key.clone(), 1, json!({})),
        Write::put(key.clone(), None, json!({})),
        Write::delete(key.clone(), Some(Condition::Version(1))),
        Write::delete(key.clone(), None),
        Write::delete(key.clone(), Some(Condition::Absent)),
    ];
    for attempt in attempts {
        let result = store.commit(&commit(vec![attempt])).await;
        assert!(
            matches!(result, Err(StoreError::Refused { .. })),
            "{result:?}"
        );
    }
    let again = commit(vec![Write::create(key.clone(), json!({"did": "that"}))]);
    assert_eq!(conflicting(settle(&store, &again).await), key);
    assert_eq!(read(&store, &key).await, Some((1, json!({"did": "this"}))));
}
