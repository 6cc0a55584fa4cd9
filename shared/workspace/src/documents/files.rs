//! Lists the documents and sheets of a folder.

use alfred_core::ports::{AccountError, FileSummary};
use jiff::Timestamp;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

use super::keys::HIDDEN;
use super::{DocumentsFolder, FILE_TOO_LARGE};
use crate::person::{not_reached, unknown};
use crate::{Result, folder};

/// Larger files aren't read.
const MOST_BYTES: usize = 10 * 1_024 * 1_024;
/// Levels of nested folders, with the files of the last one.
const DEPTH: usize = 9;
const MOST_FILES: usize = 10_000;
/// Bytes that a search reads, about a second. A small file counts for the bytes that could be read while it is opened.
const SEARCHED: u64 = 50 * 1_024 * 1_024;
const SEARCHED_EACH: u64 = 16 * 1_024;
/// Bytes of a file name without number and extension. File systems allow 255.
const MOST_NAME: usize = 200;

const REPLACED: &str =
    "There is another file of this name by now, so the deleted one stays in the bin.";
const WORD_FILE: &str =
    "I can't read Word files. Please save it as Markdown (.md) or as plain text (.txt).";
const EXCEL_FILE: &str = "I can't read Excel files. Please save each of its sheets as a .csv file.";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Sheet,
}

pub(super) struct File {
    /// Its path within the folder, parts joined by `/`.
    pub id: String,
    pub path: PathBuf,
    pub title: String,
    kind: Kind,
    /// Why its kind of file can't be read.
    unreadable: Option<&'static str>,
    pub modified: Timestamp,
    /// Bytes.
    pub size: u64,
}

impl File {
    /// `None` if it's neither a document nor a sheet, such as a folder, or if its name isn't UTF-8.
    fn of(root: &Path, entry: &DirEntry) -> io::Result<Option<Self>> {
        let path = entry.path();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_file = entry.file_type().is_file();
        let (kind, unreadable) = match extension.to_str().filter(|_| is_file) {
            Some("md" | "txt") => (Kind::Document, None),
            Some("docx") => (Kind::Document, Some(WORD_FILE)),
            Some("csv") => (Kind::Sheet, None),
            Some("xlsx") => (Kind::Sheet, Some(EXCEL_FILE)),
            _ => return Ok(None),
        };
        let parts = path.strip_prefix(root).unwrap_or(path).iter();
        let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
        let (Some(parts), Some(title)) = (parts, path.file_stem()) else {
            return Ok(None);
        };
        let metadata = entry.metadata()?;
        Ok(Some(Self {
            id: parts.join("/"),
            path: path.to_owned(),
            title: title.to_string_lossy().into_owned(),
            kind,
            unreadable,
            modified: Timestamp::try_from(metadata.modified()?).map_err(io::Error::other)?,
            size: metadata.len(),
        }))
    }

    pub fn summary<Id: From<String>>(&self) -> FileSummary<Id> {
        FileSummary {
            id: self.id.clone().into(),
            title: self.title.clone(),
            modified: self.modified,
            size: Some(self.size),
        }
    }

    pub fn bytes(&self) -> Result<Vec<u8>> {
        if let Some(reason) = self.unreadable {
            return Err(AccountError::refused(reason));
        }
        match folder::head(&self.path, MOST_BYTES).map_err(not_reached)? {
            (bytes, true) => Ok(bytes),
            (_, false) => Err(AccountError::refused(FILE_TOO_LARGE)),
        }
    }
}

impl DocumentsFolder {
    /// The id is compared with the listed files, so it never becomes a path.
    pub(super) fn file(&self, id: &str, kind: Kind) -> Result<Option<File>> {
        let mut all = self.files(kind).map_err(not_reached)?.into_iter();
        Ok(all.find(|file| file.id == id))
    }

