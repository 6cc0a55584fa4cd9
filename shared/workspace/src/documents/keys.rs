//! Records calls by key. The digests before and after are stored before a file is written, so after a crash
//! the file shows whether it was.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::AccountError;
use alfred_core::text;
use alfred_mime::digest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

use super::DocumentsFolder;
use super::files::{File, stem_of};
use crate::person::{not_reached, unknown};
use crate::{Result, folder};

/// Folder for internal files.
pub(super) const HIDDEN: &str = ".alfred";
/// Files with the same title.
const MOST_ALIKE: usize = 1_000;

pub(super) fn creation(key: &str) -> String {
    format!("create\n{key}")
}

pub(super) fn change_of(id: &str, key: &str) -> String {
    format!("change\n{id}\n{key}")
}

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    /// Its path within the folder.
    pub file: String,
    /// SHA-256 before the change. `None` for a new file.
    before: Option<String>,
    /// SHA-256 after the change.
    after: String,
    /// The changed cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    done: bool,
}

impl DocumentsFolder {
    /// The record of a call that was carried out. `Unknown` if somebody has changed the file since.
    pub(super) fn done(&self, call: &str) -> Result<Option<Record>> {
        let record = folder::optional(fs::read(self.record_path(call))).map_err(not_reached)?;
        let Some(record) = record else {
            return Ok(None);
        };
        let record: Record = serde_json::from_slice(&record).map_err(AccountError::unknown)?;
        if record.done {
            return Ok(Some(record));
        }
        // The path comes from our own record, so it is safe.
        let now = folder::optional(fs::read(self.root.join(&record.file))).map_err(not_reached)?;
        let now = now.as_deref().map(sha256_hex);
        if now.as_ref() == Some(&record.after) {
            // Recorded now: if the file is changed back later, its content would suggest otherwise.
            Ok(Some(self.finish(call, record)))
        } else if now == record.before {
            Ok(None)
        } else {
            Err(AccountError::unknown("the file was changed since"))
        }
    }

    /// Replaces a file's content. `range` is the changed cells of a sheet.
    pub(super) fn write(
        &self,
        call: &str,
        file: &File,
        before: &[u8],
        after: &[u8],
        range: Option<String>,
    ) -> Result<Record> {
        let record = Record {
            file: file.id.clone(),
            before: Some(sha256_hex(before)),
            after: sha256_hex(after),
            range,
            done: false,
        };
        self.put(call, &record).map_err(not_reached)?;
        folder::replace(&file.path, after).map_err(unknown)?;
        Ok(self.finish(call, record))
    }

    /// Creates a file with this title once, numbered if the name is taken.
    pub(super) fn create(
        &self,
        call: &str,
        title: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<Record> {
        if let Some(done) = self.done(call)? {
            return Ok(done);
        }
        let stem = stem_of(title).ok_or_else(|| AccountError::refused(text::TITLE_MISSING))?;
        for number in 1..=MOST_ALIKE {
            let name = match number {
                1 => format!("{stem}.{extension}"),
                more => format!("{stem} {more}.{extension}"),
            };
            let path = self.root.join(&name);
            // Checked before the record: it must not claim somebody else's file.
            let taken = folder::optional(fs::symlink_metadata(&path)).map_err(not_reached)?;
            if taken.is_some() {
                continue;
            }
            let record = Record {
                file: name,
                before: None,
                after: sha256_hex(bytes),
                range: None,
                done: false,
            };
            self.put(call, &record).map_err(not_reached)?;
            if folder::create(&path, bytes).map_err(unknown)? {
                return Ok(self.finish(call, record));
            }
        }
        Err(not_reached(io::ErrorKind::AlreadyExists.into()))
    }

    /// Records success. A failure is only logged: the file's content still shows it until the next change.
    fn finish(&self, call: &str, record: Record) -> Record {
        let done = Record {
            done: true,
            ..record
        };
        if let Err(error) = self.put(call, &done) {
            tracing::warn!(%error, "a finished change of a document isn't recorded");
        }
        done
    }

    fn put(&self, call: &str, record: &Record) -> io::Result<()> {
        fs::create_dir_all(self.root.join(HIDDEN))?;
        folder::replace(&self.record_path(call), &serde_json::to_vec(record)?)
    }

    fn record_path(&self, call: &str) -> PathBuf {
        let name = digest(&self.account, call);
        self.root.join(HIDDEN).join(format!("{name}.json"))
    }
}
