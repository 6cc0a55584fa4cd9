//! Ensures that a folder and its entries belong to this account, and that no other account has access.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::io_error;
use crate::FolderError;

/// Fails to open a link.
pub(crate) const NO_LINK: OFlags = OFlags::NOFOLLOW;
const OTHERS: u32 = 0o077;

/// Refuses another account's link, which would choose the folder we use.
pub(crate) fn check_link(path: &Path) -> Result<(), FolderError> {
    // Collecting the components drops a trailing slash, which would make the lookup follow the link.
    let path: std::path::PathBuf = path.components().collect();
    let found = fs::symlink_metadata(&path).map_err(|e| io_error(&path, e))?;
    if found.is_symlink() {
        check_owner(&path, found.uid())?;
    }
    Ok(())
}

/// Removes other accounts' access to the folder and checks the owner of its entries. Returns the previous
/// mode if it gave others access.
pub(crate) fn make_ours(path: &Path) -> Result<Option<u32>, FolderError> {
    // All checks and changes use one handle, because the path may be redirected meanwhile.
    let flags = OFlags::DIRECTORY | NO_LINK | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty());
    let folder = File::from(folder.map_err(|e| io_error(path, e.into()))?);
    let mode = || -> io::Result<u32> { Ok(folder.metadata()?.mode() & 0o777) };
    let found = folder.metadata().map_err(|e| io_error(path, e))?;
    check_owner(path, found.uid())?;
    let before = found.mode() & 0o777;
    if before & OTHERS != 0 {
        let closed = folder.set_permissions(Permissions::from_mode(before & !OTHERS | 0o700));
        // Some file systems accept a mode change without applying it.
        let after = closed.and_then(|()| mode());
        if !after.as_ref().is_ok_and(|mode| mode & OTHERS == 0) {
            return Err(FolderError::Exposed {
                path: path.to_owned(),
                mode: before,
                source: after.err(),
            });
        }
    }
    for entry in fs::read_dir(path).map_err(|e| io_error(path, e))? {
        let entry = entry.map_err(|e| io_error(path, e))?;
        match entry.metadata() {
            Ok(found) => check_owner(&entry.path(), found.uid())?,
            // The owning process just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io_error(&entry.path(), error)),
        }
    }
    Ok((before & OTHERS != 0).then_some(before))
}

fn check_owner(path: &Path, uid: u32) -> Result<(), FolderError> {
    if uid == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let path = path.to_owned();
    Err(FolderError::Foreign { path, uid })
}
