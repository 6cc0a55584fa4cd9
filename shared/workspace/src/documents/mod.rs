//! Documents and sheets as files in `documents/` and its folders: `.md`, `.txt` and `.csv` are read and
//! written, `.docx` and `.xlsx` only read.

mod archive;
mod csv;
mod docx;
mod files;
mod keys;
mod port;
mod sheets;
mod xlsx;

use alfred_core::digest::sha256_hex;
use alfred_core::id::DocumentId;
use alfred_core::ports::{Account, AccountError, Document, DocumentChange, DocumentSummary, Sheet};
use alfred_core::text;
use std::path::{Path, PathBuf};

use crate::person::not_reached;
use files::{File, Kind};
use keys::{Call, Keys, Standing};

pub(crate) const FILE_TOO_LARGE: &str = "The file is too large to be read.";
pub(crate) const FILE_NOT_UTF8: &str = "The file isn't text in UTF-8, so it can't be read.";

/// Bytes of text that are returned of a longer document.
const MOST_TEXT: usize = 1_000_000;

/// Listed anew by each call, since other programs write to the folder too.
pub(crate) struct DocumentsFolder {
    root: PathBuf,
    keys: Keys,
}

impl DocumentsFolder {
    pub fn new(root: &Path, account: &Account) -> Self {
        Self {
            root: root.to_owned(),
            keys: Keys::new(root, account),
        }
    }

    pub fn find(
        &self,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>, AccountError> {
        let found = self.named(Kind::is_document, words, limit)?;
        Ok(found.iter().map(summary).collect())
    }

    pub fn read(&self, id: &DocumentId) -> Result<Option<Document>, AccountError> {
        let file = self.file(id.as_str(), Kind::is_document)?;
        file.as_ref().map(document).transpose()
    }

    pub fn create(&self, title: &str, text: &str, key: &str) -> Result<Document, AccountError> {
        let call = Call::Create(key);
        let name = match self.keys.standing(call, &self.root)? {
            Standing::Done(done) => done.file,
            Standing::Never => self.make(call, title, "md", text.as_bytes())?,
        };
        self.read(&DocumentId(name))?.ok_or_else(removed)
    }

    pub fn find_created(&self, key: &str) -> Result<Option<Document>, AccountError> {
        match self.keys.standing(Call::Create(key), &self.root)? {
            Standing::Done(done) => match self.file(&done.file, Kind::is_document)? {
                Some(file) => document(&file).map(Some),
                None => Err(removed()),
            },
            Standing::Never => Ok(None),
        }
    }

    pub fn change(
        &self,
        id: &DocumentId,
        change: &DocumentChange,
        key: &str,
    ) -> Result<Document, AccountError> {
        let call = Call::Change(id.as_str(), key);
        if let Standing::Never = self.keys.standing(call, &self.root)? {
            let file = self.file(id.as_str(), Kind::is_document)?;
            let file = file.ok_or_else(|| AccountError::refused(text::DOCUMENT_GONE))?;
            let (before, after) = changed(&file, change)?;
            self.keys.write(call, &file, &before, &after, None)?;
        }
        self.read(id)?.ok_or_else(removed)
    }

    pub fn find_changed(
        &self,
        id: &DocumentId,
        key: &str,
    ) -> Result<Option<Document>, AccountError> {
        let call = Call::Change(id.as_str(), key);
        match self.keys.standing(call, &self.root)? {
            Standing::Done(_) => self.read(id)?.ok_or_else(removed).map(Some),
            Standing::Never => Ok(None),
        }
    }

    /// Creates a file with this title, numbered if taken. Returns its id.
    fn make(
        &self,
        call: Call<'_>,
        title: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<String, AccountError> {
        let stem = files::stem_of(title);
        let stem = stem.ok_or_else(|| AccountError::refused(text::TITLE_MISSING))?;
        self.keys
            .create(call, &self.root, (&stem, extension), bytes)
    }

    /// The id is compared with the listed files, so it never becomes a path.
    fn file(&self, id: &str, is: fn(Kind) -> bool) -> Result<Option<File>, AccountError> {
        let all = files::all(&self.root).map_err(not_reached)?;
        Ok(all.into_iter().find(|file| file.id == id && is(file.kind)))
    }

    /// The last changed first.
    fn named(
        &self,
        is: fn(Kind) -> bool,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<File>, AccountError> {
        let mut found = files::all(&self.root).map_err(not_reached)?;
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        found.retain(|file| {
            let title = file.title.to_lowercase();
            is(file.kind) && words.iter().all(|word| title.contains(word))
        });
        found.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
        found.truncate(limit.clamp(1, 100));
        Ok(found)
    }
}

/// It existed when it was written, but not now.
fn removed() -> AccountError {
    AccountError::Unknown {
        detail: "the file was removed".into(),
    }
}

fn revision(bytes: &[u8]) -> String {
    sha256_hex(bytes)[..16].to_owned()
}

fn summary(file: &File) -> DocumentSummary {
    DocumentSummary {
        id: DocumentId(file.id.clone()),
        title: file.title.clone(),
        modified: file.modified,
    }
}

fn document(file: &File) -> Result<Document, AccountError> {
    let bytes = file.bytes()?;
    let mut text = match file.kind {
        Kind::Docx => docx::text(&bytes)?,
        Kind::Text | Kind::Csv | Kind::Xlsx => Plain::read(&bytes)?.text,
    };
    let truncated = text.len() > MOST_TEXT;
    text.truncate(text.floor_char_boundary(MOST_TEXT));
    Ok(Document {
        summary: summary(file),
        text,
        truncated,
        revision: revision(&bytes),
        may_edit: file.kind == Kind::Text,
        link: None,
    })
}

/// A file's bytes before and after the change.
fn changed(file: &File, change: &DocumentChange) -> Result<(Vec<u8>, Vec<u8>), AccountError> {
    let refused = |reason: &str| Err(AccountError::refused(reason));
    if file.kind != Kind::Text {
        return refused(text::DOCUMENT_READ_ONLY);
    }
    let before = file.bytes()?;
    if revision(&before) != change.revision {
        return refused(text::DOCUMENT_CHANGED);
    }
    let plain = Plain::read(&before)?;
    let after = plain.with(change.edit.applied_to(&plain.text)?);
    Ok((before, after))
}

/// A text file. Its byte order mark and line ends are preserved.
struct Plain {
    text: String,
    mark: bool,
    crlf: bool,
}

const MARK: char = '\u{FEFF}';

impl Plain {
    fn read(bytes: &[u8]) -> Result<Self, AccountError> {
        let Ok(whole) = std::str::from_utf8(bytes) else {
            return Err(AccountError::refused(FILE_NOT_UTF8));
        };
        let text = whole.strip_prefix(MARK);
        let (mark, text) = (text.is_some(), text.unwrap_or(whole));
        let crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
        let text = text.replace("\r\n", if crlf { "\n" } else { "\r\n" });
        Ok(Self { text, mark, crlf })
    }

    fn with(&self, text: String) -> Vec<u8> {
        let text = text.replace('\n', if self.crlf { "\r\n" } else { "\n" });
        let mark = if self.mark { "\u{FEFF}" } else { "" };
        format!("{mark}{text}").into_bytes()
    }
}

fn still(sheet: Option<Sheet>) -> Result<Sheet, AccountError> {
    sheet.ok_or_else(removed)
}
