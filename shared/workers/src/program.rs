//! The program file next to worker files.

use alfred_agent::model::{Folder, Snapshot};
use alfred_agent::tool::program::MAX_DEPTH;
use alfred_core::policy::Mode;
use alfred_core::ports::{FilesError, VirtualPath};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::file::FileError;
use crate::models;

/// Names of the program file.
pub const NAMES: [&str; 2] = ["alfred.yaml", "golem-forge.config.yaml"];

/// Default folders of worker files, relative to the program.
const PATHS: [&str; 2] = ["workers", ".workers"];

/// The program file's settings. Unknown fields are errors.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The model of workers, if neither their file nor the environment names one.
    pub(crate) model: Option<String>,
    delegation: Delegation,
    sandbox: Sandbox,
    approval: Approval,
    worker_paths: Option<Vec<String>>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Delegation {
    max_depth: Option<usize>,
}

/// Location and access of the program's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Sandbox {
    root: Option<String>,
    readonly: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Approval {
    mode: Mode,
}

impl Settings {
    /// Parses a program file. An error for invalid or unknown settings.
    pub fn parse(path: &str, text: &str) -> Result<Self, FileError> {
        Self::read(text).map_err(FileError::of(path))
    }

    fn read(text: &str) -> Result<Self, String> {
        let settings = serde_saphyr::from_str::<Option<Self>>(text);
        let settings = settings.map_err(|error| error.to_string())?;
        let settings = settings.unwrap_or_default();
        if settings.delegation.max_depth == Some(0) {
            return Err("delegation.maxDepth: must be at least 1".into());
        }
        let below = settings.below();
        below.map_err(|error| format!("sandbox.root: {error}"))?;
        let model = settings.model.as_deref().map_or(Ok(()), models::is_name);
        model.map_err(|reason| format!("model: {reason}"))?;
        // A file from a checkout must not raise its own rights.
        if settings.approval.mode == Mode::ApproveAll {
            return Err("approval.mode: approve_all counts from --approval or ALFRED_APPROVAL alone; take it out".into());
        }
        match settings.others.keys().next() {
            None => Ok(settings),
            Some(field) => Err(format!(
                "unknown field `{field}`, expected one of approval, delegation, model, sandbox, workerPaths"
            )),
        }
    }

    /// The settings that a run keeps.
    pub fn of(snapshot: &Snapshot) -> Result<Self, FileError> {
        match &snapshot.settings {
            None => Ok(Self::default()),
            Some(source) => Self::parse(&source.path, &source.text),
        }
    }

    /// Levels of delegation below the entry.
    pub fn max_depth(&self) -> usize {
        self.delegation.max_depth.unwrap_or(MAX_DEPTH)
    }

    /// The folder of the program's files, relative to the program.
    fn below(&self) -> Result<VirtualPath, FilesError> {
        match self.sandbox.root.as_deref() {
            Some(root) if root.starts_with('/') => {
                let why = "must be below the program's folder";
                Err(FilesError::invalid(root, why))
            }
            root => VirtualPath::parse(&format!("/{}", root.unwrap_or_default())),
        }
    }

    /// The folder of the program's files. An error if it doesn't exist, or a link leads out of the program's folder.
    pub fn folder(&self, program: &Path) -> io::Result<Folder> {
        let program = program.canonicalize()?;
        let below = self.below().map_err(io::Error::other)?;
        let root = program.join(below.as_str().trim_start_matches('/'));
        let root = root.canonicalize().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", root.display()))
        })?;
        match (root.starts_with(&program), root.to_str()) {
            (true, Some(root)) => Ok(Folder {
                root: root.to_owned(),
                readonly: self.sandbox.readonly,
            }),
            (false, _) => Err(io::Error::other("leads out of the program's folder")),
            (true, None) => Err(io::Error::other("its name is no text (UTF-8)")),
        }
    }

    /// The approval mode, if neither command line nor environment sets it.
    pub fn approval(&self) -> Mode {
        self.approval.mode
    }

    /// Folders of worker files relative to the program; the program's own is last.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let named = self.worker_paths.iter().flatten().map(String::as_str);
        let usual = PATHS.into_iter().filter(|_| self.worker_paths.is_none());
        named.chain(usual).chain(["."])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    #[test]
    fn a_program_file_is_strict() {
        let said = |text: &str| match Settings::parse("alfred.yaml", text) {
            Ok(settings) => {
                let paths: Vec<&str> = settings.paths().collect();
                format!("{} {paths:?}", settings.max_depth())
            }
            Err(error) => error.to_string().lines().next().unwrap().to_owned(),
        };
        cases::check(include_str!("program_cases.txt"), said);
        assert!(said("delegation: {depth: 1}").contains("depth"));
    }
}
