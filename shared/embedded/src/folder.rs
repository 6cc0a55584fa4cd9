//! The data folder. One process owns it at a time.

mod privacy;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

use crate::{Database, FileSecrets, OpenError, durable};

const LOCK: &str = "alfred.lock";
pub const DATABASE: &str = "alfred.db";
pub const SECRETS: &str = "secrets.json";

/// A data folder locked until this value is dropped or the process ends.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    lock: File,
    tightened: Option<u32>,
}

#[derive(Debug, Error)]
pub enum FolderError {
    /// Another process owns the folder. Without address and token it is still starting.
    #[error("{} is in use by {}{}; talk to it, or stop it first", path.display(), owner(*pid), at(address.as_deref()))]
    InUse {
        path: PathBuf,
        pid: Option<u32>,
        address: Option<String>,
        /// The bearer of this token may connect to the owner.
        token: Option<SecretString>,
    },
    /// The folder, or something in it, belongs to another account, which could read our data or have planted it.
    #[error(
        "{} belongs to another account (uid {uid}); choose another data folder, or move that away",
        path.display()
    )]
    Foreign { path: PathBuf, uid: u32 },
    /// Other accounts can access the folder, and its mode can't be changed.
    #[error(
        "{} is open to other accounts of this machine (mode {mode:o}) and can't be closed{}; choose another data folder",
        path.display(), why(source.as_ref())
    )]
    Exposed {
        path: PathBuf,
        mode: u32,
        source: Option<io::Error>,
    },
    #[error(
        "nothing is stored in {}; --data names another folder, and `alfred ask` or `alfred serve` begins one there",
        path.display()
    )]
    Empty { path: PathBuf },
    #[error("{}: {source}; choose another data folder, or make this one yours to write", path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn owner(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".into(),
    }
}

fn at(address: Option<&str>) -> String {
    address.map_or_else(String::new, |address| format!(" at {address}"))
}

fn why(source: Option<&io::Error>) -> String {
    source.map_or_else(String::new, |source| format!(" ({source})"))
}

/// JSON of the lock file. Other processes of the same user read it.
#[derive(Serialize, Deserialize)]
struct Owner {
    pid: u32,
    address: Option<String>,
    token: Option<String>,
}

impl DataFolder {
    /// Opens and locks the folder, creating it with mode 0700. Removes other accounts' access first.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        durable::create_folder(path).map_err(|source| io_error(path, source))?;
        privacy::check_link(path)?;
        let path = path.canonicalize().map_err(|e| io_error(path, e))?;
        let tightened = privacy::make_ours(&path)?;
        let place = path.join(LOCK);
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(privacy::NO_LINK.bits().cast_signed())
            .open(&place);
        let mut lock = lock.map_err(|e| io_error(&place, e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut lock)),
            Err(TryLockError::Error(source)) => return Err(io_error(&place, source)),
        }
        let folder = Self {
            path,
            lock,
            tightened,
        };
        folder.write_owner(None)?;
        Ok(folder)
    }

    /// Opens a folder that has a database. Otherwise returns `Empty` and changes nothing.
    pub fn open_existing(path: &Path) -> Result<Self, FolderError> {
        let database = path.join(DATABASE);
        match database.try_exists() {
            Ok(true) => Self::open(path),
            Ok(false) => Err(FolderError::Empty { path: path.into() }),
            Err(source) => Err(io_error(&database, source)),
        }
    }

    /// Writes this process's address and token to the lock file.
    pub fn publish(&self, address: &str, token: &SecretString) -> Result<(), FolderError> {
        self.write_owner(Some((address, token)))
    }

    /// The folder's previous mode, if other accounts had access before `open` removed it.
    pub fn tightened(&self) -> Option<u32> {
        self.tightened
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn database(&self) -> Result<Database, OpenError> {
        Database::open(&self.path.join(DATABASE))
    }

    pub fn secrets(&self) -> FileSecrets {
        FileSecrets::new(self.path.join(SECRETS))
    }

    /// Written in place, because the lock is on this file. A reader that sees half of it gets no owner data.
    fn write_owner(&self, listening: Option<(&str, &SecretString)>) -> Result<(), FolderError> {
        let owner = Owner {
            pid: std::process::id(),
            address: listening.map(|(address, _)| address.to_owned()),
            token: listening.map(|(_, token)| token.expose_secret().to_owned()),
        };
        let write = || -> io::Result<()> {
            let text = serde_json::to_vec(&owner)?;
            let mut file = &self.lock;
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&text)
        };
        write().map_err(|source| io_error(&self.path.join(LOCK), source))
    }
}

impl Drop for DataFolder {
    /// Closing the file isn't enough: a process that another thread is just starting has it too, for a moment.
    fn drop(&mut self) {
        drop(self.lock.unlock());
    }
}

fn in_use(path: PathBuf, lock: &mut File) -> FolderError {
    let mut text = String::new();
    let read = lock.read_to_string(&mut text).ok();
    let owner: Option<Owner> = read.and_then(|_| serde_json::from_str(&text).ok());
    FolderError::InUse {
        path,
        pid: owner.as_ref().map(|owner| owner.pid),
        address: owner.as_ref().and_then(|owner| owner.address.clone()),
        token: owner.and_then(|owner| owner.token).map(SecretString::from),
    }
}

pub(crate) fn io_error(path: &Path, source: io::Error) -> FolderError {
    let path = path.to_owned();
    FolderError::Io { path, source }
}
