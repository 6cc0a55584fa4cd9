//! Files of a program (seed 004 §5.3), and the folders of this machine in which programs may work.

use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;
use thiserror::Error;

use super::{StoreError, VirtualPath, Write};

/// The longest file that is read or written, in bytes.
pub const MOST_FILE_BYTES: usize = 200_000;
/// Entries of one listing.
pub const MOST_LISTED: usize = 500;
/// Files that are stored for one person.
pub const MOST_FILES: usize = 500;

/// Why there is no file, or no change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilesError {
    /// There is nothing of this name.
    #[error("{path}: there is no such file or folder")]
    NotFound {
        /// The name.
        path: String,
    },
    /// It is no path, or of something other than a plain file or folder.
    #[error("{path}: {why}")]
    InvalidPath {
        /// As it was given.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It may only be read.
    #[error("{path}: can only be read here")]
    ReadOnly {
        /// Which.
        path: String,
    },
    /// Somebody would be let do more than whoever let them.
    #[error("readonly: false, where only reading is allowed")]
    PermissionEscalation,
    /// A bound would be passed.
    #[error("{path}: {why}")]
    TooLarge {
        /// Which.
        path: String,
        /// The bound.
        why: String,
    },
    /// It holds no text.
    #[error("{path}: is no text (UTF-8)")]
    NotText {
        /// Which.
        path: String,
    },
    /// There are no folders to work in here.
    #[error("this program works in a folder of the machine it was started on, and that isn't here")]
    NoFolder,
    /// It can't be reached just now.
    #[error("files unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
}

impl FilesError {
    /// As the specification names it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "NOT_FOUND",
            Self::InvalidPath { .. } => "INVALID_PATH",
            Self::ReadOnly { .. } => "READ_ONLY",
            Self::PermissionEscalation => "PERMISSION_ESCALATION",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::NotText { .. } => "NOT_TEXT",
            Self::NoFolder => "NO_FOLDER",
            Self::Unavailable { .. } => "UNAVAILABLE",
        }
    }

    /// Nothing has this name.
    pub fn not_found(path: &VirtualPath) -> Self {
        let path = path.to_string();
        Self::NotFound { path }
    }

    /// It can't be used so.
    pub fn invalid(path: &VirtualPath, why: &'static str) -> Self {
        let path = path.to_string();
        Self::InvalidPath { path, why }
    }

    /// A bound of this many bytes, files or entries.
    pub fn too_large(path: &VirtualPath, most: usize, of: &str) -> Self {
        Self::TooLarge {
            path: path.to_string(),
            why: format!("more than {most} {of}"),
        }
    }

    /// Of a file that is longer than any may be.
    pub fn too_long(path: &VirtualPath) -> Self {
        Self::too_large(path, MOST_FILE_BYTES, "bytes")
    }
}

impl From<StoreError> for FilesError {
    fn from(error: StoreError) -> Self {
        Self::Unavailable {
            detail: error.to_string(),
        }
    }
}

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// What is known of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Which of both.
    pub kind: FileKind,
    /// Its length; 0 of a folder.
    pub bytes: u64,
    /// When it was last changed; unknown of some folders.
    pub modified: Option<Timestamp>,
    /// Whether words may be in it, or be its name, that its person didn't write.
    pub tainted: bool,
}

impl FileInfo {
    /// A folder that is there because of what is in it.
    pub fn folder(tainted: bool) -> Self {
        Self {
            kind: FileKind::Folder,
            bytes: 0,
            modified: None,
            tainted,
        }
    }
}

/// A file with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBody {
    /// What is known of it.
    pub info: FileInfo,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// By name, in the order of their bytes. Links, and what no path could name, are left out.
    pub entries: Vec<(String, FileInfo)>,
    /// Whether there is more than `MOST_LISTED`.
    pub more: bool,
}

/// Files under one root. No link is followed; a name that differs from what is there by its case alone is refused.
#[async_trait]
pub trait Files: Send + Sync {
    /// What is known of a file or folder.
    ///
    /// # Errors
    /// `NotFound`, or why it can't be looked at.
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError>;
    /// A file.
    ///
    /// # Errors
    /// `NotFound`; `InvalidPath` of a folder; `TooLarge`.
    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError>;
    /// A file to look at, of so many bytes: a picture may be longer than what is written here.
    ///
    /// # Errors
    /// As `read`.
    async fn read_up_to(&self, path: &VirtualPath, most: usize) -> Result<FileBody, FilesError> {
        let body = self.read(path).await?;
        match body.bytes.len() > most {
            true => Err(FilesError::too_large(path, most, "bytes")),
            false => Ok(body),
        }
    }
    /// What is in a folder.
    ///
    /// # Errors
    /// `NotFound`; `InvalidPath` of a file.
    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError>;
    /// Puts a file there, whole or not at all, with the folders above it. `tainted` says whether its words may be
    /// others'. Where files are stored it takes effect with the writes that it gives.
    ///
    /// # Errors
    /// `InvalidPath` where a folder is, below a file, or beside the same name in another case; `TooLarge`; `ReadOnly`.
    async fn write(
        &self,
        path: &VirtualPath,
        bytes: &[u8],
        tainted: bool,
    ) -> Result<Vec<Write>, FilesError>;
    /// Removes a file, as `write` puts one there.
    ///
    /// # Errors
    /// `NotFound`; `InvalidPath` of a folder; `ReadOnly`.
    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError>;
}

/// The folders of the machine that programs are started on.
pub trait Folders: Send + Sync {
    /// The files in this one, which is named as the machine names it.
    ///
    /// # Errors
    /// `NoFolder` where there are none; `NotFound` where this one isn't there.
    fn open(&self, root: &str) -> Result<Arc<dyn Files>, FilesError>;
}

/// A place without folders.
#[derive(Clone, Copy, Debug)]
pub struct NoFolders;

impl Folders for NoFolders {
    fn open(&self, _: &str) -> Result<Arc<dyn Files>, FilesError> {
        Err(FilesError::NoFolder)
    }
}
