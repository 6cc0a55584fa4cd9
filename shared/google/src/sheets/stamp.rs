//! The record of a change, written in the same batch as developer metadata that only this app sees
//! (<https://developers.google.com/workspace/sheets/api/guides/metadata>). A spreadsheet holds 30,000
//! characters of metadata, so only the newest stamps are kept.

use alfred_core::ports::Account;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

/// Metadata keys.
const CHANGED: &str = "alfred";
const CREATED: &str = "alfred.created";
/// Stamps that are kept, about 100 characters each.
const KEPT: usize = 200;
/// No retry asks for a change that is older than this.
const SETTLED: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    metadata_id: u32,
    metadata_key: String,
    #[serde(default)]
    metadata_value: String,
}

/// Where a change was made. Serialised as a list, in this field order.
#[derive(Debug, Deserialize)]
pub(super) struct Stamp {
    pub key: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The tab's id, since tabs can be renamed.
    pub grid: u32,
    /// Top, left, rows, columns.
    pub cells: [u32; 4],
}

/// The keys of earlier changes of a spreadsheet.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    created: Vec<String>,
    /// With metadata ids, oldest first.
    changes: Vec<(u32, Stamp)>,
}

/// The stored form of a key.
pub(super) fn key(account: &Account, key: &str) -> String {
    alfred_mime::digest(account, key).chars().take(32).collect()
}

impl Stamps {
    pub fn read(all: Vec<Metadata>) -> Self {
        let mut stamps = Self::default();
        for entry in all {
            match entry.metadata_key.as_str() {
                CREATED => stamps.created.push(entry.metadata_value),
                CHANGED => match serde_json::from_str(&entry.metadata_value) {
                    Ok(stamp) => stamps.changes.push((entry.metadata_id, stamp)),
                    Err(error) => tracing::warn!(%error, "a sheet's stamp can't be read"),
                },
                _ => {}
            }
        }
        stamps.changes.sort_by_key(|(_, stamp)| stamp.at);
        stamps
    }

    pub fn is_created(&self, key: &str) -> bool {
        self.created.iter().any(|known| known == key)
    }

    pub fn change(&self, key: &str) -> Option<&Stamp> {
        let mut changes = self.changes.iter().map(|(_, stamp)| stamp);
        changes.find(|stamp| stamp.key == key)
    }

    /// Whether the stamp of a recent change may have been dropped.
    pub fn may_be_forgotten(&self, now: Timestamp) -> bool {
        let settled = now.saturating_sub(SETTLED).unwrap_or(now).as_millisecond();
        let oldest = self.changes.first().filter(|_| self.changes.len() >= KEPT);
        oldest.is_some_and(|(_, stamp)| stamp.at > settled)
    }

    /// The requests that add a stamp and delete the oldest ones.
    pub fn add(&self, stamp: &Stamp) -> Vec<Value> {
        let over = (self.changes.len() + 1).saturating_sub(KEPT);
        let delete = |(id, _): &(u32, Stamp)| {
            let filter = json!({"developerMetadataLookup": {"metadataId": id}});
            json!({"deleteDeveloperMetadata": {"dataFilter": filter}})
        };
        let mut requests: Vec<Value> = self.changes.iter().take(over).map(delete).collect();
        let Stamp {
            key,
            at,
            grid,
            cells,
        } = stamp;
        let value = json!([key, at, grid, cells]).to_string();
        requests.push(create(CHANGED, key, &value));
        requests
    }
}

pub(super) fn created(key: &str) -> Value {
    create(CREATED, key, key)
}

/// The metadata id is derived from the key, so of two identical changes Google refuses one.
fn create(name: &str, key: &str, value: &str) -> Value {
    let start = key.get(..8).unwrap_or_default();
    let number = u32::from_str_radix(start, 16).unwrap_or_default();
    json!({"createDeveloperMetadata": {"developerMetadata": {
        "metadataId": (number >> 1).max(1),
        "metadataKey": name,
        "metadataValue": value,
        "location": {"spreadsheet": true},
        "visibility": "PROJECT",
    }}})
}
