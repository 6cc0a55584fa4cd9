//! Rows of files that are being made. Drive's search may not show a new file at once, so a row is written
//! before the call, and gets the file's id after it.

use alfred_accounts::Progress;
use alfred_accounts::drafts::in_flight;
use alfred_core::keys;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::drive::Drive;

#[derive(Serialize, Deserialize)]
pub(super) struct Making {
    pub tried: Timestamp,
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
    /// The row of a key's digest.
    pub(super) fn making(&self, digest: &str) -> Progress<'_> {
        Progress {
            store: &*self.google.store,
            key: keys::file_made(self.account, digest),
            now: self.google.clock.now(),
        }
    }
}
