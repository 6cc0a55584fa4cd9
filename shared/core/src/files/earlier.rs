//! What takes the change of a file back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::digest::sha256_hex;
use crate::ports::{FileBody, Files, FilesError, VirtualPath};

/// The tool that puts an earlier file back. Only an undo calls it, with what the change left.
pub const RESTORE: &str = "filesystem_restoreFile";

/// A file as it was before it was changed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlierFile {
    /// The folder of the machine in which it is; none among those that are stored.
    pub folder: Option<String>,
    /// Its path there.
    #[schemars(with = "String")]
    pub path: VirtualPath,
    /// Its text; none where there was no file.
    pub text: Option<String>,
    /// Whether its words may be others'.
    pub tainted: bool,
}

/// What a change leaves, as an undo compares it.
pub fn left(now: Option<&[u8]>) -> Value {
    json!({ "digest": now.map(sha256_hex) })
}

/// A file that may not be there.
///
/// # Errors
/// As [`Files::read`], but for `NotFound`.
pub async fn if_there(
    files: &dyn Files,
    path: &VirtualPath,
) -> Result<Option<FileBody>, FilesError> {
    match files.read(path).await {
        Ok(body) => Ok(Some(body)),
        Err(FilesError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
