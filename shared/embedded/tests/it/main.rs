#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod bodies;
mod conformance;
mod consume;
mod damage;
mod files;
mod folders;
mod forget;
mod kill;
mod model;
mod queue;

use alfred_core::ports::{Commit, SPILL_BYTES, Spilling, Store, StoreError, SystemIds, Write};
use alfred_embedded::{DataFolder, SqliteBlobs, SqliteQueue, SqliteStore};
use alfred_testkit::ManualClock;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The ports of an open data folder.
struct World {
    clock: ManualClock,
    sqlite: SqliteStore,
    store: Spilling<SqliteStore, SqliteBlobs>,
    queue: SqliteQueue,
    folder: DataFolder,
}

impl World {
    fn open(path: &Path) -> Self {
        let folder = DataFolder::open(path).unwrap();
        let (database, clock) = (folder.database().unwrap(), ManualClock::default());
        let shared = Arc::new(clock.clone());
        let sqlite = SqliteStore::new(database.clone(), shared.clone());
        Self {
            clock,
            store: Spilling::new(sqlite.clone(), sqlite.blobs()),
            sqlite,
            queue: SqliteQueue::new(database, shared, 5),
            folder,
        }
    }
}

/// The body of an item that is stored as a blob.
fn large(c: &str) -> Value {
    json!({ "text": c.repeat(SPILL_BYTES) })
}

/// Commits under a new id.
async fn commit(store: &dyn Store, writes: Vec<Write>) -> Result<(), StoreError> {
    store.commit(&Commit::new(&SystemIds, writes)).await
}
