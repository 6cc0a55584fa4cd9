//! Large bodies and locked digests in the database, and what a sweep deletes.

use alfred_core::ports::{
    BlobError, Blobs, Clock, EXPIRING, Key, Query, Range, Store, Vault, Write,
};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use tempfile::TempDir;

use crate::{World, commit, large};

const DIGEST: &str = "T1/2026-11-21.json";
const MINUTE: Duration = Duration::from_secs(60);

fn key() -> Key {
    Key::state("T1#run#r2", "b")
}

async fn fill(world: &World) {
    let write = Write::create(key(), large("b"));
    commit(&world.store, vec![write]).await.unwrap();
    world.sqlite.vault().lock(DIGEST, b"{}").await.unwrap();
}

async fn check(world: &World) {
    let item = world.store.get(&key()).await.unwrap().unwrap();
    assert_eq!(item.body, large("b"));
    let locked = world.sqlite.vault().read(DIGEST).await.unwrap();
    assert_eq!(locked.as_deref(), Some(b"{}".as_slice()));
}

#[tokio::test]
async fn copy_of_the_database_has_bodies_and_digests() {
    let outer = TempDir::new().unwrap();
    let [first, second] = ["first", "second"].map(|name| outer.path().join(name));
    let world = World::open(&first);
    fill(&world).await;
    for file in ["alfred.db", "alfred.db-wal", "alfred.db-shm"] {
        let mode = fs::metadata(first.join(file)).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file}");
    }
    drop(world);
    fs::create_dir(&second).unwrap();
    fs::copy(first.join("alfred.db"), second.join("alfred.db")).unwrap();
    check(&World::open(&second)).await;
}

#[tokio::test]
async fn damaged_body_is_missing_until_it_is_written_again() {
    let outer = TempDir::new().unwrap();
    let blobs = World::open(outer.path()).sqlite.blobs();
    let digest = blobs.put("T1/U1", b"a body").await.unwrap();
    let file = Connection::open(outer.path().join("alfred.db")).unwrap();
    let damaged = file.execute("UPDATE blobs SET bytes = x'00'", []);
    assert_eq!(damaged, Ok(1));
    let got = blobs.get("T1/U1", &digest).await;
    assert!(matches!(got, Err(BlobError::Missing { .. })), "{got:?}");
    blobs.put("T1/U1", b"a body").await.unwrap();
    assert_eq!(blobs.get("T1/U1", &digest).await.unwrap(), b"a body");
}

#[tokio::test]
async fn locked_bytes_can_be_neither_changed_nor_deleted() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    fill(&world).await;
    let file = Connection::open(outer.path().join("alfred.db")).unwrap();
    for change in ["UPDATE vault SET bytes = x'00'", "DELETE FROM vault"] {
        let error = file.execute(change, []).unwrap_err();
        assert!(error.to_string().contains("write-once"), "{error}");
    }
    check(&world).await;
}

#[tokio::test]
async fn unnamed_body_is_swept_a_day_after_its_last_write() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    let (clock, sqlite, blobs) = (&world.clock, &world.sqlite, world.sqlite.blobs());
    let [soon, late] = [1, 5_000].map(|minutes| clock.now() + minutes * MINUTE);
    let writes = vec![
        Write::create(Key::state("T1#run#r1", "a"), large("a")).expiring(soon),
        Write::create(Key::state("T1#run#r1", "b"), large("b")).expiring(soon),
        Write::create(key(), large("b")).expiring(late),
    ];
    commit(&world.store, writes).await.unwrap();
    clock.advance(MINUTE);
    assert_eq!(sqlite.sweep(clock.now()).await.unwrap(), 2, "items only");

    clock.advance(1_400 * MINUTE);
    // A commit that is about to name the body again has written it first.
    let text = large("a").to_string();
    let scope = format!("{EXPIRING}/T1/run");
    let digest = blobs.put(&scope, text.as_bytes()).await.unwrap();
    clock.advance(1_439 * MINUTE);
    assert_eq!(sqlite.sweep(clock.now()).await.unwrap(), 0);
    clock.advance(MINUTE);
    assert_eq!(sqlite.sweep(clock.now()).await.unwrap(), 1);
    assert!(blobs.get(&scope, &digest).await.is_err());
    let read = world.store.get(&key()).await.unwrap().unwrap();
    assert_eq!(read.body, large("b"), "another item names this one");
}

#[tokio::test]
async fn only_expired_items_are_swept() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    let (clock, store) = (&world.clock, &world.sqlite);
    let [soon, late] = [1, 2].map(|minutes| clock.now() + minutes * MINUTE);
    for batch in 0..12 {
        let writes = (0..100).map(|n| {
            let create = Write::create(Key::state("p", format!("{batch:02}/{n:02}")), json!({}));
            match batch {
                0 => create,
                1 => create.expiring(late),
                _ => create.expiring(soon),
            }
        });
        commit(store, writes.collect()).await.unwrap();
    }
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 0);
    clock.advance(MINUTE);
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 1_000);
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 0);
    let left = store.query(&Query::state("p", Range::All)).await.unwrap();
    assert_eq!(left.items.len(), 200);
    clock.advance(MINUTE);
    assert_eq!(store.sweep(clock.now()).await.unwrap(), 100);
}
