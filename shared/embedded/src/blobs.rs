use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs};
use async_trait::async_trait;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::{SqliteStore, durable};

/// Newer bodies are kept: the commit that names a body follows seconds after its write. A day also
/// covers a machine whose clock was set.
const LEAST_AGE: Duration = Duration::from_hours(24);
/// Held while a body is written or removed, so that a sweep can't remove a body being rewritten.
static CHANGING: Mutex<()> = Mutex::new(());

/// Large bodies under `ROOT/TEAM/USER/ab/abcd…`, named by SHA-256. A body is durable before `put` returns.
#[derive(Clone, Debug)]
pub struct FileBlobs {
    root: PathBuf,
}

impl FileBlobs {
    /// The folder is created with the first body.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub async fn forget(&self, scope: &str) -> Result<(), BlobError> {
        let folder = self.scope(scope);
        blocking(move || match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unavailable(&error)),
            _ => Ok(()),
        })
        .await
    }

    /// Removes one body. A missing one counts as success.
    pub async fn remove(&self, scope: &str, digest: &str) -> Result<(), BlobError> {
        if !is_digest(digest) {
            return Ok(());
        }
        let path = self.path(scope, digest);
        blocking(move || match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unavailable(&error)),
            _ => Ok(()),
        })
        .await
    }

    /// Removes bodies that no item of the store names, a day after their last write. Returns their number.
    pub async fn sweep(&self, store: &SqliteStore) -> Result<usize, BlobError> {
        let (root, naming) = (self.root.clone(), store.naming_bodies().await);
        let naming = naming.map_err(|error| unavailable(&error))?;
        blocking(move || sweep(&root, &naming).map_err(|error| unavailable(&error))).await
    }

    fn scope(&self, scope: &str) -> PathBuf {
        let mut folder = self.root.clone();
        folder.extend(scope.split('/').map(file_name));
        folder
    }

    fn path(&self, scope: &str, digest: &str) -> PathBuf {
        self.scope(scope).join(&digest[..2]).join(digest)
    }
}

#[async_trait]
impl Blobs for FileBlobs {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        let digest = sha256_hex(bytes);
        let path = self.path(scope, &digest);
        let bytes = bytes.to_vec();
        blocking(move || {
            write(&path, &bytes).map_err(|error| unavailable(&error))?;
            Ok(digest)
        })
        .await
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        let digest = digest.to_owned();
        if !is_digest(&digest) {
            return Err(BlobError::Missing { digest });
        }
        let path = self.path(scope, &digest);
        blocking(move || match fs::read(&path) {
            Ok(bytes) if sha256_hex(&bytes) == digest => Ok(bytes),
            Ok(_) => Err(BlobError::Missing { digest }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(BlobError::Missing { digest })
            }
            Err(error) => Err(unavailable(&error)),
        })
        .await
    }
}

/// Renews the time of an identical existing body, and replaces a damaged one.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let _guard = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::read(path).is_ok_and(|found| found == bytes) && renew(path).is_ok() {
        // The process that wrote it may have died before it synced the folder.
        return durable::sync_parent(path);
    }
    if let Some(folder) = path.parent() {
        durable::create_folder(folder)?;
    }
    durable::replace(path, bytes)
}

fn renew(path: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().write(true).open(path)?;
    file.set_modified(SystemTime::now())
}

/// Removes old bodies below a folder whose digests `naming` doesn't contain.
fn sweep(folder: &Path, naming: &str) -> io::Result<usize> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            removed += sweep(&path, naming)?;
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let is_unnamed = name.is_some_and(|name| is_digest(name) && !naming.contains(name));
        let _guard = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        if is_unnamed && is_old(&path) {
            fs::remove_file(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn is_old(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|file| file.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= LEAST_AGE))
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Encodes a part of a scope as a file name: bytes other than ASCII letters, digits, `-` and `_` become `%XX`.
fn file_name(part: &str) -> String {
    let mut name = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    if name.is_empty() { "%".into() } else { name }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BlobError> + Send + 'static,
) -> Result<T, BlobError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(unavailable(&error)),
    }
}

fn unavailable(error: &dyn std::error::Error) -> BlobError {
    BlobError::Unavailable {
        detail: error.to_string(),
    }
}
