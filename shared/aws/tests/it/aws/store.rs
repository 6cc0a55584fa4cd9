use alfred_aws::DynamoStore;
use alfred_core::ports::{Blobs, Clock, Key, Query, Range, Store, Write};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::{self, StoreUnderTest, unique};
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use super::scene::commit;
use super::{AUDIT, BUCKET, STATE, sdk};

struct Fixture {
    store: Arc<DynamoStore>,
    blobs: Arc<dyn Blobs>,
    clock: ManualClock,
}

impl Fixture {
    async fn new() -> Self {
        let sdk = sdk().await;
        // The emulator sweeps what has expired by the real time.
        let clock = ManualClock::at(Timestamp::now());
        let store = alfred_aws::store(&sdk, STATE, AUDIT, Arc::new(clock.clone()));
        Self {
            store: Arc::new(store),
            blobs: Arc::new(alfred_aws::blobs(&sdk, BUCKET)),
            clock,
        }
    }
}

impl StoreUnderTest for Fixture {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn blobs(&self) -> Arc<dyn Blobs> {
        self.blobs.clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::store(Fixture::new).await;
}

#[tokio::test]
async fn a_page_of_expired_items_is_empty_and_goes_on() {
    let fixture = Fixture::new().await;
    let partition = format!("T1#expired#{}", unique());
    let soon = Clock::now(&fixture.clock) + Duration::from_secs(3_600);
    let key = |n: u32| Key::state(partition.clone(), format!("{n:03}"));
    let write = |n| Write::create(key(n), json!({"n": n})).expiring(soon);
    let mut writes: Vec<Write> = (0..20).map(write).collect();
    writes.push(Write::create(key(20), json!({"n": 20})));
    fixture.store.commit(&commit(writes)).await.unwrap();
    fixture.clock.advance(Duration::from_secs(3_600));

    let mut query = Query {
        limit: 10,
        ..Query::state(partition.clone(), Range::All)
    };
    let first = fixture.store.query(&query).await.unwrap();
    assert_eq!(first.items, vec![]);
    let mut found = Vec::new();
    query.cursor = first.cursor;
    while query.cursor.is_some() {
        let page = fixture.store.query(&query).await.unwrap();
        found.extend(page.items.into_iter().map(|item| item.key));
        query.cursor = page.cursor;
    }
    assert_eq!(found, [key(20)]);
}

#[tokio::test]
async fn unconditional_puts_of_many_writers_all_take_effect() {
    let fixture = Fixture::new().await;
    let key = Key::state(format!("T1#{}", unique()), "a");
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..8 {
        let (store, key) = (fixture.store.clone(), key.clone());
        let put = commit(vec![Write::put(key, None, json!({"n": n}))]);
        writers.spawn(async move { store.commit(&put).await });
    }
    for done in writers.join_all().await {
        done.unwrap();
    }
    let item = fixture.store.get(&key).await.unwrap().unwrap();
    assert_eq!(item.version, 8);
}

#[tokio::test]
async fn reserved_names_and_what_dynamodb_would_change_come_back() {
    let fixture = Fixture::new().await;
    let key = Key::state(format!("T1#{}", unique()), "a");
    let mut deep = json!("bottom");
    for _ in 0..60 {
        deep = json!([deep]);
    }
    let body = json!({
        "pk": "mine", "sk": 1, "_v": 7, "_c": "x", "_x": 0, "_j": "{}", "__": null,
        "whole": 2.0, "huge": 1e300, "tiny": 5e-324, "deep": deep, "unnamed": {"": [1]},
    });
    let create = commit(vec![Write::create(key.clone(), body.clone())]);
    fixture.store.commit(&create).await.unwrap();
    let item = fixture.store.get(&key).await.unwrap().unwrap();
    assert_eq!((item.version, item.expires_at), (1, None));
    assert_eq!(item.body, body);
}
