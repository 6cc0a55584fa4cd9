//! Runs the agent loop as a program that can be compared with other frameworks: `BENCH_RUNS` runs in a row
//! against `OPENAI_BASE_URL` with model `BENCH_MODEL`. `BENCH_DATA` puts the journal into SQLite in that folder.

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

mod loop_world;

use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{Clock, Store, SystemClock};
use alfred_embedded::{Database, SqliteStore};
use alfred_models::{Fallbacks, Selection};
use alfred_testkit::MemoryStore;
use std::sync::Arc;

use loop_world::{agent, ports, run_once};

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // `cargo bench` also runs this program, without its settings.
    let (Some(runs), Some(model)) = (variable("BENCH_RUNS"), variable("BENCH_MODEL")) else {
        println!("set BENCH_RUNS, BENCH_MODEL, OPENAI_BASE_URL and OPENAI_API_KEY to run this");
        return;
    };
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("no other provider");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let named = |name: &str| match name {
        ALFRED_MODEL => Some(format!("openai:{model}")),
        other => variable(other),
    };
    let Ok(Selection::Endpoints(endpoints)) = Selection::read(named) else {
        panic!("OPENAI_BASE_URL and OPENAI_API_KEY name no model");
    };
    let model = Arc::new(Fallbacks::new(endpoints, None, clock.clone()).expect("a model"));
    let store: Arc<dyn Store> = match variable("BENCH_DATA") {
        Some(folder) => {
            let path = std::path::Path::new(&folder).join(format!("{}.db", std::process::id()));
            let database = Database::open(&path).expect("SQLite");
            Arc::new(SqliteStore::new(database, clock))
        }
        None => Arc::new(MemoryStore::new(clock)),
    };
    let (ports, agent) = (ports(store, model), Arc::new(agent()));
    let runs: usize = runs.parse().expect("BENCH_RUNS is a number");
    for n in 0..runs {
        run_once(&ports, &agent, n).await;
    }
    println!("done {runs}");
}
