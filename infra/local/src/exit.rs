//! How the process ends.

use std::process::ExitCode;

use crate::owner::NoAnswer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: failed.
    Failed,
    /// 2: used wrongly.
    Usage,
    /// 3: waits for an approval.
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

/// The command line, or a setting, is at fault: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

impl Usage {
    /// An error that says so.
    pub fn error(words: impl std::fmt::Display) -> anyhow::Error {
        Self(words.to_string()).into()
    }
}

/// How an error ends the process.
pub fn of(error: &anyhow::Error) -> Exit {
    let at_fault = |cause: &(dyn std::error::Error + 'static)| {
        let told = cause.downcast_ref::<NoAnswer>();
        cause.is::<Usage>() || matches!(told, Some(NoAnswer::Usage(_)))
    };
    if error.chain().any(at_fault) {
        Exit::Usage
    } else {
        Exit::Failed
    }
}
