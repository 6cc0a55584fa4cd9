//! Documents and sheets as files in `documents/` and its folders: `.md` and `.txt` are documents, `.csv` are
//! sheets.

mod csv;
mod files;
mod keys;
mod sheets;
mod texts;

use crate::Result;
use alfred_core::ports::{Account, AccountError};
use std::path::{Path, PathBuf};

pub(crate) const FILE_TOO_LARGE: &str = "The file is too large to be read.";
pub(crate) const FILE_NOT_UTF8: &str = "The file isn't text in UTF-8, so it can't be read.";

/// Listed anew by each call, since other programs write to the folder too.
pub(crate) struct DocumentsFolder {
    root: PathBuf,
    account: Account,
}

impl DocumentsFolder {
    pub fn new(root: &Path, account: &Account) -> Self {
        Self {
            root: root.to_owned(),
            account: account.clone(),
        }
    }
}

/// A file's byte order mark, empty if it has none, and its text.
fn decoded(bytes: &[u8]) -> Result<(&str, &str)> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(AccountError::refused(FILE_NOT_UTF8));
    };
    let unmarked = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    Ok(text.split_at(text.len() - unmarked.len()))
}

/// The file existed when it was written, but not now.
fn removed() -> AccountError {
    AccountError::unknown("the file was removed")
}
