//! What a change leaves in a spreadsheet, in the same batch: developer metadata that only this app sees
//! (<https://developers.google.com/workspace/sheets/api/guides/metadata>). A spreadsheet takes 30,000 characters of it,
//! so the stamps of the newest changes are kept.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Account, Cell};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::google::drive;

/// The keys of the metadata.
const CHANGED: &str = "alfred";
const CREATED: &str = "alfred.created";
/// Stamps that are kept, each of some 100 characters.
const KEPT: usize = 200;
/// Nobody asks later than this whether a change was made.
const SETTLED: SignedDuration = SignedDuration::from_hours(24);

/// An entry as Google gives it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    metadata_id: u32,
    metadata_key: String,
    #[serde(default)]
    metadata_value: String,
}

/// That a change was made, and where. Kept as a list, in this order.
#[derive(Debug, Deserialize)]
pub(super) struct Stamp {
    pub key: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The tab's id: people rename tabs.
    pub grid: u32,
    /// Top, left, rows, columns.
    pub cells: [u32; 4],
    /// By which appended rows are recognised, should others have appended before them; empty for other changes.
    pub first_row: String,
}

/// What was done to a spreadsheet under which keys.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    created: Vec<String>,
    /// With their ids, the oldest first.
    changes: Vec<(u32, Stamp)>,
}

/// How a key is kept.
pub(super) fn key(account: &Account, key: &str) -> String {
    drive::stamp(account, key).chars().take(32).collect()
}

/// How a row is recognised.
pub(super) fn row_digest(row: &[Cell]) -> String {
    let row = &row[..filled(row)];
    let digest = sha256_hex(json!(row).to_string().as_bytes());
    digest.chars().take(8).collect()
}

/// Cells up to the last one that holds something.
pub(super) fn filled(row: &[Cell]) -> usize {
    let last = row.iter().rposition(|cell| !cell.is_empty());
    last.map_or(0, |last| last + 1)
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

    /// Whether a change that somebody still asks for may have lost its stamp.
    pub fn may_be_forgotten(&self, now: Timestamp) -> bool {
        let settled = now.saturating_sub(SETTLED).unwrap_or(now).as_millisecond();
        let oldest = self.changes.first().filter(|_| self.changes.len() >= KEPT);
        oldest.is_some_and(|(_, stamp)| stamp.at > settled)
    }

    /// The requests that leave a stamp of a change, and take the oldest ones out.
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
            first_row,
        } = stamp;
        let value = json!([key, at, grid, cells, first_row]).to_string();
        requests.push(create(CHANGED, key, &value));
        requests
    }
}

/// The request that leaves a stamp of a creation.
pub(super) fn created(key: &str) -> Value {
    create(CREATED, key, key)
}

/// Of two processes that make the same change one is refused, as there is one entry of an id.
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
