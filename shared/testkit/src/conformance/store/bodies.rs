//! Bodies: awkward ones, and large ones through `Spilling`.

use alfred_core::digest::sha256_hex;
use alfred_core::keys;
use alfred_core::ports::{
    Blobs, Clock, EXPIRING, Key, MAX_WRITES, Query, Range, SPILL_BYTES, Spilling, Store,
    StoreError, Write,
};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{StoreUnderTest, commit, partition, read, settle, write};

/// What goes in comes out: types, numbers, empty and odd texts, nesting, odd names.
pub async fn awkward_json_comes_back(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let mut deep = json!("bottom");
    for _ in 0..12 {
        deep = json!({"in": [deep]});
    }
    let bodies = [
        json!({}),
        json!({"null": null, "empty": "", "no": [], "none": {}, "list": [null, "", [], {}]}),
        json!({"min": i64::MIN, "max": i64::MAX, "zero": 0, "flag": false}),
        json!({"third": 0.1, "small": -2.5e-10, "large": 1.5e100, "half": -0.5}),
        json!({"text": "a\u{0}b\u{1f}\n\"\\ é 日本 👩‍👩‍👧 \u{202e}rtl \u{feff}"}),
        json!({"": 1, "a.b": 2, "#c": 3, ":d": 4, "size": 5, "é 🦀": 6, "version": "x"}),
        json!({"partition": 1, "range": 2, "body": {"expires_at": 3}, "commit_id": 4}),
        json!({"deep": deep, "mixed": [1, "1", true, null, [2, "2"]]}),
    ];
    let partition = partition();
    for (n, body) in bodies.iter().enumerate() {
        let key = Key::state(partition.clone(), n.to_string());
        write(&store, vec![Write::create(key.clone(), body.clone())]).await;
        assert_eq!(read(&store, &key).await, Some((1, body.clone())));
    }
    let all = store.query(&Query::state(partition, Range::All)).await;
    let queried: Vec<Value> = all.unwrap().items.into_iter().map(|i| i.body).collect();
    assert_eq!(queried, bodies);
}

/// A commit right under the limits of writes and of bytes is taken.
pub async fn the_largest_commit_is_taken(fixture: &impl StoreUnderTest) {
    let store = fixture.store();
    let partition = partition();
    let key = |n: usize| Key::state(partition.clone(), format!("{n:04}"));
    let filler = "x".repeat(38_000);
    let put = |n: usize| Write::create(key(n), json!({"n": n, "t": filler}));
    write(&store, (0..MAX_WRITES).map(put).collect()).await;
    for n in [0, MAX_WRITES / 2, MAX_WRITES - 1] {
        let expected = json!({"n": n, "t": filler});
        assert_eq!(read(&store, &key(n)).await, Some((1, expected)));
    }
    let one = Key::state(partition, "one");
    let body = json!({"t": "é".repeat(190_000)});
    write(&store, vec![Write::create(one.clone(), body.clone())]).await;
    assert_eq!(read(&store, &one).await, Some((1, body)));
}

/// Bodies over the item limit, alone and several in one commit, come back whole
/// by `get` and by `query`; small ones stay in the store.
pub async fn large_bodies_come_back_whole(fixture: &impl StoreUnderTest) {
    let plain = fixture.store();
    let store = Spilling::new(plain.clone(), fixture.blobs());
    let partition = partition();
    let key = |n: usize| Key::state(partition.clone(), format!("{n:04}"));
    let body = |n: usize, bytes: usize| json!({"n": n, "t": "y".repeat(bytes)});
    let sizes = [10, SPILL_BYTES - 100, SPILL_BYTES, 400_000, 3_000_000];
    let put = |(n, bytes): (usize, &usize)| Write::create(key(n), body(n, *bytes));
    write(&store, sizes.iter().enumerate().map(put).collect()).await;

    for (n, bytes) in sizes.iter().enumerate() {
        assert_eq!(read(&store, &key(n)).await, Some((1, body(n, *bytes))));
        let stored = plain.get(&key(n)).await.unwrap().unwrap();
        let spilled = stored.body != body(n, *bytes);
        assert_eq!(spilled, *bytes >= SPILL_BYTES, "{bytes} bytes");
    }
    let mut query = Query::state(partition.clone(), Range::All);
    let mut numbers = Vec::new();
    loop {
        let page = store.query(&query).await.unwrap();
        numbers.extend(page.items.iter().map(|i| i.body["n"].as_u64().unwrap()));
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(numbers, vec![0, 1, 2, 3, 4]);

    let many = (10..40).map(|n| Write::create(key(n), body(n, 200_000)));
    settle(&store, &commit(many.collect())).await.unwrap();
    for n in 10..40 {
        assert_eq!(read(&store, &key(n)).await, Some((1, body(n, 200_000))));
    }
}

/// Bodies of items without an expiry are stored where no age limit applies.
pub async fn a_lasting_body_is_apart_from_expiring_ones(fixture: &impl StoreUnderTest) {
    let store = Spilling::new(fixture.store(), fixture.blobs());
    let partition = partition();
    let own = keys::blob_scope(&partition);
    let until = fixture.clock().now() + SignedDuration::from_hours(1);
    for (range, expires) in [("lasting", false), ("expiring", true)] {
        let key = Key::state(partition.clone(), range);
        let body = json!({"t": range.repeat(SPILL_BYTES)});
        let put = Write::create(key.clone(), body.clone());
        let put = if expires { put.expiring(until) } else { put };
        write(&store, vec![put]).await;
        assert_eq!(read(&store, &key).await, Some((1, body.clone())));
        let digest = sha256_hex(body.to_string().as_bytes());
        let there = fixture
            .blobs()
            .get(&format!("{EXPIRING}/{own}"), &digest)
            .await;
        assert_eq!(there.is_ok(), expires, "{range}");
    }
}

/// An item whose blob is gone is reported as corrupt, not as absent.
pub async fn a_missing_blob_is_corruption(fixture: &impl StoreUnderTest) {
    let blobs = fixture.blobs();
    let key = Key::state(partition(), "a");
    let digest = blobs.put("T1/conformance", b"{\"a\":1}").await.unwrap();
    let gone = digest.chars().rev().collect::<String>();
    let plain = fixture.store();
    write(
        &plain,
        vec![Write::create(key.clone(), json!({"$blob": gone}))],
    )
    .await;
    let store = Spilling::new(plain, blobs);
    match store.get(&key).await {
        Err(StoreError::Corrupt { detail }) => assert!(detail.contains(&gone), "{detail}"),
        other => panic!("corruption was due, got {other:?}"),
    }
}
