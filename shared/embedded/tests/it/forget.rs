use alfred_core::ports::{
    Blobs, Clock, Key, Query, QueueName, Range, SPILL_BYTES, Secrets, Spilling, Store, Write,
};
use alfred_embedded::{DataFolder, SqliteQueue, SqliteStore};
use alfred_testkit::ManualClock;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

use crate::commit;

struct World {
    _outer: TempDir,
    folder: DataFolder,
    sqlite: SqliteStore,
    queue: SqliteQueue,
    store: Spilling<SqliteStore, alfred_embedded::FileBlobs>,
}

fn world() -> World {
    let outer = TempDir::new().unwrap();
    let folder = DataFolder::open(outer.path()).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
    let database = folder.database().unwrap();
    let sqlite = SqliteStore::new(database.clone(), clock.clone());
    World {
        queue: SqliteQueue::new(database, clock, 5),
        store: Spilling::new(sqlite.clone(), folder.blobs()),
        sqlite,
        folder,
        _outer: outer,
    }
}

impl World {
    async fn put(&self, partition: &str, range: &str, body: Value) {
        let write = Write::create(Key::state(partition, range), body);
        commit(&self.store, vec![write]).await.unwrap();
    }

    async fn ranges(&self, partition: &str) -> Vec<String> {
        let query = Query::state(partition, Range::All);
        let page = self.sqlite.query(&query).await.unwrap();
        page.items.into_iter().map(|item| item.key.range).collect()
    }
}

#[tokio::test]
async fn partitions_are_found_by_their_start_and_erased_whole() {
    let world = world();
    for partition in [
        "T1#U1#tasks",
        "T1#U1#day#2026-11-21",
        "T1#U12#tasks",
        "T1#users",
        "T12#U1#tasks",
    ] {
        world.put(partition, "a", json!({})).await;
        world.put(partition, "b", json!({})).await;
    }
    let own = world.sqlite.partitions("T1#U1#").await.unwrap();
    assert_eq!(own, ["T1#U1#day#2026-11-21", "T1#U1#tasks"]);
    let erasure = world.sqlite.erase(own).await.unwrap();
    assert_eq!(erasure.items.len(), 4);
    assert!(erasure.bodies.is_empty());
    assert!(world.sqlite.partitions("T1#U1#").await.unwrap().is_empty());
    for other in ["T1#U12#tasks", "T1#users", "T12#U1#tasks"] {
        assert_eq!(world.ranges(other).await, ["a", "b"], "{other}");
    }
}

#[tokio::test]
async fn a_body_that_somebody_else_names_stays() {
    let world = world();
    let big = |c: &str| json!({ "text": c.repeat(SPILL_BYTES) });
    world.put("T1#run#r1", "step#000001", big("a")).await;
    world.put("T1#run#r1", "step#000002", big("b")).await;
    world.put("T1#run#r2", "step#000001", big("b")).await;
    let erasure = world.sqlite.erase(vec!["T1#run#r1".into()]).await.unwrap();
    assert_eq!(erasure.items.len(), 2);
    let [(scope, digest)] = erasure.bodies.as_slice() else {
        panic!("one body is free: {:?}", erasure.bodies)
    };
    let blobs = world.folder.blobs();
    blobs.remove(scope, digest).await.unwrap();
    blobs.remove(scope, digest).await.unwrap();
    assert!(blobs.get(scope, digest).await.is_err());
    let kept = Key::state("T1#run#r2", "step#000001");
    assert_eq!(
        world.store.get(&kept).await.unwrap().unwrap().body,
        big("b")
    );
}

#[tokio::test]
async fn messages_and_secrets_of_one_person_go() {
    let world = world();
    let message = |team: &str, user: &str| {
        json!({"team": team, "user": user, "payload": {"kind": "sweep"}}).to_string()
    };
    let bodies = [
        message("T1", "U1"),
        message("T1", "U2"),
        message("T2", "U1"),
        "no json".into(),
    ];
    for (at, body) in bodies.into_iter().enumerate() {
        let group = at.to_string();
        let sent = world
            .queue
            .send_raw(QueueName::Ingress, body, &group, &group);
        sent.await.unwrap();
    }
    assert_eq!(
        world
            .queue
            .forget(&"T1".into(), &"U1".into())
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        world
            .queue
            .counts(QueueName::Ingress)
            .await
            .unwrap()
            .waiting,
        3
    );
    let secrets = world.folder.secrets();
    for name in ["T1/U1/google", "T1/U12/google", "SLACK_BOT_TOKEN"] {
        secrets.put(name, &"s".to_owned().into()).await.unwrap();
    }
    assert_eq!(secrets.forget("T1/U1/").await.unwrap(), 1);
    assert_eq!(secrets.forget("T1/U1/").await.unwrap(), 0);
    assert!(secrets.get("T1/U1/google").await.unwrap().is_none());
    assert!(secrets.get("T1/U12/google").await.unwrap().is_some());
}

#[tokio::test]
async fn a_compacted_file_holds_nothing_of_what_was_erased() {
    let world = world();
    world
        .put("T1#U1#tasks", "a", json!({"title": "xyzzy secret"}))
        .await;
    world
        .put("T1#U2#tasks", "a", json!({"title": "plugh kept"}))
        .await;
    let holds = |word: &str| {
        ["alfred.db", "alfred.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(world.folder.path().join(name)).unwrap_or_default();
            bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes())
        })
    };
    assert!(holds("xyzzy"));
    world
        .sqlite
        .erase(vec!["T1#U1#tasks".into()])
        .await
        .unwrap();
    world.sqlite.compact().await.unwrap();
    assert!(!holds("xyzzy") && holds("plugh"));
}
