//! Records calls by key. The digests before and after are stored before a file is written, so after a crash
//! the file shows whether it was.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Account, AccountError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::File;
use crate::folder;
use crate::person::{not_reached, unknown};
use alfred_mime::digest;

/// Folder for internal files.
const HIDDEN: &str = ".alfred";
/// Files with the same title.
const MOST_ALIKE: usize = 1_000;

#[derive(Clone, Copy)]
pub(super) enum Call<'a> {
    Create(&'a str),
    /// The file's id and the key.
    Change(&'a str, &'a str),
}

impl Call<'_> {
    fn named(self) -> String {
        match self {
            Self::Create(key) => format!("create\n{key}"),
            Self::Change(id, key) => format!("change\n{id}\n{key}"),
        }
    }
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

pub(super) enum Standing {
    Done(Record),
    Never,
}

pub(super) struct Keys {
    folder: PathBuf,
    account: Account,
}

impl Keys {
    pub fn new(root: &Path, account: &Account) -> Self {
        Self {
            folder: root.join(HIDDEN),
            account: account.clone(),
        }
    }

    /// Whether a call was carried out. `Unknown` if somebody has changed the file since.
    pub fn standing(&self, call: Call<'_>, root: &Path) -> Result<Standing, AccountError> {
        let kept = folder::optional(fs::read(self.path(call))).map_err(not_reached)?;
        let Some(kept) = kept else {
            return Ok(Standing::Never);
        };
        let record: Record = serde_json::from_slice(&kept).map_err(|e| unknown(e.into()))?;
        if record.done {
            return Ok(Standing::Done(record));
        }
        // The path comes from our own record, so it is safe.
        let now = folder::optional(fs::read(root.join(&record.file))).map_err(not_reached)?;
        let now = now.as_deref().map(sha256_hex);
        if now.as_ref() == Some(&record.after) {
            // Recorded now: if the file is changed back later, its content would suggest otherwise.
            return Ok(Standing::Done(self.done(call, record)));
        }
        match now == record.before {
            true => Ok(Standing::Never),
            false => Err(unknown(io::Error::other("the file was changed since"))),
        }
    }

    /// Replaces a file's content.
    pub fn write(
        &self,
        call: Call<'_>,
        file: &File,
        before: &[u8],
        after: &[u8],
        range: Option<String>,
    ) -> Result<(), AccountError> {
        let record = Record {
            file: file.id.clone(),
            before: Some(sha256_hex(before)),
            after: sha256_hex(after),
            range,
            done: false,
        };
        self.put(call, &record).map_err(not_reached)?;
        folder::replace(&file.path, after).map_err(unknown)?;
        self.done(call, record);
        Ok(())
    }

    /// Creates a file, numbered if the name is taken. Returns its path within the folder.
    pub fn create(
        &self,
        call: Call<'_>,
        root: &Path,
        (stem, extension): (&str, &str),
        bytes: &[u8],
    ) -> Result<String, AccountError> {
        for number in 1..=MOST_ALIKE {
            let name = match number {
                1 => format!("{stem}.{extension}"),
                more => format!("{stem} {more}.{extension}"),
            };
            let path = root.join(&name);
            // Checked before the record: it must not claim somebody else's file.
            if folder::optional(fs::symlink_metadata(&path))
                .map_err(not_reached)?
                .is_some()
            {
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
                return Ok(self.done(call, record).file);
            }
        }
        Err(not_reached(io::ErrorKind::AlreadyExists.into()))
    }

    /// Records success. A failure is only logged: the file's content still shows it until the next change.
    fn done(&self, call: Call<'_>, record: Record) -> Record {
        let done = Record {
            done: true,
            ..record
        };
        if let Err(error) = self.put(call, &done) {
            tracing::warn!(%error, "what was done to a document isn't put down");
        }
        done
    }

    fn put(&self, call: Call<'_>, record: &Record) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        folder::replace(&self.path(call), &serde_json::to_vec(record)?)
    }

    fn path(&self, call: Call<'_>) -> PathBuf {
        let name = digest(&self.account, &call.named());
        self.folder.join(format!("{name}.json"))
    }
}
