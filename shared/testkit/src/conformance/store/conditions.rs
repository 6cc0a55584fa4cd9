//! Conditions, and commits as a whole.

use alfred_core::ports::{Condition, Key, MAX_WRITES, Op, Query, Range, Write};
use serde_json::json;

use super::{StoreUnderTest, commit, conflicting, partition, read, settle, write};

/// `Absent` and `Version` hold exactly when they say so, and versions count writes.
pub async fn absent_and_version_conditions(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "a");
    assert_eq!(read(&store, &key).await, None);
    let early = Write::replace(key.clone(), 1, json!({"n": 0}));
    assert_eq!(conflicting(settle(&store, &commit(vec![early])).await), key);

    write(&store, vec![Write::create(key.clone(), json!({"n": 1}))]).await;
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 1}))));
    let again = Write::create(key.clone(), json!({"n": 9}));
    assert_eq!(conflicting(settle(&store, &commit(vec![again])).await), key);

    let second = Write::replace(key.clone(), 1, json!({"n": 2}));
    write(&store, vec![second.clone()]).await;
    assert_eq!(read(&store, &key).await, Some((2, json!({"n": 2}))));
    assert_eq!(
        conflicting(settle(&store, &commit(vec![second])).await),
        key
    );

    let stale = Write::delete(key.clone(), Some(Condition::Version(1)));
    assert_eq!(conflicting(settle(&store, &commit(vec![stale])).await), key);
    let delete = Write::delete(key.clone(), Some(Condition::Version(2)));
    write(&store, vec![delete]).await;
    assert_eq!(read(&store, &key).await, None);

    write(&store, vec![Write::create(key.clone(), json!({"n": 3}))]).await;
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 3}))));
}

/// The error names the first item, in the order of the writes, whose condition failed.
pub async fn the_failing_condition_is_named(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let key = |range: &str| Key::state(partition.clone(), range);
    write(&store, vec![Write::create(key("taken"), json!({}))]).await;
    let put = |range: &str| Write::create(key(range), json!({}));
    for writes in [
        vec![
            put("zz"),
            put("taken"),
            Write::replace(key("aa"), 4, json!({})),
        ],
        vec![put("taken"), put("mm"), put("nn")],
        vec![put("mm"), put("nn"), put("taken")],
    ] {
        let failed = conflicting(settle(&store, &commit(writes)).await);
        assert_eq!(failed, key("taken"));
    }
}

/// One failing condition among the most writes of a commit leaves everything as it was.
pub async fn all_or_nothing(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let key = |range: String| Key::state(partition.clone(), range);
    let (kept, taken) = (key("kept".into()), key("taken".into()));
    let both = vec![
        Write::create(kept.clone(), json!({"old": true})),
        Write::create(taken.clone(), json!({"old": true})),
    ];
    write(&store, both).await;

    let mut writes = vec![Write::delete(kept.clone(), Some(Condition::Version(1)))];
    for n in 0..MAX_WRITES - 2 {
        writes.push(Write::create(key(format!("new{n:03}")), json!({"n": n})));
    }
    writes.push(Write::create(taken.clone(), json!({"old": false})));
    assert_eq!(
        conflicting(settle(&store, &commit(writes.clone())).await),
        taken
    );
    let all = Query::state(partition.clone(), Range::All);
    let left = store.query(&all).await.unwrap().items;
    assert_eq!(left.len(), 2, "a failed commit left something behind");
    assert_eq!(read(&store, &kept).await, Some((1, json!({"old": true}))));

    writes.pop();
    write(&store, writes).await;
    let left = store.query(&all).await.unwrap().items;
    assert_eq!(left.len(), MAX_WRITES - 1);
    assert_eq!(read(&store, &kept).await, None);
}

/// Without a condition a write takes whatever is there, and the version still counts.
pub async fn unconditional_writes(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "a");
    write(&store, vec![Write::delete(key.clone(), None)]).await;
    write(&store, vec![Write::put(key.clone(), None, json!({"n": 1}))]).await;
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 1}))));
    write(&store, vec![Write::put(key.clone(), None, json!({"m": 2}))]).await;
    assert_eq!(read(&store, &key).await, Some((2, json!({"m": 2}))));
    write(&store, vec![Write::delete(key.clone(), None)]).await;
    assert_eq!(read(&store, &key).await, None);
}

/// A check guards a commit without writing: it fails it, is named, and moves no version.
pub async fn checks_guard_other_items(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let guard = Key::state(partition.clone(), "guard");
    let other = Key::state(partition, "other");
    let check = |condition| Write {
        key: guard.clone(),
        condition: Some(condition),
        op: Op::Check,
    };
    let create = || Write::create(other.clone(), json!({}));
    let missing = commit(vec![check(Condition::Version(1)), create()]);
    assert_eq!(conflicting(settle(&store, &missing).await), guard);
    assert_eq!(read(&store, &other).await, None);

    write(&store, vec![Write::create(guard.clone(), json!({"g": 1}))]).await;
    let present = commit(vec![check(Condition::Absent), create()]);
    assert_eq!(conflicting(settle(&store, &present).await), guard);

    write(&store, vec![check(Condition::Version(1)), create()]).await;
    assert_eq!(read(&store, &guard).await, Some((1, json!({"g": 1}))));
    assert_eq!(read(&store, &other).await, Some((1, json!({}))));
}

/// Reads and queries right behind a write see it.
pub async fn reads_see_the_last_write(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let key = Key::state(partition.clone(), "a");
    write(&store, vec![Write::create(key.clone(), json!({"n": 1}))]).await;
    for version in 1..20_u64 {
        let next = json!({"n": version + 1});
        write(
            &store,
            vec![Write::replace(key.clone(), version, next.clone())],
        )
        .await;
        let got = fixture.store().get(&key).await.unwrap().unwrap();
        assert_eq!((got.version, &got.body), (version + 1, &next));
        let all = Query::state(partition.clone(), Range::All);
        let page = fixture.store().query(&all).await.unwrap();
        assert_eq!(page.items, vec![got]);
    }
}
