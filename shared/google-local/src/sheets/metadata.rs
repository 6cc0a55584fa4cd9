//! Developer metadata of a whole spreadsheet (<https://developers.google.com/workspace/sheets/api/guides/metadata>).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Spreadsheet;
use crate::error::ApiError;

/// Characters of all keys and values together.
const MOST_CHARACTERS: usize = 30_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    metadata_id: u32,
    metadata_key: String,
    metadata_value: String,
}

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
            "visibility": "PROJECT",
        })
    }

    fn characters(&self) -> usize {
        self.metadata_key.chars().count() + self.metadata_value.chars().count()
    }
}

impl Spreadsheet {
    pub(super) fn create_metadata(&mut self, new: Metadata) -> Result<Value, ApiError> {
        let id = new.metadata_id;
        if self.metadata.iter().any(|known| known.metadata_id == id) {
            let message = format!("Developer metadata with id {id} already exists");
            return Err(ApiError::invalid(message));
        }
        let resource = new.resource();
        self.metadata.push(new);
        let characters: usize = self.metadata.iter().map(Metadata::characters).sum();
        if characters > MOST_CHARACTERS {
            return Err(ApiError::invalid("Too much developer metadata"));
        }
        Ok(json!({"developerMetadata": resource}))
    }

    pub(super) fn delete_metadata(&mut self, filter: &DataFilter) -> Value {
        let id = filter.developer_metadata_lookup.metadata_id;
        let gone = self.metadata.extract_if(.., |one| one.metadata_id == id);
        let gone: Vec<Value> = gone.map(|one| one.resource()).collect();
        json!({"deletedDeveloperMetadata": gone})
    }
}
