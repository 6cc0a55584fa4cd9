//! Finds a program on disk: a worker, the workers it may call, transitively, and their skills.

use alfred_agent::model::{Folder, Snapshot, Source};
use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::beside;
use crate::folder_error::{FolderError, Result, unreadable, unusable};
use crate::level::{Known, Level, Listed, Workers};
use crate::problem::{self, Problem};
use crate::program::{NAMES, Settings};
use crate::programs::{self, built_in};
use crate::skill_folder;

/// Largest worker file, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// The entry of a folder that is named as a worker.
const MAIN: &str = "main.worker";
/// Folder of a person's workers in their data folder.
pub(crate) const WORKERS: &str = "workers";
/// Folder of a person's skills in their data folder.
pub(crate) const SKILLS: &str = "skills";

/// Where a program is searched.
#[derive(Clone, Copy, Debug)]
pub struct Below<'a> {
    /// A folder in the program: its root is this folder or one above it.
    pub folder: &'a Path,
    /// Use `folder` even for a worker that is named by its file. Otherwise the file's own folder is used.
    pub always: bool,
    /// The person's data folder. Its workers and skills are available unless the program has its own of that name.
    pub data: Option<&'a Path>,
}

/// All workers available to a program.
pub struct Found {
    root: PathBuf,
    settings: Option<Source>,
    program: Settings,
    levels: [Workers; 3],
    data: Option<PathBuf>,
    problems: Vec<Problem>,
}

/// Finds the program of a worker. `named` is its file, a folder with a `main.worker`, or its name. The error
/// names every unusable file, and each name that two workers of a level share.
pub fn find(named: &Path, below: Below<'_>) -> Result<Snapshot> {
    let entry = match () {
        () if named.is_dir() => Some(named.join(MAIN)),
        () if named.is_file() || named.extension().is_some() => Some(named.to_owned()),
        () => None,
    };
    let mut below = below;
    let file = entry.as_deref().map(absolute).transpose()?;
    if let Some(folder) = file.as_deref().and_then(Path::parent)
        && !below.always
    {
        below.folder = folder;
    }
    let mut found = Found::of(below)?;
    let entry = match &file {
        Some(file) => found.levels[Level::Program as usize].read(file),
        None => Some(named.display().to_string()),
    };
    let problems = found.problems();
    match entry {
        Some(entry) if problems.is_empty() => found.program(&entry),
        _ => Err(FolderError::Wrong(problems)),
    }
}

impl Found {
    /// Reads all levels. An error if the program's own folder can't be read.
    pub fn of(below: Below<'_>) -> Result<Self> {
        let (root, settings) = root(&absolute(below.folder)?)?;
        let mut problems = Vec::new();
        let program = settings.as_ref().map(|source| {
            problems = problem::of_settings(&source.path, &source.text);
            Settings::parse(&source.path, &source.text).unwrap_or_default()
        });
        let program = program.unwrap_or_default();
        let (mut workers, mut own) = (Workers::default(), Workers::default());
        for path in program.paths() {
            // Without a program file the extent of the program is unknown, so subfolders are not searched.
            let deep = path != "." || settings.is_some();
            let folder = if path == "." {
                root.clone()
            } else {
                root.join(path)
            };
            workers.read_all(&folder, deep);
        }
        let data = below.data.map(absolute).transpose()?;
        if let Some(data) = &data {
            own.read_all(&data.join(WORKERS), true);
        }
        Ok(Self {
            root,
            settings,
            program,
            levels: [workers, own, Workers::built_in()],
            data,
            problems,
        })
    }

    /// All unusable files of all levels.
    pub fn problems(&self) -> Vec<Problem> {
        let levels = self.levels.iter().flat_map(|level| &level.problems);
        self.problems.iter().chain(levels).cloned().collect()
    }

