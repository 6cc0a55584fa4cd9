//! Restores files to their state before a change, for undo.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::digest::sha256_hex;
use crate::ports::{FileBody, Files, FilesError, VirtualPath};

/// The tool that restores an earlier file. Only undo calls it.
pub const RESTORE: &str = "filesystem_restoreFile";

/// A file as it was before it was changed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlierFile {
    /// The folder on the machine. `None` for a file in the store.
    pub folder: Option<String>,
    /// The path in that folder or in the store.
    #[schemars(with = "String")]
    pub path: VirtualPath,
    /// The earlier text. `None` if the file did not exist.
    pub text: Option<String>,
    /// Whether other people may have written the text.
    pub tainted: bool,
}

/// The state after a change, for undo to compare.
pub fn left(now: Option<&[u8]>) -> Value {
    json!({ "digest": now.map(sha256_hex) })
}

/// Reads a file; `None` if it doesn't exist. Fails like [`Files::read`], except `NotFound`.
pub async fn if_there(files: &dyn Files, at: &VirtualPath) -> Result<Option<FileBody>, FilesError> {
    match files.read(at).await {
        Ok(body) => Ok(Some(body)),
        Err(FilesError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
