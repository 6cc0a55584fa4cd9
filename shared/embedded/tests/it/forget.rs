use alfred_core::ports::{Blobs, Key, Query, QueueName, Range, Secrets, Store, Write};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;

use crate::{World, commit, large};

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
async fn partitions_are_erased_whole() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
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
    let own = ["T1#U1#day#2026-11-21", "T1#U1#tasks"].map(str::to_owned);
    let own = own.to_vec();
    let erasure = world.sqlite.erase(own, "T1/U1").await.unwrap();
    assert_eq!((erasure.items.len(), erasure.bodies), (4, 0));
    assert!(world.ranges("T1#U1#tasks").await.is_empty());
    for other in ["T1#U12#tasks", "T1#users", "T12#U1#tasks"] {
        assert_eq!(world.ranges(other).await, ["a", "b"], "{other}");
    }
}

#[tokio::test]
async fn only_bodies_that_no_other_item_names_are_erased() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    world.put("T1#run#r1", "step#000001", large("a")).await;
    world.put("T1#run#r1", "step#000002", large("b")).await;
    world.put("T1#run#r2", "step#000001", large("b")).await;
    let blobs = world.sqlite.blobs();
    let mut digests = Vec::new();
    for scope in ["T1/U1", "expiring/T1/U1", "T1/U12"] {
        digests.push((scope, blobs.put(scope, b"x").await.unwrap()));
    }
    for bodies in [3, 0] {
        let erased = world.sqlite.erase(vec!["T1#run#r1".into()], "T1/U1");
        assert_eq!(erased.await.unwrap().bodies, bodies);
    }
    for (scope, digest) in digests {
        let got = blobs.get(scope, &digest).await;
        assert_eq!(got.is_ok(), scope == "T1/U12", "{scope}");
    }
    let kept = Key::state("T1#run#r2", "step#000001");
    let kept = world.store.get(&kept).await.unwrap().unwrap();
    assert_eq!(kept.body, large("b"));
}

#[tokio::test]
async fn messages_and_secrets_of_one_person_are_removed() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    let people = [("T1", "U1"), ("T1", "U2"), ("T2", "U1")];
    let bodies = people.map(|(team, user)| json!({"team": team, "user": user}).to_string());
    for body in bodies.into_iter().chain(["no json".into()]) {
        let id = body.clone();
        let sent = world.queue.send_raw(QueueName::Ingress, body, &id, &id);
        sent.await.unwrap();
    }
    let removed = world.queue.forget(&"T1".into(), &"U1".into()).await;
    assert_eq!(removed.unwrap(), 1);
    let minute = Duration::from_secs(60);
    let left = world.queue.receive(QueueName::Ingress, 10, minute);
    assert_eq!(left.await.unwrap().len(), 3);

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
async fn compacted_file_has_nothing_of_what_was_erased() {
    let outer = TempDir::new().unwrap();
    let world = World::open(outer.path());
    for (partition, title) in [
        ("T1#U1#tasks", "xyzzy secret"),
        ("T1#U2#tasks", "plugh kept"),
    ] {
        world.put(partition, "a", json!({ "title": title })).await;
    }
    let has = |word: &str| {
        ["alfred.db", "alfred.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(outer.path().join(name)).unwrap_or_default();
            let mut parts = bytes.windows(word.len());
            parts.any(|part| part == word.as_bytes())
        })
    };
    assert!(has("xyzzy"));
    let erased = world.sqlite.erase(vec!["T1#U1#tasks".into()], "T1/U1");
    erased.await.unwrap();
    world.sqlite.compact().await.unwrap();
    assert!(!has("xyzzy") && has("plugh"));
}
