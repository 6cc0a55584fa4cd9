use alfred_core::ports::{Vault, VaultError};
use async_trait::async_trait;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::durable;

/// Read-only files (mode 0400) that are never overwritten. The owner of the folder can still delete them.
#[derive(Clone, Debug)]
pub struct FileVault {
    root: PathBuf,
}

impl FileVault {
    /// The folder is created with the first file.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn path(&self, name: &str) -> Result<PathBuf, VaultError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_part =
            |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
        if name.split('/').all(is_part) {
            Ok(self.root.join(name))
        } else {
            Err(unavailable(&format!("{name} can't be a file's name")))
        }
    }
}

#[async_trait]
impl Vault for FileVault {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let path = self.path(name)?;
        let (name, bytes) = (name.to_owned(), bytes.to_vec());
        blocking(move || match lock(&path, &bytes) {
            Ok(true) => Ok(()),
            Ok(false) => Err(VaultError::Taken { name }),
            Err(error) => Err(unavailable(&error)),
        })
        .await
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        let path = self.path(name)?;
        blocking(move || match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unavailable(&error)),
        })
        .await
    }
}

/// Returns false if a file with other bytes exists.
fn lock(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        durable::create_folder(folder)?;
    }
    if durable::create(path, bytes)? {
        return Ok(true);
    }
    let same = fs::read(path)? == bytes;
    // The process that created the file may have died before it synced the folder.
    durable::sync_parent(path)?;
    Ok(same)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, VaultError> + Send + 'static,
) -> Result<T, VaultError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(unavailable(&error)),
    }
}

fn unavailable(error: &dyn std::fmt::Display) -> VaultError {
    VaultError::Unavailable {
        detail: error.to_string(),
    }
}
