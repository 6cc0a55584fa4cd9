//! The record of a change, written in the same batch as developer metadata that only this app sees
//! (<https://developers.google.com/workspace/sheets/api/guides/metadata>). A spreadsheet holds 30,000
//! characters of metadata, so only the newest stamps are kept.

use alfred_core::ports::Account;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Result, check_stamps};

/// Metadata key of a stamp.
const NAME: &str = "alfred";
/// Stamps that are kept, about 120 characters each.
const KEPT: usize = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    metadata_id: u32,
    metadata_key: String,
    #[serde(default)]
    metadata_value: String,
}

/// Where a change was made.
#[derive(Serialize, Deserialize)]
pub(super) struct Stamp {
    pub key: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The tab's id, since tabs can be renamed.
    pub grid: u32,
    /// Top, left, rows, columns.
    pub cells: [u32; 4],
}

/// The stamps of earlier changes of a spreadsheet with their metadata ids, oldest first.
pub(super) struct Stamps(Vec<(u32, Stamp)>);

/// The stored form of a key.
pub(super) fn key(account: &Account, key: &str) -> String {
    alfred_mime::digest(account, key).chars().take(32).collect()
}

impl Stamps {
    pub fn read(all: Vec<Metadata>) -> Self {
        let mut stamps = Vec::new();
        for entry in all.into_iter().filter(|entry| entry.metadata_key == NAME) {
            match serde_json::from_str::<Stamp>(&entry.metadata_value) {
                Ok(stamp) => stamps.push((entry.metadata_id, stamp)),
                Err(error) => tracing::warn!(%error, "a sheet's stamp can't be read"),
            }
        }
        stamps.sort_by_key(|(_, stamp)| stamp.at);
        Self(stamps)
    }

    pub fn of(&self, key: &str) -> Option<&Stamp> {
        let mut stamps = self.0.iter().map(|(_, stamp)| stamp);
        stamps.find(|stamp| stamp.key == key)
    }

    /// `Unknown` if the stamp of a recent change may have been dropped.
    pub fn check(&self, now: Timestamp) -> Result<()> {
        let oldest = self.0.first().filter(|_| self.0.len() >= KEPT);
        check_stamps(oldest.map(|(_, stamp)| stamp.at), now)
    }

    /// The requests that add a stamp and delete the oldest ones. The metadata id is derived from the key, so of
    /// two identical changes Google refuses one.
    pub fn add(&self, stamp: &Stamp) -> Vec<Value> {
        let over = (self.0.len() + 1).saturating_sub(KEPT);
        let delete = |(id, _): &(u32, Stamp)| {
            let filter = json!({"developerMetadataLookup": {"metadataId": id}});
            json!({"deleteDeveloperMetadata": {"dataFilter": filter}})
        };
        let mut requests: Vec<Value> = self.0.iter().take(over).map(delete).collect();
        let start = stamp.key.get(..8).unwrap_or_default();
        let number = u32::from_str_radix(start, 16).unwrap_or_default();
        requests.push(json!({"createDeveloperMetadata": {"developerMetadata": {
            "metadataId": (number >> 1).max(1),
            "metadataKey": NAME,
            "metadataValue": json!(stamp).to_string(),
            "location": {"spreadsheet": true},
            "visibility": "PROJECT",
        }}}));
        requests
    }
}
