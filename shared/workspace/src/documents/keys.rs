//! What was done under which key. Before a file is written, what it is and what it will be is put down, so that
//! behind a crash the file itself tells whether it was.

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

/// Where what is ours is kept.
const HIDDEN: &str = ".alfred";
/// Files of one title.
const MOST_ALIKE: usize = 1_000;

/// A call by its key.
#[derive(Clone, Copy)]
pub(super) enum Call<'a> {
    Create(&'a str),
    /// Of the file of this id.
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

/// What was put down about a call.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    /// Its path within the folder.
    pub file: String,
    /// SHA-256 of it as it was; none when it wasn't there.
    before: Option<String>,
    /// The same of what it becomes.
    after: String,
    /// Which cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    done: bool,
}

/// What is known of a call.
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

    /// Whether a call was carried out.
    ///
    /// # Errors
    /// `Unknown` when the file was changed since by somebody else, and nobody can tell from what.
    pub fn standing(&self, call: Call<'_>, root: &Path) -> Result<Standing, AccountError> {
        let kept = folder::optional(fs::read(self.path(call))).map_err(not_reached)?;
        let Some(kept) = kept else {
            return Ok(Standing::Never);
        };
        let record: Record = serde_json::from_slice(&kept).map_err(|e| unknown(e.into()))?;
        if record.done {
            return Ok(Standing::Done(record));
        }
        // Our own record, so the path is one that was found or made here.
        let now = folder::optional(fs::read(root.join(&record.file))).map_err(not_reached)?;
        let now = now.as_deref().map(sha256_hex);
        if now.as_ref() == Some(&record.after) {
            // Put down, or the file would say something else once it is changed back.
            return Ok(Standing::Done(self.done(call, record)));
        }
        match now == record.before {
            true => Ok(Standing::Never),
            false => Err(unknown(io::Error::other("the file was changed since"))),
        }
    }

    /// Writes a file in place of what it was.
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

    /// Makes a file of this name and extension, numbered where there is one; its path within the folder.
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
            // Before the record: of a file that is somebody else's nothing may be put down.
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

    /// It is done, whether that can be put down or not; the file still tells, until it is changed again.
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
