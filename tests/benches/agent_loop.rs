//! Benchmarks one run of ten model calls, nine with a tool, with the journal in memory, in-memory SQLite and on disk.

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

mod loop_world;

use alfred_core::ports::{Clock, Message, Model, Store, SystemClock};
use alfred_embedded::{Database, SqliteStore};
use alfred_testkit::{MemoryStore, ScriptedModel, calls, says};
use criterion::{Criterion, criterion_group, criterion_main};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loop_world::{agent, ports, run_once};

/// Turns with a tool call before the answer.
const ROUNDS: usize = 9;

fn scripted() -> Arc<dyn Model> {
    Arc::new(ScriptedModel::answering(|request| {
        let answered = |message: &&Message| matches!(message, Message::Tool { .. });
        let done = request.messages.iter().filter(answered).count();
        if done == ROUNDS {
            return Ok(says("It is noon."));
        }
        let id = format!("call_{done}");
        Ok(calls(&[(id.as_str(), "get_time", "{\"tz\":\"UTC\"}")]))
    }))
}

fn bench(criterion: &mut Criterion, name: &str, store: Arc<dyn Store>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    let agent = Arc::new(agent());
    let ports = ports(store, scripted());
    let serial = AtomicUsize::new(0);
    criterion.bench_function(name, |bencher| {
        bencher.to_async(&runtime).iter(|| {
            let n = serial.fetch_add(1, Ordering::Relaxed);
            run_once(&ports, &agent, n)
        });
    });
}

fn loops(criterion: &mut Criterion) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = Arc::new(MemoryStore::new(clock.clone()));
    bench(criterion, "run of 10 model calls, in memory", store);
    let database = Database::in_memory().expect("SQLite");
    let store = Arc::new(SqliteStore::new(database, clock.clone()));
    bench(criterion, "run of 10 model calls, SQLite in memory", store);
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::open(&folder.path().join("bench.db")).expect("SQLite");
    let store = Arc::new(SqliteStore::new(database, clock));
    bench(criterion, "run of 10 model calls, SQLite on disk", store);
}

criterion_group!(benches, loops);
criterion_main!(benches);