    /// All workers by level, then by name.
    pub fn list(&self) -> Vec<Listed> {
        let levels = [Level::Program, Level::Own, Level::BuiltIn];
        let mut listed: Vec<Listed> = Vec::new();
        for (level, workers) in levels.into_iter().zip(&self.levels) {
            for (name, known) in &workers.by_name {
                let first = listed.iter().find(|one| one.name == *name);
                let first = first.map(|one| one.level);
                listed.push(Listed {
                    name: name.clone(),
                    description: known.file.description.clone(),
                    model: known.file.model.clone(),
                    path: known.source.path.clone(),
                    level,
                    behind: first,
                });
            }
        }
        listed
    }

    fn get(&self, name: &str) -> Option<&Known> {
        self.levels.iter().find_map(|level| level.by_name.get(name))
    }

    /// The program of an entry worker: its file and those of all workers it may call, transitively, each once.
    fn program(&self, entry: &str) -> Result<Snapshot> {
        let Some(first) = self.get(entry) else {
            return Err(self.nobody(entry));
        };
        if let Some(team) = team(&first.source.path) {
            let mut paths = programs::workers_of(team);
            paths.sort_by_key(|path| path != entry);
            return Ok(built_in(team, paths));
        }
        let mut names = VecDeque::from([entry.to_owned()]);
        let (mut seen, mut skills) = (BTreeSet::new(), BTreeSet::new());
        let mut workers = Vec::new();
        while let Some(name) = names.pop_front() {
            // The toolset reports a missing worker.
            if seen.insert(name.clone())
                && let Some(known) = self.get(&name)
            {
                names.extend(known.file.may_call());
                skills.extend(known.file.may_read());
                workers.push(known);
            }
        }
        let skills: Vec<String> = skills.into_iter().collect();
        let own = |folder: &str| self.data.as_ref().map(|data| data.join(folder));
        let (own_workers, own_skills) = (own(WORKERS), own(SKILLS));
        let folders = [&*self.root].into_iter().chain(own_workers.as_deref());
        let mut beside = beside::modules(&workers, &folders.collect::<Vec<_>>())?;
        let skills = skill_folder::kept(&skills, &self.root, own_skills.as_deref());
        beside.extend(skills?);
        let workers = workers.iter().map(|known| known.source.clone()).collect();
        Ok(Snapshot {
            name: name_of(&self.root),
            settings: self.settings.clone(),
            workers,
            beside,
            folder: Some(self.folder()?),
            ..Snapshot::default()
        })
    }

    fn folder(&self) -> Result<Folder> {
        let folder = self.program.folder(&self.root);
        folder.map_err(|error| FolderError::Unreadable {
            path: format!("{}: sandbox.root", self.root.display()),
            error,
        })
    }

    fn nobody(&self, name: &str) -> FolderError {
        let names = self.levels.iter().flat_map(|level| level.by_name.keys());
        let valid: BTreeSet<&str> = names.map(String::as_str).collect();
        let (path, valid) = (self.root.display(), Vec::from_iter(valid).join(", "));
        FolderError::Missing(format!("worker \"{name}\" in {path}; there are: {valid}"))
    }
}

/// The team of Alfred's to which a built-in file belongs.
fn team(path: &str) -> Option<&str> {
    let (folder, _) = path.split_once('/')?;
    let teams = programs::teams();
    teams.iter().any(|team| team == folder).then_some(folder)
}

fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    // The prefix separates programs on disk from Alfred's own, which policies can name.
    format!("local:{name}")
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| unreadable(path, error))
}

/// The nearest ancestor with a program file, and that file; otherwise the folder itself.
fn root(start: &Path) -> Result<(PathBuf, Option<Source>)> {
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

/// A file's text, at most 1 MB.
pub(crate) fn text(path: &Path) -> Result<Source> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| unreadable(path, error))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(unusable(path.display(), "it is longer than 1 MB"));
    }
    Ok(Source {
        path: path.display().to_string(),
        text,
    })
}

/// Most files and folders searched.
pub(crate) const MOST_ENTRIES: usize = 10_000;

/// The entries of a folder without hidden ones, sorted; one more than `MOST_ENTRIES` at most.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(PathBuf, FileType)>> {
    let wrong = |error| unreadable(folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && found.len() <= MOST_ENTRIES {
            found.push((entry.path(), entry.file_type().map_err(wrong)?));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
