//! Finds skills on disk and reads the texts that a run keeps.

use alfred_agent::model::Source;
use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder::{entries, text};
use crate::folder_error::{FolderError, Result, unreadable, unusable};
use crate::problem;
use crate::skill::{MAIN, is_name};

/// Folders of skills, relative to the program.
const PLACES: [&str; 3] = ["skills", ".skills", ".claude/skills"];
const MOST_FILES: usize = 100;
const MOST_BYTES: usize = 256 << 10;
/// Prefix of a kept text's path, which no file on disk has.
const SCHEME: &str = "skill:";

/// The texts of these skills for a snapshot. The program's own take precedence over those in `own`. An
/// error if one doesn't exist, or is in two places.
pub fn kept(names: &[String], root: &Path, own: Option<&Path>) -> Result<Vec<Source>> {
    let mut texts = Vec::new();
    for name in names {
        texts.extend(texts_of(name, &folder(name, root, own)?)?);
    }
    Ok(texts)
}

/// The path under which a skill's file is kept.
pub fn kept_path(skill: &str, file: &str) -> String {
    format!("{SCHEME}{skill}/{file}")
}

/// `SKILL/FILE` of a kept path. `None` if it isn't a skill's.
pub fn skill_file(kept: &str) -> Option<&str> {
    kept.strip_prefix(SCHEME)
}

fn folder(name: &str, root: &Path, own: Option<&Path>) -> Result<PathBuf> {
    let own = own.filter(|own| is_skill(name, &own.join(name), own));
    let found = PLACES.map(|place| root.join(place).join(name)).into_iter();
    let mut found = found.filter(|folder| is_skill(name, folder, root));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            let first = first.display();
            let words = format!("there is a skill \"{name}\" already, in {first}");
            Err(unusable(second.display(), words))
        }
        (Some(only), None) => Ok(only),
        (None, _) => own.map(|own| own.join(name)).ok_or_else(|| {
            let (root, places) = (root.display(), "skills, .skills or .claude/skills");
            let words = format!("skill \"{name}\" in {places} of {root}, nor in your own");
            FolderError::Missing(words)
        }),
    }
}

/// A folder outside of `within`, reached by a link, doesn't count.
fn is_skill(name: &str, folder: &Path, within: &Path) -> bool {
    is_name(name) && folder.join(MAIN).is_file() && is_below(folder, within)
}

/// Whether a path is below a folder after resolving all links.
pub fn is_below(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let real = real(path).zip(real(folder));
    real.is_some_and(|(path, folder)| path.starts_with(folder))
}

fn texts_of(name: &str, folder: &Path) -> Result<Vec<Source>> {
    let (mut texts, mut files, mut bytes) = (Vec::new(), 0, 0);
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(at) = folders.pop_front() {
        for (path, kind) in entries(&at)? {
            if kind.is_dir() {
                folders.push_back(path);
                continue;
            }
            if !kind.is_file() {
                let error = io::Error::other("it is a link, and a skill's files are its own");
                return Err(unreadable(&path, error));
            }
            files += 1;
            let source = match text(&path) {
                // Not text, such as a picture.
                Err(error) if error.is(io::ErrorKind::InvalidData) => continue,
                source => source?,
            };
            bytes += source.text.len();
            if files > MOST_FILES || bytes > MOST_BYTES {
                let words = "a skill has 100 files and 256 KB of text at most";
                return Err(unusable(folder.display(), words));
            }
            if path == folder.join(MAIN) {
                let wrong = problem::of_skill(name, &source.path, &source.text);
                if !wrong.is_empty() {
                    return Err(FolderError::Wrong(wrong));
                }
            }
            let within = path.strip_prefix(folder).unwrap_or(&path);
            texts.push(Source {
                path: kept_path(name, &within.to_string_lossy()),
                text: source.text,
            });
        }
    }
    Ok(texts)
}
