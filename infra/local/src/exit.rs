//! Exit codes.

use alfred_workers::{FolderError, Problem};
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    /// For an approval.
    Waiting = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<&anyhow::Error> for Exit {
    fn from(error: &anyhow::Error) -> Self {
        if error.chain().any(|cause| cause.is::<Usage>()) {
            Self::Usage
        } else {
            Self::Failed
        }
    }
}

/// An error with a line for each problem of worker files, if there are any.
pub fn none_of(problems: Vec<Problem>) -> anyhow::Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(Usage::error(FolderError::Wrong(problems)))
}

/// An error in the command line or a setting.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(String);

impl Usage {
    pub fn error(words: impl std::fmt::Display) -> anyhow::Error {
        Self(words.to_string()).into()
    }
}
