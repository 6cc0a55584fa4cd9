//! Finds a program on a disk: the worker that is named, and those that it may call, and they in turn (annex 3).

use alfred_agent::program::{Snapshot, Source};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

use crate::beside;
use crate::file::{FileError, WorkerFile};
use crate::program::{NAMES, Settings};

/// The longest worker file, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Worker files of one program.
const MOST_WORKERS: usize = 200;
/// Files and folders looked at for them.
const MOST_ENTRIES: usize = 10_000;
/// The worker of a folder that is named by itself.
const MAIN: &str = "main.worker";

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
    /// A file isn't what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// Two workers have one name.
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
}

/// A worker that was read.
pub(crate) struct Known {
    pub(crate) source: Source,
    pub(crate) file: WorkerFile,
}

/// The program of a worker: `named` is its file, a folder with a `main.worker`, or its name in the program of `within`.
/// Workers in the folder `own` are there for every program that has none of their name.
///
/// # Errors
/// See `FolderError`; a file that can't be used is one, and so is a name that two workers have.
pub fn find(named: &Path, within: &Path, own: Option<&Path>) -> Result<Snapshot, FolderError> {
    let entry = match () {
        () if named.is_dir() => Some(named.join(MAIN)),
        () if named.is_file() || named.extension().is_some() => Some(named.to_owned()),
        () => None,
    };
    let start = match &entry {
        Some(file) => absolute(file)?
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default(),
        None => absolute(within)?,
    };
    let (root, settings) = root(&start)?;
    let program = match &settings {
        None => Settings::default(),
        Some(source) => Settings::parse(&source.path, &source.text)?,
    };
    let mut workers = Workers::default();
    for path in program.paths() {
        // Without a program file nothing says how far the folder's own files go.
        let deep = path != "." || settings.is_some();
        let folder = match path {
            "." => root.clone(),
            below => root.join(below),
        };
        workers.read_all(&folder, deep)?;
    }
    let entry = match entry {
        Some(file) => workers.read(&file)?,
        None => named.display().to_string(),
    };
    if let Some(own) = own {
        let mut theirs = Workers::default();
        theirs.read_all(own, true)?;
        for (name, worker) in theirs.by_name {
            workers.by_name.entry(name).or_insert(worker);
        }
    }
    let folder = program.folder(&root);
    let folder = folder.map_err(|error| FolderError::Unreadable {
        path: format!("{}: sandbox.root", root.display()),
        error,
    })?;
    let found = workers.called_from(&entry, &root)?;
    let folders: Vec<&Path> = [&*root].into_iter().chain(own).collect();
    Ok(Snapshot {
        name: name_of(&root),
        settings,
        beside: beside::modules(&found, &folders)?,
        workers: found.into_iter().map(|known| known.source).collect(),
        folder: Some(folder),
    })
}

fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    // No program on a disk is called as one of Alfred's own, of which a policy may speak.
    format!("local:{name}")
}

fn absolute(path: &Path) -> Result<PathBuf, FolderError> {
    std::path::absolute(path).map_err(|error| unreadable(path, error))
}

pub(crate) fn unreadable(path: &Path, error: io::Error) -> FolderError {
    FolderError::Unreadable {
        path: path.display().to_string(),
        error,
    }
}

/// The nearest folder with a program file, with that file; without one the folder itself.
fn root(start: &Path) -> Result<(PathBuf, Option<Source>), FolderError> {
    for folder in start.ancestors() {
        for name in NAMES {
            let path = folder.join(name);
            if path.is_file() {
                return Ok((folder.to_owned(), Some(text(&path)?)));
            }
        }
    }
    Ok((start.to_owned(), None))
}

pub(crate) fn text(path: &Path) -> Result<Source, FolderError> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| unreadable(path, error))?;
    match text.len() as u64 > MOST_BYTES {
        true => Err(unreadable(path, io::Error::other("it is longer than 1 MB"))),
        false => Ok(Source {
            path: path.display().to_string(),
            text,
        }),
    }
}

#[derive(Default)]
struct Workers {
    by_name: BTreeMap<String, Known>,
    /// Names by file, since search paths may lie within one another.
    by_file: BTreeMap<PathBuf, String>,
    entries: usize,
}

impl Workers {
    /// Reads the worker files of a folder, and of those below it but for hidden ones. Links aren't followed.
    fn read_all(&mut self, folder: &Path, deep: bool) -> Result<(), FolderError> {
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(folder) = folders.pop_front() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(unreadable(&folder, error)),
            };
            for entry in entries {
                self.entries += 1;
                let too_many = self.entries > MOST_ENTRIES || self.by_name.len() > MOST_WORKERS;
                if too_many {
                    let path = folder.display().to_string();
                    return Err(FolderError::TooMany { path });
                }
                let entry = entry.map_err(|error| unreadable(&folder, error))?;
                let kind = entry
                    .file_type()
                    .map_err(|error| unreadable(&folder, error))?;
                let path = entry.path();
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                if kind.is_dir() && deep && !hidden {
                    folders.push_back(path);
                } else if kind.is_file() && path.extension().is_some_and(|end| end == "worker") {
                    self.read(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a worker file; gives the worker's name.
    fn read(&mut self, path: &Path) -> Result<String, FolderError> {
        let key = fs::canonicalize(path).map_err(|error| unreadable(path, error))?;
        if let Some(name) = self.by_file.get(&key) {
            return Ok(name.clone());
        }
        let source = text(path)?;
        let file = WorkerFile::parse(&source.path, &source.text)?;
        let name = file.name.clone();
        if let Some(known) = self.by_name.get(&name) {
            return Err(FolderError::Twice {
                name,
                first: known.source.path.clone(),
                second: source.path,
            });
        }
        self.by_file.insert(key, name.clone());
        self.by_name.insert(name.clone(), Known { source, file });
        Ok(name)
    }

    /// The files of this worker and of all it may call, however deep, each once, its own first.
    fn called_from(mut self, entry: &str, root: &Path) -> Result<Vec<Known>, FolderError> {
        let mut names = VecDeque::from([entry.to_owned()]);
        let mut found = Vec::new();
        while let Some(name) = names.pop_front() {
            let Some(worker) = self.by_name.remove(&name) else {
                // Whoever is called and isn't there is named by the toolset.
                if found.is_empty() {
                    return Err(self.nobody(name, root));
                }
                continue;
            };
            names.extend(worker.file.may_call());
            found.push(worker);
        }
        Ok(found)
    }

    fn nobody(&self, name: String, root: &Path) -> FolderError {
        let valid: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        FolderError::NoWorker {
            name,
            path: root.display().to_string(),
            valid: valid.join(", "),
        }
    }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
