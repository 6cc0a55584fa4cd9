//! Developer metadata of a whole spreadsheet (<https://developers.google.com/workspace/sheets/api/guides/metadata>).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Spreadsheet;
use crate::error::ApiError;

/// Characters of all keys and values together.
const MOST_CHARACTERS: usize = 30_000;

/// An entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Metadata {
    metadata_id: u32,
    metadata_key: String,
    #[serde(default)]
    metadata_value: String,
    location: Location,
    visibility: Visibility,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Location {
    spreadsheet: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Visibility {
    Document,
    Project,
}

/// Which entries, by id.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DataFilter {
    developer_metadata_lookup: Lookup,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Lookup {
    metadata_id: u32,
}

impl Metadata {
    pub fn resource(&self) -> Value {
        json!({
            "metadataId": self.metadata_id,
            "metadataKey": self.metadata_key,
            "metadataValue": self.metadata_value,
            "location": {"locationType": "SPREADSHEET", "spreadsheet": true},
            "visibility": self.visibility,
        })
    }

    fn characters(&self) -> usize {
        self.metadata_key.chars().count() + self.metadata_value.chars().count()
    }
}

impl Spreadsheet {
    pub(super) fn create_metadata(&mut self, new: Metadata) -> Result<Value, ApiError> {
        let id = new.metadata_id;
        if id == 0 || new.metadata_key.is_empty() || !new.location.spreadsheet {
            return Err(ApiError::invalid("Invalid developer metadata"));
        }
        if self.metadata.iter().any(|known| known.metadata_id == id) {
            return Err(ApiError::invalid(format!(
                "Developer metadata with id {id} already exists"
            )));
        }
        let resource = new.resource();
        self.metadata.push(new);
        let characters: usize = self.metadata.iter().map(Metadata::characters).sum();
        match characters {
            0..=MOST_CHARACTERS => Ok(json!({"developerMetadata": resource})),
            _ => Err(ApiError::invalid("Too much developer metadata")),
        }
    }

    pub(super) fn delete_metadata(&mut self, filter: &DataFilter) -> Value {
        let id = filter.developer_metadata_lookup.metadata_id;
        let (gone, left) = self
            .metadata
            .drain(..)
            .partition(|one| one.metadata_id == id);
        self.metadata = left;
        let gone: Vec<Metadata> = gone;
        let gone: Vec<Value> = gone.iter().map(Metadata::resource).collect();
        json!({"deletedDeveloperMetadata": gone})
    }
}
