use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::{Failure, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program's files, stored beside a run, so that a release doesn't change them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub name: String,
    pub settings: Option<Source>,
    pub workers: Vec<Source>,
    /// `provider:model` by the worker's name.
    pub models: BTreeMap<String, String>,
    pub beside: Vec<Source>,
    /// `None` if its files are in its owner's storage.
    pub folder: Option<Folder>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    pub root: String,
    pub readonly: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Snapshot {
    /// From worker files as path and text.
    pub fn of<'a>(name: &str, workers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let source = |(path, text): (&str, &str)| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        Self {
            name: name.to_owned(),
            workers: workers.into_iter().map(source).collect(),
            ..Self::default()
        }
    }

    pub fn digest(&self) -> Result<String> {
        let text = canonical_json(self).map_err(Failure::bug)?;
        Ok(sha256_hex(text.as_bytes()))
    }
}
