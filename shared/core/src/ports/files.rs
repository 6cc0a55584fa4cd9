//! Files of programs, and folders on this machine in which programs may work.

use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::Arc;

use super::{FilesError, VirtualPath, Write};

pub const MOST_LISTED: usize = 500;
pub const MOST_FILES: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
}

/// Metadata of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    pub kind: FileKind,
    /// Length in bytes; 0 for folders.
    pub bytes: u64,
    /// The last change; unknown for some folders.
    pub modified: Option<Timestamp>,
    /// Whether its content or name may contain text that its owner didn't write.
    pub tainted: bool,
}

impl FileInfo {
    /// A folder without metadata of its own.
    pub fn folder(tainted: bool) -> Self {
        Self {
            kind: FileKind::Folder,
            bytes: 0,
            modified: None,
            tainted,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBody {
    pub info: FileInfo,
    pub bytes: Vec<u8>,
}

/// The content of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Sorted by name in byte order. Links, and names that no path can contain, are left out.
    pub entries: Vec<(String, FileInfo)>,
    /// Whether there are more than `MOST_LISTED` entries.
    pub more: bool,
}

/// Files under one root. Links aren't followed. Names that differ from existing ones only in case
/// are refused.
#[async_trait]
pub trait Files: Send + Sync {
    /// Metadata of a file or folder. Fails with `NotFound` and other access errors.
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError>;
    /// Reads a file. Fails with `NotFound`; `InvalidPath` for a folder; `TooLarge`.
    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError>;
    /// Reads a file of at most `most` bytes, for example a picture, which may be larger than writable files.
    /// Fails like [`Self::read`].
    async fn read_up_to(&self, path: &VirtualPath, most: usize) -> Result<FileBody, FilesError> {
        let body = self.read(path).await?;
        if body.bytes.len() > most {
            return Err(FilesError::too_large(path, most, "bytes"));
        }
        Ok(body)
    }
    /// Lists a folder. Fails with `NotFound`; `InvalidPath` for a file.
    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError>;
    /// Writes a file atomically, and creates its folders. `tainted` marks content that other people may have
    /// written. For files in the store it takes effect when the returned writes are committed. Fails with
    /// `InvalidPath` if the path is a folder, is below a file, or differs from an existing one only in case;
    /// `TooLarge`; `ReadOnly`.
    async fn write(
        &self,
        path: &VirtualPath,
        bytes: &[u8],
        tainted: bool,
    ) -> Result<Vec<Write>, FilesError>;
    /// Deletes a file; takes effect like [`Self::write`]. Fails with `NotFound`; `InvalidPath` for a folder;
    /// `ReadOnly`.
    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError>;
}

/// The folders on this machine in which programs may work.
pub trait Folders: Send + Sync {
    /// Opens a folder, given its path on the machine. Fails with `NoFolder` if there are none here;
    /// `NotFound` if the folder doesn't exist.
    fn open(&self, root: &str) -> Result<Arc<dyn Files>, FilesError>;
}

/// No folders at all.
#[derive(Clone, Copy, Debug)]
pub struct NoFolders;

impl Folders for NoFolders {
    fn open(&self, _: &str) -> Result<Arc<dyn Files>, FilesError> {
        Err(FilesError::NoFolder)
    }
}
