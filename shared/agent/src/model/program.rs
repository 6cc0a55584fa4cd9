//! The files of a program, as stored with a run.

use alfred_core::Failure;
use alfred_core::digest::{canonical_json, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program's files when a run began, so that the run continues with the same texts under any
/// release. Stored in a row beside the run's and deleted with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The program's name. Policies name its workers `NAME/WORKER`.
    pub name: String,
    /// The program's settings file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Source>,
    /// Its worker files. The run starts with the first.
    pub workers: Vec<Source>,
    /// The model of a worker (`provider:model`) by the worker's name, from the command line or the
    /// settings when the run began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Other files that its workers refer to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Source>,
    /// The folder of a program on disk. `None` if its files are in its owner's storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Folder>,
}

/// The folder of a program on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    pub root: String,
    /// Whether the program may only read it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file's path, for error messages.
    pub path: String,
    pub text: String,
}

impl Snapshot {
    /// A snapshot of worker files given as path and text. The run starts with the first.
    pub fn of<'a>(name: &str, workers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let source = |(path, text): (&str, &str)| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        Self {
            name: name.to_owned(),
            settings: None,
            workers: workers.into_iter().map(source).collect(),
            models: BTreeMap::new(),
            beside: Vec::new(),
            folder: None,
        }
    }

    pub fn digest(&self) -> Result<String, Failure> {
        let text = canonical_json(self).map_err(Failure::bug)?;
        Ok(sha256_hex(text.as_bytes()))
    }
}
