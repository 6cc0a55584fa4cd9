//! Rows of the store with their versions.

use crate::Result;
use alfred_core::ports::{Commit, Key, Store, StoreError, SystemIds, Write};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::outbox::not_now;

/// How long the progress of a change is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A row and its version, which is 0 if there is none. `what` names the row in errors.
pub async fn stored<T: DeserializeOwned>(
    store: &dyn Store,
    key: &Key,
    what: &str,
) -> Result<(Option<T>, u64), StoreError> {
    let Some(item) = store.get(key).await? else {
        return Ok((None, 0));
    };
    let version = item.version;
    Ok((Some(item.decode(what)?), version))
}

pub fn body(row: &impl Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(row).map_err(|error| StoreError::Refused {
        reason: error.to_string(),
    })
}

/// The row that records the progress of a change under the digest of its idempotency key.
pub struct Progress<'a> {
    pub store: &'a dyn Store,
    pub key: Key,
    pub now: Timestamp,
}

impl Progress<'_> {
    pub async fn read<T: DeserializeOwned>(&self) -> Result<(Option<T>, u64)> {
        let read = stored(self.store, &self.key, "progress of a change").await;
        read.map_err(not_now)
    }

    /// `Conflict` if another process has changed the row since this version.
    pub async fn advance(&self, version: u64, row: &impl Serialize) -> Result<(), StoreError> {
        self.commit(Write::over(self.key.clone(), version, body(row)?))
            .await
    }

    /// Records that the change was made. A failure is only logged: the next look repairs the row.
    pub async fn finish(&self, row: &impl Serialize) {
        let written = match body(row) {
            Ok(body) => self.commit(Write::put(self.key.clone(), None, body)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::error!(%error, "a change that was made isn't written down as made");
        }
    }

    /// Records that the change wasn't made.
    pub async fn forget(&self) -> Result<(), StoreError> {
        self.commit(Write::delete(self.key.clone(), None)).await
    }

    async fn commit(&self, write: Write) -> Result<(), StoreError> {
        let commit = Commit::new(&SystemIds, vec![write.kept(self.now, KEPT)]);
        self.store.commit(&commit).await
    }
}
