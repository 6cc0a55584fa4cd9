//! Why there is no program in a folder.

use std::io;
use std::path::Path;
use thiserror::Error;

use crate::level::{MOST_ENTRIES, MOST_WORKERS};
use crate::problem::Problem;

/// Why there is no program.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file or folder can't be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// Files aren't what they should be.
    #[error("{}", lines(.0))]
    Wrong(Vec<Problem>),
    /// Two workers of one level have one name.
    #[error("{second}: there is a worker \"{name}\" already, in {first}")]
    Twice {
        /// The name.
        name: String,
        /// Where it was first.
        first: String,
        /// Where it is again.
        second: String,
    },
    /// There is too much to look through.
    #[error(
        "{path}: more than {MOST_WORKERS} worker files, or {MOST_ENTRIES} files in all; name their folders in workerPaths of an alfred.yaml"
    )]
    TooMany {
        /// Below which folder.
        path: String,
    },
    /// A module isn't a file of the program.
    #[error("{path}: module \"{module}\": {reason}")]
    Module {
        /// The worker file that names it.
        path: String,
        /// As it names it.
        module: String,
        /// What is wrong.
        reason: String,
    },
    /// Nobody has the name.
    #[error("there is no worker \"{name}\" in {path}; there are: {valid}")]
    NoWorker {
        /// The name.
        name: String,
        /// Where it was looked for.
        path: String,
        /// Who is there.
        valid: String,
    },
    /// No folder is this skill's.
    #[error(
        "there is no skill \"{name}\" in skills, .skills or .claude/skills of {path}, nor in your own"
    )]
    NoSkill {
        /// The name.
        name: String,
        /// Where it was looked for.
        path: String,
    },
    /// A skill has two folders in one program.
    #[error("{second}: there is a skill \"{name}\" already, in {first}")]
    TwiceSkill {
        /// The name.
        name: String,
        /// Where it was first.
        first: String,
        /// Where it is again.
        second: String,
    },
    /// A skill has too much in it.
    #[error("{path}: a skill has 100 files and 256 KB of text at most")]
    LargeSkill {
        /// Its folder.
        path: String,
    },
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// A file or folder that can't be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> FolderError {
    FolderError::Unreadable {
        path: path.display().to_string(),
        error,
    }
}
