#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod conformance;
mod consume;
mod damage;
mod files;
mod folders;
mod forget;
mod kill;
mod model;
mod queue;
mod sweep;
mod vault;

use alfred_core::ports::{Commit, Store, StoreError, SystemIds, Write};

/// Commits under a new id.
async fn commit(store: &dyn Store, writes: Vec<Write>) -> Result<(), StoreError> {
    store.commit(&Commit::new(&SystemIds, writes)).await
}
