//! Expiry, before anything is swept.

use alfred_core::ports::{Clock, Condition, Key, Op, Query, Range, Write};
use jiff::Timestamp;
use serde_json::json;
use std::time::Duration;

use super::{StoreUnderTest, commit, conflicting, partition, read, settle, write};

fn in_a_minute(fixture: &impl StoreUnderTest) -> Timestamp {
    let second = fixture.clock().now().as_second() + 60;
    Timestamp::from_second(second).unwrap()
}

/// Read until the second before, and never from that second on, by `get` and by `query`.
pub async fn an_expired_item_is_never_read(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let (partition, expiry) = (partition(), in_a_minute(fixture));
    let passing = Key::state(partition.clone(), "passing");
    let writes = vec![
        Write::create(passing.clone(), json!({"n": 1})).expiring(expiry),
        Write::create(Key::state(partition.clone(), "staying"), json!({})),
    ];
    write(&store, writes).await;
    let item = store.get(&passing).await.unwrap().unwrap();
    assert_eq!(item.expires_at, Some(expiry));

    let all = Query::state(partition, Range::All);
    fixture.clock().advance(Duration::from_secs(59));
    assert_eq!(read(&store, &passing).await, Some((1, json!({"n": 1}))));
    assert_eq!(store.query(&all).await.unwrap().items.len(), 2);

    fixture.clock().advance(Duration::from_secs(1));
    assert_eq!(read(&store, &passing).await, None);
    let left = store.query(&all).await.unwrap().items;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].key.range, "staying");
    assert_eq!(left[0].expires_at, None);
}

/// For conditions it isn't there: it can be created anew, from version 1, and not replaced.
pub async fn an_expired_item_counts_as_absent(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let key = Key::state(partition(), "a");
    let expiry = in_a_minute(fixture);
    write(
        &store,
        vec![Write::create(key.clone(), json!({"n": 1})).expiring(expiry)],
    )
    .await;
    write(
        &store,
        vec![Write::replace(key.clone(), 1, json!({"n": 2})).expiring(expiry)],
    )
    .await;
    let create = || Write::create(key.clone(), json!({"n": 3}));
    assert_eq!(
        conflicting(settle(&store, &commit(vec![create()])).await),
        key
    );

    fixture.clock().advance(Duration::from_secs(61));
    for op in [
        Op::Check,
        Op::Delete,
        Op::Put {
            body: json!({}).into(),
            expires_at: None,
        },
    ] {
        let late = Write {
            key: key.clone(),
            condition: Some(Condition::Version(2)),
            op,
        };
        assert_eq!(conflicting(settle(&store, &commit(vec![late])).await), key);
    }
    write(&store, vec![create()]).await;
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 3}))));
    fixture.clock().advance(Duration::from_secs(3_600));
    assert_eq!(read(&store, &key).await, Some((1, json!({"n": 3}))));
}

/// A put sets the expiry anew, or takes it away.
pub async fn a_new_expiry_replaces_the_old_one(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let longer = Key::state(partition.clone(), "longer");
    let forever = Key::state(partition, "forever");
    let expiry = in_a_minute(fixture);
    for key in [&longer, &forever] {
        write(
            &store,
            vec![Write::create(key.clone(), json!({})).expiring(expiry)],
        )
        .await;
    }
    let later = expiry + jiff::SignedDuration::from_secs(60);
    let writes = vec![
        Write::replace(longer.clone(), 1, json!({})).expiring(later),
        Write::replace(forever.clone(), 1, json!({})),
    ];
    write(&store, writes).await;
    fixture.clock().advance(Duration::from_secs(61));
    assert_eq!(read(&store, &longer).await, Some((2, json!({}))));
    fixture.clock().advance(Duration::from_secs(60));
    assert_eq!(read(&store, &longer).await, None);
    assert_eq!(read(&store, &forever).await, Some((2, json!({}))));
}
