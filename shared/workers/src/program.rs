//! The program file beside worker files (annex 3). No setting of it works yet, and none is ignored.

use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::file::FileError;

const NAMES: [&str; 2] = ["alfred.yaml", "golem-forge.config.yaml"];

/// Looks for a program file in a worker file's folder and those above it.
///
/// # Errors
/// When the nearest one can't be read, or sets anything.
pub fn check_program(worker: &Path) -> Result<(), FileError> {
    let wrong = |path: &Path, detail: String| FileError::Yaml {
        path: path.display().to_string(),
        detail,
    };
    let worker = std::path::absolute(worker).map_err(|error| wrong(worker, error.to_string()))?;
    let folders = worker.ancestors().skip(1);
    let mut files = folders.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    let Some(file) = files.find(|file: &PathBuf| file.is_file()) else {
        return Ok(());
    };
    let text = std::fs::read_to_string(&file).map_err(|error| wrong(&file, error.to_string()))?;
    let fields: Option<BTreeMap<String, IgnoredAny>> =
        serde_saphyr::from_str(&text).map_err(|error| wrong(&file, error.to_string()))?;
    match fields.unwrap_or_default().into_keys().next() {
        Some(field) => Err(wrong(
            &file,
            format!("{field}: settings of a program file don't work yet; take it out"),
        )),
        None => Ok(()),
    }
}
