//! Errors of finding a program.

use std::io;
use std::path::Path;
use thiserror::Error;

use crate::level::{MOST_ENTRIES, MOST_WORKERS};
use crate::problem::Problem;

#[derive(Debug, Error)]
pub enum FolderError {
    #[error("{path}: {error}")]
    Unreadable { path: String, error: io::Error },
    #[error("{}", lines(.0))]
    Wrong(Vec<Problem>),
    #[error("{second}: there is a worker \"{name}\" already, in {first}")]
    Twice {
        name: String,
        first: String,
        second: String,
    },
    #[error(
        "{path}: more than {MOST_WORKERS} worker files, or {MOST_ENTRIES} files in all; name their folders in workerPaths of an alfred.yaml"
    )]
    TooMany { path: String },
    /// A module isn't a file of the program.
    #[error("{path}: module \"{module}\": {reason}")]
    Module {
        /// The worker file that names it.
        path: String,
        module: String,
        reason: String,
    },
    #[error("there is no worker \"{name}\" in {path}; there are: {valid}")]
    NoWorker {
        name: String,
        path: String,
        valid: String,
    },
    #[error(
        "there is no skill \"{name}\" in skills, .skills or .claude/skills of {path}, nor in your own"
    )]
    NoSkill { name: String, path: String },
    #[error("{second}: there is a skill \"{name}\" already, in {first}")]
    TwiceSkill {
        name: String,
        first: String,
        second: String,
    },
    #[error("{path}: a skill has 100 files and 256 KB of text at most")]
    LargeSkill { path: String },
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
