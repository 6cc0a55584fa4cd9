//! Files attached to a request, as stored with a run.

use alfred_core::{ApprovalId, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum bytes of all files of a request, whatever the worker file says.
pub const MOST_BYTES: u64 = 10_000_000;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachmentPolicy {
    pub max_attachments: usize,
    pub max_total_bytes: u64,
    /// Allowed file name endings; `None` allows all.
    pub allowed_suffixes: Option<Vec<String>>,
    pub denied_suffixes: Vec<String>,
}

impl Default for AttachmentPolicy {
    fn default() -> Self {
        Self {
            max_attachments: 4,
            max_total_bytes: MOST_BYTES,
            allowed_suffixes: None,
            denied_suffixes: Vec::new(),
        }
    }
}

impl AttachmentPolicy {
    pub(crate) fn takes(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let is_one =
            |list: &Vec<String>| list.iter().any(|end| name.ends_with(&end.to_lowercase()));
        !is_one(&self.denied_suffixes) && self.allowed_suffixes.as_ref().is_none_or(is_one)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    pub name: String,
    /// Detected from the content, else as claimed. Empty if it couldn't be read.
    pub media_type: String,
    /// SHA-256 of the content; `None` if it couldn't be read.
    pub digest: Option<String>,
    pub problem: Option<String>,
    /// From a worker's program, whose files people in the conversation may not have seen.
    pub handed_on: bool,
}

impl Attached {
    pub fn opened(&self) -> Option<&String> {
        self.digest.as_ref().filter(|_| self.problem.is_none())
    }
}

pub type Opened = BTreeMap<String, Arc<str>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pub run: RunId,
    /// Including files that couldn't be read.
    pub files: Vec<Attached>,
    /// The runs of earlier requests in the conversation, newest first.
    pub earlier: Vec<RunId>,
    /// What waited for a decision when the request came.
    pub waiting: Vec<ApprovalId>,
}