    /// Files whose title contains all words, the last changed first.
    pub(super) fn named<Id: From<String>>(
        &self,
        kind: Kind,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<FileSummary<Id>>> {
        self.fitting(kind, limit, |file| contain(&file.title, words))
    }

    /// Documents whose title and text together contain all words, and whether all texts were read.
    pub(super) fn search<Id: From<String>>(
        &self,
        words: &[String],
        limit: usize,
    ) -> Result<(Vec<FileSummary<Id>>, bool)> {
        let (mut left, mut complete) = (SEARCHED, true);
        let found = self.fitting(Kind::Document, limit, |file| {
            if contain(&file.title, words) {
                return true;
            }
            left = left.saturating_sub(file.size.max(SEARCHED_EACH));
            let bytes = (left > 0).then(|| file.bytes().ok()).flatten();
            complete &= bytes.is_some();
            let text = bytes.unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            contain(&format!("{} {text}", file.title), words)
        });
        Ok((found?, complete))
    }

    /// The first of these files, the last changed first, without a Word or Excel file beside its readable copy.
    fn fitting<Id: From<String>>(
        &self,
        kind: Kind,
        limit: usize,
        mut fits: impl FnMut(&File) -> bool,
    ) -> Result<Vec<FileSummary<Id>>> {
        let mut found = self.files(kind).map_err(not_reached)?;
        let stem = |file: &File| file.path.with_extension("");
        let readable = found.iter().filter(|file| file.unreadable.is_none());
        let readable: HashSet<_> = readable.map(stem).collect();
        found.retain(|file| file.unreadable.is_none() || !readable.contains(&stem(file)));
        found.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
        let found = found.iter().filter(|file| fits(file));
        Ok(found.take(limit.clamp(1, 100)).map(File::summary).collect())
    }

    /// Moves a file to the bin, a hidden folder, or back. A newer file of its name stays in its place.
    pub(super) fn set_deleted<Id: From<String>>(
        &self,
        id: &str,
        kind: Kind,
        deleted: bool,
    ) -> Result<Option<FileSummary<Id>>> {
        let bin = Self::new(&self.root.join(HIDDEN).join("bin"), &self.account);
        fs::create_dir_all(&bin.root).map_err(not_reached)?;
        let (from, to) = if deleted { (self, &bin) } else { (&bin, self) };
        let there = to.file(id, kind)?;
        let Some(file) = from.file(id, kind)? else {
            return Ok(there.map(|file| file.summary()));
        };
        if there.is_some() && !deleted {
            return Err(AccountError::refused(REPLACED));
        }
        if there.is_some() {
            // An older deleted file of this name stays beside the newer one.
            let mut kept = (1..).map(|number| bin.root.join(format!("{id}.{number}")));
            let kept = kept.find(|path| !path.exists()).unwrap_or_default();
            folder::rename(&bin.root.join(id), &kept).map_err(unknown)?;
        }
        let target = to.root.join(id);
        fs::create_dir_all(target.parent().unwrap_or(&to.root)).map_err(not_reached)?;
        folder::rename(&file.path, &target).map_err(unknown)?;
        Ok(Some(file.summary()))
    }

    /// Without hidden ones. Links could lead out of the folder, so they are ignored.
    fn files(&self, kind: Kind) -> io::Result<Vec<File>> {
        let is_shown = |entry: &DirEntry| {
            entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
        };
        let entries = WalkDir::new(&self.root).max_depth(DEPTH).into_iter();
        let mut found = Vec::new();
        for entry in entries.filter_entry(is_shown) {
            // A file may have been deleted since it was listed.
            let entry = entry.map_err(io::Error::from);
            let file = entry.and_then(|entry| File::of(&self.root, &entry));
            found.extend(folder::optional(file)?.flatten());
            if found.len() >= MOST_FILES {
                return Err(io::Error::other("too many documents in a folder"));
            }
        }
        found.retain(|file| file.kind == kind);
        Ok(found)
    }
}

/// Ignores case.
fn contain(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
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
