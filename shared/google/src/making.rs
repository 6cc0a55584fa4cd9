//! Rows of files that are being made. Drive's search may not show a new file at once, so a row is written
//! before the call, and gets the file's id after it.

use alfred_core::keys;
use alfred_core::ports::{Commit, SystemIds, Write};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drive::Drive;
use crate::Result;
use alfred_accounts::drafts::in_flight;
use alfred_accounts::outbox::not_now;
use alfred_accounts::stored;

/// How long rows are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

#[derive(Serialize, Deserialize)]
pub(super) struct Making {
    tried: Timestamp,
    /// The file, if it was certainly made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Making {
    /// Whether the file may exist although the search doesn't show it.
    pub fn is_hidden(&self, now: Timestamp) -> bool {
        in_flight(self.tried, now)
    }
}

impl Drive<'_> {
    /// The row of a key's digest, and its version.
    pub(super) async fn making(&self, digest: &str) -> Result<(Option<Making>, u64)> {
        let key = keys::file_made(self.account, digest);
        let row = stored(&*self.google.store, &key, "file being made").await;
        row.map_err(not_now)
    }

    /// Records an attempt. `NotReached` if another process works on the same key.
    pub(super) async fn try_making(&self, digest: &str, version: u64) -> Result<()> {
        let key = keys::file_made(self.account, digest);
        let row = self.row(None)?;
        self.keep_row(Write::over(key, version, row)).await
    }

    /// Records the file that was made, or deletes the row if none was. If that fails, the next look relies on
    /// the search.
    pub(super) async fn made(&self, digest: &str, id: Option<&str>) {
        let key = keys::file_made(self.account, digest);
        let write = match id {
            None => Ok(Write::delete(key, None)),
            Some(id) => self.row(Some(id)).map(|row| Write::put(key, None, row)),
        };
        let written = match write {
            Ok(write) => self.keep_row(write).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the outcome of making a file isn't written down");
        }
    }

    fn row(&self, id: Option<&str>) -> Result<Value> {
        let row = Making {
            tried: self.google.clock.now(),
            id: id.map(str::to_owned),
        };
        serde_json::to_value(row).map_err(not_now)
    }

    async fn keep_row(&self, write: Write) -> Result<()> {
        let write = write.kept(self.google.clock.now(), KEPT);
        let commit = Commit::new(&SystemIds, vec![write]);
        self.google.store.commit(&commit).await.map_err(not_now)
    }
}
