//! Sweeping gives back the room of what has expired, and of nothing else.

use alfred_core::ports::{
    Blobs, Clock, EXPIRING, Key, Query, Range, SPILL_BYTES, Spilling, Store, Write,
};
use alfred_embedded::{DataFolder, SqliteStore};
use alfred_testkit::ManualClock;
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

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

/// Makes every file below a folder two days old, and returns how many there are.
fn age(folder: &Path) -> usize {
    let ages = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return age(&path);
        }
        let file = File::options().write(true).open(path).unwrap();
        let past = SystemTime::now() - Duration::from_hours(48);
        file.set_modified(past).unwrap();
        1
    });
    ages.sum()
}

#[tokio::test]
async fn body_without_an_item_is_swept_a_day_after_it_was_last_written() {
    let outer = TempDir::new().unwrap();
    let folder = DataFolder::open(outer.path()).unwrap();
    let clock = ManualClock::default();
    let sqlite = SqliteStore::new(folder.database().unwrap(), Arc::new(clock.clone()));
    let blobs = folder.blobs();
    let store = Spilling::new(sqlite.clone(), blobs.clone());
    let soon = clock.now() + Duration::from_secs(60);
    let late = clock.now() + Duration::from_secs(120);
    let big = |c: &str| json!({ "text": c.repeat(SPILL_BYTES) });
    let kept = Key::state("T1#run#r2", "b");
    let writes = vec![
        Write::create(Key::state("T1#run#r1", "a"), big("a")).expiring(soon),
        Write::create(Key::state("T1#run#r1", "b"), big("b")).expiring(soon),
        Write::create(kept.clone(), big("b")).expiring(late),
    ];
    commit(&store, writes).await.unwrap();
    clock.advance(Duration::from_secs(60));
    assert_eq!(sqlite.sweep(clock.now()).await.unwrap(), 2);
    assert_eq!(blobs.sweep(&sqlite).await.unwrap(), 0, "both are new");

    let bodies = folder.path().join("blobs");
    assert_eq!(age(&bodies), 2);
    // A commit that is about to name the body again has written it first.
    let text = big("a").to_string();
    let scope = format!("{EXPIRING}/T1/run");
    let digest = blobs.put(&scope, text.as_bytes()).await.unwrap();
    assert_eq!(blobs.sweep(&sqlite).await.unwrap(), 0);
    assert_eq!(age(&bodies), 2);
    assert_eq!(blobs.sweep(&sqlite).await.unwrap(), 1);
    assert!(blobs.get(&scope, &digest).await.is_err());
    let read = store.get(&kept).await.unwrap().unwrap();
    assert_eq!(read.body, big("b"), "another item names this one");
}
