//! What a change leaves in a spreadsheet, in the same batch: developer metadata that only this app sees
//! (<https://developers.google.com/workspace/sheets/api/guides/metadata>). A spreadsheet takes 30,000 characters of it,
//! so the stamps of the newest changes are kept.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Account, Cell, CellRange};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::book::Grid;
use crate::google::drive;

/// The keys of the metadata.
const CHANGED: &str = "alfred";
const CREATED: &str = "alfred.created";
/// Stamps that are kept, each of some 100 characters.
const KEPT: usize = 200;
/// Whoever asks for a change later than this has been told of it.
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

/// That a change was made, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stamp {
    key: String,
    at: Timestamp,
    /// The tab's id: people rename tabs.
    pub grid: u32,
    top: u32,
    left: u32,
    rows: u32,
    columns: u32,
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
    let filled = row.iter().rposition(|cell| !cell.is_empty());
    let row = &row[..filled.map_or(0, |last| last + 1)];
    let digest = sha256_hex(json!(row).to_string().as_bytes());
    digest.chars().take(8).collect()
}

impl Stamp {
    pub fn new(
        key: String,
        at: Timestamp,
        grid: u32,
        range: &CellRange,
        first_row: String,
    ) -> Self {
        Self {
            key,
            at,
            grid,
            top: range.top,
            left: range.left,
            rows: range.rows,
            columns: range.columns,
            first_row,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (key, at, grid, top, left, rows, columns, first_row) =
            serde_json::from_str(text).ok()?;
        let at = Timestamp::from_millisecond(at).ok()?;
        Some(Self {
            key,
            at,
            grid,
            top,
            left,
            rows,
            columns,
            first_row,
        })
    }

    fn text(&self) -> String {
        json!([
            self.key,
            self.at.as_millisecond(),
            self.grid,
            self.top,
            self.left,
            self.rows,
            self.columns,
            self.first_row
        ])
        .to_string()
    }

    /// The cells as they were written.
    pub fn range(&self, grid: &Grid) -> CellRange {
        grid.range((self.top, self.left), self.rows, self.columns)
    }
}

impl Stamps {
    pub fn read(all: Vec<Metadata>) -> Self {
        let mut stamps = Self::default();
        for entry in all {
            match (
                entry.metadata_key.as_str(),
                Stamp::read(&entry.metadata_value),
            ) {
                (CREATED, _) => stamps.created.push(entry.metadata_value),
                (CHANGED, Some(stamp)) => stamps.changes.push((entry.metadata_id, stamp)),
                (CHANGED, None) => {
                    tracing::warn!(id = entry.metadata_id, "a sheet's stamp can't be read");
                }
                _ => {}
            }
        }
        stamps.changes.sort_by_key(|(id, stamp)| (stamp.at, *id));
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
        let oldest = self.changes.first().filter(|_| self.changes.len() >= KEPT);
        oldest.is_some_and(|(_, stamp)| now.duration_since(stamp.at) < SETTLED)
    }

    /// The requests that leave a stamp of a change, and take the oldest ones out.
    pub fn add(&self, stamp: &Stamp) -> Vec<Value> {
        let over = (self.changes.len() + 1).saturating_sub(KEPT);
        let oldest = self.changes.iter().take(over).map(|(id, _)| id);
        let delete = |id: &u32| {
            let filter = json!({"developerMetadataLookup": {"metadataId": id}});
            json!({"deleteDeveloperMetadata": {"dataFilter": filter}})
        };
        let mut requests: Vec<Value> = oldest.map(delete).collect();
        requests.push(create(CHANGED, &stamp.key, &stamp.text()));
        requests
    }
}

/// The request that leaves a stamp of a creation.
pub(super) fn created(key: &str) -> Value {
    create(CREATED, key, key)
}

fn create(name: &str, key: &str, value: &str) -> Value {
    json!({"createDeveloperMetadata": {"developerMetadata": {
        "metadataId": id(key),
        "metadataKey": name,
        "metadataValue": value,
        "location": {"spreadsheet": true},
        "visibility": "PROJECT",
    }}})
}

/// Of two processes that make the same change one is refused, as there is one entry of an id.
fn id(key: &str) -> u32 {
    let start = key.get(..8).unwrap_or_default();
    let number = u32::from_str_radix(start, 16).unwrap_or_default();
    (number >> 1).max(1)
}
