//! Errors of finding a program.

use std::io;
use std::path::Path;
use thiserror::Error;

use crate::problem::Problem;

pub(crate) type Result<T, E = FolderError> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum FolderError {
    #[error("{path}: {error}")]
    Unreadable { path: String, error: io::Error },
    #[error("{}", lines(.0))]
    Wrong(Vec<Problem>),
    #[error("there is no {0}")]
    Missing(String),
}

impl FolderError {
    /// Whether a file or folder is unreadable for this reason.
    pub(crate) fn is(&self, kind: io::ErrorKind) -> bool {
        matches!(self, Self::Unreadable { error, .. } if error.kind() == kind)
    }

    pub(crate) fn problems(self) -> Vec<Problem> {
        match self {
            Self::Unreadable { path, error } => vec![Problem::of_whole(path, error.to_string())],
            Self::Wrong(problems) => problems,
            Self::Missing(_) => vec![Problem::of_whole(String::new(), self.to_string())],
        }
    }
}

fn lines(problems: &[Problem]) -> String {
    let lines = problems.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn unreadable(path: &Path, error: io::Error) -> FolderError {
    FolderError::Unreadable {
        path: path.display().to_string(),
        error,
    }
}

/// The error for a file or folder that can be read, but not used.
pub(crate) fn unusable(path: impl ToString, words: impl ToString) -> FolderError {
    FolderError::Wrong(vec![Problem::of_whole(path.to_string(), words.to_string())])
}
