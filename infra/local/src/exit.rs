//! Exit codes.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Usage,
    /// For an approval.
    Waiting,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Waiting => 3,
        })
    }
}

impl From<&anyhow::Error> for Exit {
    fn from(error: &anyhow::Error) -> Self {
        match error.chain().any(|cause| cause.is::<Usage>()) {
            true => Self::Usage,
            false => Self::Failed,
        }
    }
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
