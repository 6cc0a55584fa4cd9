//! Lists the documents and sheets of a folder.

use alfred_core::ports::AccountError;
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::documents::FILE_TOO_LARGE;
use crate::folder;
use crate::person::not_reached;

/// Larger files aren't read.
const MOST_BYTES: usize = 10 * 1_024 * 1_024;
/// Depth of nested folders.
const DEPTH: usize = 8;
const MOST_FILES: usize = 10_000;
/// Bytes of a file name without number and extension. File systems allow 255.
const MOST_NAME: usize = 200;

/// The kind of a file, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Docx,
    Csv,
    Xlsx,
}

impl Kind {
    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        match extension.as_str() {
            "md" | "txt" => Some(Self::Text),
            "docx" => Some(Self::Docx),
            "csv" => Some(Self::Csv),
            "xlsx" => Some(Self::Xlsx),
            _ => None,
        }
    }

    pub fn is_document(self) -> bool {
        matches!(self, Self::Text | Self::Docx)
    }

    pub fn is_sheet(self) -> bool {
        matches!(self, Self::Csv | Self::Xlsx)
    }
}

pub(super) struct File {
    /// Its path within the folder, parts joined by `/`.
    pub id: String,
    pub path: PathBuf,
    pub title: String,
    pub kind: Kind,
    pub modified: Timestamp,
}

impl File {
    pub fn bytes(&self) -> Result<Vec<u8>, AccountError> {
        match folder::head(&self.path, MOST_BYTES).map_err(not_reached)? {
            (bytes, true) => Ok(bytes),
            (_, false) => Err(AccountError::refused(FILE_TOO_LARGE)),
        }
    }
}

/// All files, without hidden ones. Links could lead out of the folder, so they are ignored.
pub(super) fn all(root: &Path) -> io::Result<Vec<File>> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        let Some(entries) = folder::optional(fs::read_dir(&folder))? else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name());
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            let id = format!("{prefix}{name}");
            if kind.is_dir() && depth < DEPTH {
                folders.push((entry.path(), format!("{id}/"), depth + 1));
            } else if kind.is_file()
                && let Some(file) = file(&entry, id)?
            {
                found.push(file);
            }
            if found.len() >= MOST_FILES {
                return Err(io::Error::other("too many documents in a folder"));
            }
        }
    }
    Ok(found)
}

fn file(entry: &fs::DirEntry, id: String) -> io::Result<Option<File>> {
    let path = entry.path();
    let Some(kind) = Kind::of(&path) else {
        return Ok(None);
    };
    // It may have been deleted since it was listed.
    let Some(about) = folder::optional(entry.metadata())? else {
        return Ok(None);
    };
    let title = path.file_stem().and_then(|stem| stem.to_str());
    Ok(Some(File {
        title: title.unwrap_or_default().to_owned(),
        modified: Timestamp::try_from(about.modified()?).map_err(io::Error::other)?,
        id,
        path,
        kind,
    }))
}

/// A title as a file name that every file system accepts. `None` if nothing is left.
pub(super) fn stem_of(title: &str) -> Option<String> {
    let taken = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
        c if c.is_control() => ' ',
        c => c,
    };
    let line: String = title.chars().map(taken).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let stem = line.trim_matches(['.', ' ']);
    let stem = &stem[..stem.floor_char_boundary(MOST_NAME)];
    stem.contains(char::is_alphanumeric)
        .then(|| stem.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_a_name_within_its_folder() {
        let cases = [
            ("Plan", Some("Plan")),
            (" Größe  der\nTische ", Some("Größe der Tische")),
            ("../../etc/passwd", Some("-..-etc-passwd")),
            ("a/b\\c:d", Some("a-b-c-d")),
            (".hidden.", Some("hidden")),
            ("\0", None),
            ("..", None),
            ("///", None),
            ("", None),
        ];
        for (title, expected) in cases {
            assert_eq!(stem_of(title).as_deref(), expected, "{title:?}");
        }
        assert!(stem_of(&"é".repeat(300)).unwrap().len() <= MOST_NAME);
    }
}
