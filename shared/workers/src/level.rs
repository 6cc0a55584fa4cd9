//! The workers of one level: the program's, its owner's, or Alfred's. An earlier level hides workers of the
//! same name in later ones.

use alfred_agent::model::Source;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::file::WorkerFile;
use crate::folder::{MOST_ENTRIES, entries, text};
use crate::folder_error::{Result, unreadable, unusable};
use crate::problem::{self, Problem};
use crate::programs;

/// Most worker files of one level.
pub const MOST_WORKERS: usize = 200;
/// Folder of Alfred's own workers that are called without a team prefix.
pub const ALONE: &str = "alfred/";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Program,
    /// The person's, for all their programs.
    Own,
    /// Alfred's.
    BuiltIn,
}

/// An available worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub description: String,
    pub model: Option<String>,
    pub path: String,
    pub level: Level,
    /// The level whose worker of the same name hides this one.
    pub behind: Option<Level>,
}

pub(crate) struct Known {
    pub source: Source,
    pub file: WorkerFile,
}

#[derive(Default)]
pub(crate) struct Workers {
    pub by_name: BTreeMap<String, Known>,
    /// Names by file, since search paths may overlap.
    by_file: BTreeMap<PathBuf, Option<String>>,
    entries: usize,
    /// Unusable files.
    pub problems: Vec<Problem>,
}

impl Workers {
    /// Alfred's own: `utility`, and those of teams as `marketing/manager`.
    pub fn built_in() -> Self {
        let mut workers = Self::default();
        for path in programs::workers() {
            let text = programs::worker(&path).unwrap_or_default().into_owned();
            let name = path.strip_prefix(ALONE).unwrap_or(&path).to_owned();
            match WorkerFile::parse(&path, &text) {
                Ok(file) => {
                    let source = Source { path, text };
                    workers.by_name.insert(name, Known { source, file });
                }
                Err(_) => workers.problems.extend(problem::of_worker(&path, &text)),
            }
        }
        workers
    }

    /// Reads the worker files of a folder and of its subfolders, except hidden entries. Links aren't followed.
    pub fn read_all(&mut self, folder: &Path, deep: bool) {
        if let Err(error) = self.try_read_all(folder, deep) {
            self.problems.extend(error.problems());
        }
    }

    fn try_read_all(&mut self, folder: &Path, deep: bool) -> Result<()> {
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(folder) = folders.pop_front() {
            let entries = match entries(&folder) {
                Err(error) if error.is(io::ErrorKind::NotFound) => continue,
                entries => entries?,
            };
            for (path, kind) in entries {
                self.entries += 1;
                if self.entries > MOST_ENTRIES || self.by_name.len() > MOST_WORKERS {
                    let words = format!(
                        "more than {MOST_WORKERS} worker files, or {MOST_ENTRIES} files in all; name their folders in workerPaths of an alfred.yaml"
                    );
                    return Err(unusable(folder.display(), words));
                }
                if kind.is_dir() && deep {
                    folders.push_back(path);
                } else if kind.is_file() && path.extension().is_some_and(|end| end == "worker") {
                    self.read(&path);
                }
            }
        }
        Ok(())
    }

    /// Reads a worker file. Returns the worker's name if it is usable.
    pub fn read(&mut self, path: &Path) -> Option<String> {
        self.try_read(path).unwrap_or_else(|error| {
            self.problems.extend(error.problems());
            None
        })
    }

    fn try_read(&mut self, path: &Path) -> Result<Option<String>> {
        let key = fs::canonicalize(path).map_err(|error| unreadable(path, error))?;
        if let Some(name) = self.by_file.get(&key) {
            return Ok(name.clone());
        }
        // Recorded first, so a problem is reported once.
        self.by_file.insert(key.clone(), None);
        let source = text(path)?;
        let Ok(file) = WorkerFile::parse(&source.path, &source.text) else {
            let wrong = problem::of_worker(&source.path, &source.text);
            self.problems.extend(wrong);
            return Ok(None);
        };
        let name = file.name.clone();
        if let Some(known) = self.by_name.get(&name) {
            let first = &known.source.path;
            let words = format!("there is a worker \"{name}\" already, in {first}");
            return Err(unusable(source.path, words));
        }
        self.by_file.insert(key, Some(name.clone()));
        self.by_name.insert(name.clone(), Known { source, file });
        Ok(Some(name))
    }
}
