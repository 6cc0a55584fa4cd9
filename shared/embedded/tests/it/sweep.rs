use alfred_core::ports::{Clock, Key, Query, Range, Store, Write};
use alfred_embedded::SqliteStore;
use alfred_testkit::ManualClock;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use crate::commit;

#[tokio::test]
async fn only_what_has_expired_is_swept() {
    let clock = ManualClock::default();
    let store = SqliteStore::in_memory(Arc::new(clock.clone())).unwrap();
    let soon = clock.now() + Duration::from_secs(60);
    let late = clock.now() + Duration::from_secs(120);
    for batch in 0..12 {
        let writes = (0..100).map(|n| {
            let create = Write::create(Key::state("p", format!("{batch:02}/{n:02}")), json!({}));
            match batch {
                0 => create,
                1 => create.expiring(late),
                _ => create.expiring(soon),
            }
        });
        commit(&store, writes.collect()).await.unwrap();
    }
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 0);
    clock.advance(Duration::from_secs(60));
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 1_000);
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 0);
    let left = store.query(&Query::state("p", Range::All)).await.unwrap();
    assert_eq!(left.items.len(), 200);
    clock.advance(Duration::from_secs(60));
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 100);
}
