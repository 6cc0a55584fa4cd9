//! `add`.

use alfred_core::ports::{Clock, Key, Store, StoreError, Write};
use jiff::Timestamp;
use serde_json::json;
use std::time::Duration;
use tokio::task::JoinSet;

use super::{StoreUnderTest, partition, read, write};

async fn add(store: &dyn Store, key: &Key, n: i64, ceiling: i64) -> Option<i64> {
    for _ in 0..50 {
        match store.add(key, "n", n, Some(ceiling), None).await {
            Ok(value) => return Some(value),
            Err(StoreError::Contended { .. }) => tokio::task::yield_now().await,
            Err(StoreError::Ceiling {
                key: named,
                field,
                ceiling: stated,
            }) => {
                assert_eq!((&named, field.as_str(), stated), (key, "n", ceiling));
                return None;
            }
            Err(other) => panic!("{other}"),
        }
    }
    panic!("still contended after 50 tries of an add");
}

/// A counter reaches its ceiling and never passes it; a new one isn't made to fail.
pub async fn counters_stop_at_their_ceiling(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "n");
    assert_eq!(add(&store, &key, 11, 10).await, None);
    assert_eq!(read(&store, &key).await, None);
    assert_eq!(add(&store, &key, 4, 10).await, Some(4));
    assert_eq!(add(&store, &key, 7, 10).await, None);
    assert_eq!(add(&store, &key, 6, 10).await, Some(10));
    assert_eq!(add(&store, &key, 1, 10).await, None);
    assert_eq!(add(&store, &key, -3, 10).await, Some(7));
    assert_eq!(store.add(&key, "n", 100, None, None).await.unwrap(), 107);
}

/// 32 at once under a ceiling of 20: 20 get a number each, 12 get none.
pub async fn concurrent_adds_stop_at_their_ceiling(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "n");
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        let (store, key) = (store.clone(), key.clone());
        tasks.spawn(async move {
            tokio::task::yield_now().await;
            add(&store, &key, 1, 20).await
        });
    }
    let mut values: Vec<i64> = tasks.join_all().await.into_iter().flatten().collect();
    values.sort_unstable();
    assert_eq!(values, (1..=20).collect::<Vec<_>>());
    assert_eq!(read(&store, &key).await.unwrap().1["n"], 20);
}

/// An expired counter starts again with the expiry it is then given; until
/// then it keeps its first one.
pub async fn an_expired_counter_restarts(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "n");
    let second = fixture.clock().now().as_second();
    let at = |seconds: i64| Timestamp::from_second(second + seconds).unwrap();
    let first = store.add(&key, "n", 2, Some(5), Some(at(60))).await;
    assert_eq!(first.unwrap(), 2);
    let next = store.add(&key, "n", 3, Some(5), Some(at(90))).await;
    assert_eq!(next.unwrap(), 5);
    let item = store.get(&key).await.unwrap().unwrap();
    assert_eq!(item.expires_at, Some(at(60)));

    fixture.clock().advance(Duration::from_secs(61));
    let restarted = store.add(&key, "n", 1, Some(5), Some(at(120))).await;
    assert_eq!(restarted.unwrap(), 1);
    let item = store.get(&key).await.unwrap().unwrap();
    assert_eq!((item.version, item.body), (1, json!({"n": 1})));
    assert_eq!(item.expires_at, Some(at(120)));
}

/// Adding to an item moves its version and leaves its other fields.
pub async fn a_counter_keeps_its_item(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "item");
    let body = json!({"name": "é", "n": -2, "list": [1, {"deep": null}]});
    write(&store, vec![Write::create(key.clone(), body)]).await;
    assert_eq!(store.add(&key, "n", 5, None, None).await.unwrap(), 3);
    assert_eq!(store.add(&key, "other", 1, None, None).await.unwrap(), 1);
    let expected = json!({"name": "é", "n": 3, "list": [1, {"deep": null}], "other": 1});
    assert_eq!(read(&store, &key).await, Some((3, expected)));
}
