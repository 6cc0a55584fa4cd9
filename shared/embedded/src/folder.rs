//! The data folder, which one process owns at a time.

#[cfg(unix)]
mod privacy;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[cfg(unix)]
use crate::{Database, FileBlobs, FileSecrets, FileVault, OpenError, durable};

const LOCK: &str = "alfred.lock";
const DATABASE: &str = "alfred.db";
const BLOBS: &str = "blobs";
const DIGESTS: &str = "audit-digests";
const SECRETS: &str = "secrets.json";

/// A data folder that is ours until this value is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    lock: File,
    tightened: Option<u32>,
}

/// Why a data folder isn't ours.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Another process owns it. With an address and a token it can be talked to; without it is just starting.
    #[error("{} is in use by {}{}; talk to it, or stop it first", path.display(), owner(*pid), at(address.as_deref()))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The owner, as far as it has said so.
        pid: Option<u32>,
        /// Where it listens.
        address: Option<String>,
        /// What it wants to see from whoever connects.
        token: Option<SecretString>,
    },
    /// It, or something in it, is another account's, which could read along or have planted it.
    #[error(
        "{} belongs to another account (uid {uid}); choose another data folder, or move that away",
        path.display()
    )]
    Foreign {
        /// The folder, the link to it, or the file in it.
        path: PathBuf,
        /// Whose it is.
        uid: u32,
    },
    /// Other accounts get in, and it can't be closed to them.
    #[error(
        "{} is open to other accounts of this machine (mode {mode:o}) and can't be closed{}; choose another data folder",
        path.display(), why(source.as_ref())
    )]
    Exposed {
        /// The folder.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// What the system says, if it says anything.
        source: Option<io::Error>,
    },
    /// Nothing is stored there.
    #[error(
        "nothing is stored in {}; --data names another folder, and `alfred ask` or `alfred serve` begins one there",
        path.display()
    )]
    Empty {
        /// The folder, which may not be there either.
        path: PathBuf,
    },
    /// It can't be made, read or locked.
    #[error("{}: {source}; choose another data folder, or make this one yours to write", path.display())]
    Io {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn owner(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".into(),
    }
}

fn at(address: Option<&str>) -> String {
    address
        .map(|address| format!(" at {address}"))
        .unwrap_or_default()
}

fn why(source: Option<&io::Error>) -> String {
    source
        .map(|source| format!(" ({source})"))
        .unwrap_or_default()
}

/// What the lock file says. It is read by other processes of the same person.
#[derive(Serialize, Deserialize)]
struct Owner {
    pid: u32,
    address: Option<String>,
    token: Option<String>,
}

impl DataFolder {
    /// Opens the folder, made with mode 0700 if it isn't there, and locks it. One that is open to other
    /// accounts is closed to them first.
    ///
    /// # Errors
    /// `InUse` with what to connect to, `Foreign`, `Exposed`, or `Io`.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        durable::create_folder(path).map_err(|source| io_error(path, source))?;
        #[cfg(unix)]
        privacy::check_link(path)?;
        let path = path.canonicalize().map_err(|e| io_error(path, e))?;
        #[cfg(unix)]
        let tightened = privacy::make_ours(&path)?;
        #[cfg(not(unix))]
        let tightened = None;
        let place = path.join(LOCK);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        options
            .mode(0o600)
            .custom_flags(privacy::NO_LINK.bits().cast_signed());
        let mut lock = options.open(&place).map_err(|e| io_error(&place, e))?;
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
        folder.say(None)?;
        Ok(folder)
    }

    /// Opens a folder in which something is stored. Where nothing is, nothing is made or changed.
    ///
    /// # Errors
    /// `Empty`, and those of `open`.
    pub fn open_existing(path: &Path) -> Result<Self, FolderError> {
        let database = path.join(DATABASE);
        match database.try_exists() {
            Ok(true) => Self::open(path),
            Ok(false) => Err(FolderError::Empty { path: path.into() }),
            Err(source) => Err(io_error(&database, source)),
        }
    }

    /// Writes down where this process listens and what it wants to see.
    ///
    /// # Errors
    /// `Io` when the lock file can't be written.
    pub fn publish(&self, address: &str, token: &SecretString) -> Result<(), FolderError> {
        self.say(Some((address, token)))
    }

    /// The mode the folder had when other accounts could get in; it was closed to them.
    pub fn tightened(&self) -> Option<u32> {
        self.tightened
    }

    /// The folder, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the folder's database.
    ///
    /// # Errors
    /// `OpenError`, which names the file and says what to do.
    pub fn database(&self) -> Result<Database, OpenError> {
        Database::open(&self.path.join(DATABASE))
    }

    /// The folder's large bodies.
    pub fn blobs(&self) -> FileBlobs {
        FileBlobs::new(self.path.join(BLOBS))
    }

    /// The locked digests of the audit.
    pub fn vault(&self) -> FileVault {
        FileVault::new(self.path.join(DIGESTS))
    }

    /// The folder's secrets.
    pub fn secrets(&self) -> FileSecrets {
        FileSecrets::new(self.path.join(SECRETS))
    }

    /// Written in place, because the lock is on this very file. Who reads half of it reads nothing.
    fn say(&self, listening: Option<(&str, &SecretString)>) -> Result<(), FolderError> {
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

fn in_use(path: PathBuf, lock: &mut File) -> FolderError {
    let mut text = String::new();
    let owner: Option<Owner> = match lock.read_to_string(&mut text) {
        Ok(_) => serde_json::from_str(&text).ok(),
        Err(_) => None,
    };
    FolderError::InUse {
        path,
        pid: owner.as_ref().map(|owner| owner.pid),
        address: owner.as_ref().and_then(|owner| owner.address.clone()),
        token: owner.and_then(|owner| owner.token).map(SecretString::from),
    }
}

pub(crate) fn io_error(path: &Path, source: io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        source,
    }
}
