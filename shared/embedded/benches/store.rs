//! Costs of a commit and a read, on disk and in memory: `cargo bench -p alfred-embedded`
#![allow(missing_docs, reason = "criterion's macros make undocumented items")]
#![allow(clippy::unwrap_used, reason = "a bench stops at the first failure")]

use alfred_core::ports::{Commit, Key, QueueName, Store, SystemClock, SystemIds, Write};
use alfred_embedded::{Database, SqliteQueue, SqliteStore};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

fn body() -> Value {
    json!({"kind": "turn", "text": "x".repeat(1_000), "usage": {"input": 1_200, "output": 80}})
}

/// Commits a journal step: a new item and the run row's next version.
async fn step(store: &SqliteStore, run: &Key, n: u64) {
    let mut writes = vec![Write::create(
        Key::state("T1#run", format!("step#{n:08}")),
        body(),
    )];
    writes.push(Write::put(run.clone(), None, json!({"steps": n})));
    let commit = Commit::new(&SystemIds, writes);
    store.commit(&commit).await.unwrap();
}

fn databases() -> (TempDir, [(&'static str, Database); 2]) {
    let folder = TempDir::new().unwrap();
    let on_disk = Database::open(&folder.path().join("bench.db")).unwrap();
    let databases = [
        ("disk", on_disk),
        ("memory", Database::in_memory().unwrap()),
    ];
    (folder, databases)
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

fn store(c: &mut Criterion) {
    let runtime = runtime();
    let (_folder, databases) = databases();
    for (name, database) in databases {
        let store = SqliteStore::new(database.clone(), Arc::new(SystemClock));
        let run = Key::state("T1#run", "run");
        let mut n = 0;
        c.bench_function(&format!("commit a step ({name})"), |b| {
            b.iter(|| {
                n += 1;
                runtime.block_on(step(&store, &run, n));
            });
        });
        c.bench_function(&format!("get ({name})"), |b| {
            b.iter(|| runtime.block_on(store.get(&run)).unwrap().unwrap());
        });
        let queue = SqliteQueue::new(database, Arc::new(SystemClock), 3);
        c.bench_function(&format!("send, receive, ack ({name})"), |b| {
            b.iter(|| runtime.block_on(round(&queue)));
        });
    }
}

async fn round(queue: &SqliteQueue) {
    let (name, id) = (QueueName::Utility, Uuid::now_v7().to_string());
    queue.send_raw(name, id.clone(), &id, &id).await.unwrap();
    let got = queue
        .receive(name, 1, Duration::from_secs(60))
        .await
        .unwrap();
    assert!(queue.ack(&got[0]).await.unwrap());
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));
    targets = store
}
criterion_main!(benches);
