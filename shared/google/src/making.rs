//! Rows of files that are being made. Drive's search may not show a new file at once, so a row is written
//! before the call, and gets the file's id after it.

use alfred_core::keys;
use alfred_core::ports::{Account, Commit, SystemIds, Write};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Google;
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

impl Google {
    /// The row of a key's digest, and its version.
    pub(super) async fn making(
        &self,
        account: &Account,
        digest: &str,
    ) -> Result<(Option<Making>, u64)> {
        let key = keys::file_made(account, digest);
        let row = stored(&*self.store, &key, "file being made").await;
        row.map_err(not_now)
    }

    /// Records an attempt. `NotReached` if another process works on the same key.
    pub(super) async fn try_making(
        &self,
        account: &Account,
        digest: &str,
        version: u64,
    ) -> Result<()> {
        let row = Making {
            tried: self.clock.now(),
            id: None,
        };
        let body = serde_json::to_value(row).map_err(not_now)?;
        let key = keys::file_made(account, digest);
        self.keep_row(Write::over(key, version, body)).await
    }

    /// Records the file that was made, or deletes the row if none was. If that fails, the next look relies on
    /// the search.
    pub(super) async fn made(&self, account: &Account, digest: &str, id: Option<&str>) {
        let key = keys::file_made(account, digest);
        let row = id.map(|id| Making {
            tried: self.clock.now(),
            id: Some(id.to_owned()),
        });
        let written = match row.map(serde_json::to_value) {
            None => self.keep_row(Write::delete(key, None)).await,
            Some(Ok(body)) => self.keep_row(Write::put(key, None, body)).await,
            Some(Err(error)) => Err(not_now(error)),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the outcome of making a file isn't written down");
        }
    }

    async fn keep_row(&self, write: Write) -> Result<()> {
        let write = write.kept(self.clock.now(), KEPT);
        let commit = Commit::new(&SystemIds, vec![write]);
        self.store.commit(&commit).await.map_err(not_now)
    }
}
