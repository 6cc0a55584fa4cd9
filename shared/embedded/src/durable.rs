//! Atomic file writes that survive a power cut.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Replaces a file by a new one of mode 0600, via a temporary file beside it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = parent(path)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Creates a read-only file. Returns false if the path exists.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = parent(path)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    let mut permissions = file.as_file().metadata()?.permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o400);
    #[cfg(not(unix))]
    permissions.set_readonly(true);
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Makes a file's directory entry durable.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    sync_folder(parent(path)?)
}

/// Creates a folder of mode 0700 and its parents, durably.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = parent(path)?;
    create_folder(above)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder(above),
    }
}

fn parent(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(parent) => Ok(parent),
        None => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} has no folder", path.display()),
        )),
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix can open and sync folders.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
