//! File operations that are atomic, even in a power cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Replaces a file by way of a new file in the same folder.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = parent(path)?;
    let file = written(folder, bytes)?;
    if let Some(there) = optional(fs::metadata(path))? {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    sync(folder)
}

/// Creates a file. False if something exists at the path.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = parent(path)?;
    match written(folder, bytes)?.persist_noclobber(path) {
        Ok(_) => sync(folder).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

fn written(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut settings = tempfile::Builder::new();
    let mut file = settings.prefix(".alfred-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Moves a file into another folder, under a numbered name if its own is taken. Never overwrites: for a
/// moment the file is in both places, but never in none.
pub(crate) fn move_into(file: &Path, folder: &Path) -> io::Result<()> {
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    for number in 1..=1_000 {
        let target = folder.join(numbered(Path::new(name), number));
        match fs::hard_link(file, &target) {
            Ok(()) => fs::remove_file(file)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
            // The file system has no hard links.
            Err(_) if target.try_exists()? => continue,
            Err(_) => fs::rename(file, &target)?,
        }
        sync(folder)?;
        return sync(parent(file)?);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Moves a file, replacing the target.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync(parent(to)?)?;
    sync(parent(from)?)
}

pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match optional(fs::remove_file(path))? {
        Some(()) => sync(parent(path)?),
        None => Ok(()),
    }
}

/// `a.eml`, `a-2.eml`, …
fn numbered(name: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return name.to_owned();
    }
    let mut new = name.file_stem().unwrap_or_default().to_owned();
    new.push(format!("-{number}"));
    if let Some(extension) = name.extension() {
        new.push(".");
        new.push(extension);
    }
    new.into()
}

/// Appends whole lines to a file.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// The first bytes of a file, and whether they are all of it.
pub(crate) fn head(path: &Path, most: usize) -> io::Result<(Vec<u8>, bool)> {
    let file = File::open(path)?;
    let size = file.metadata()?.len().min(most as u64);
    // One byte more, so the end is detected without growing the buffer.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    let whole = bytes.len() <= most;
    bytes.truncate(most);
    Ok((bytes, whole))
}

/// The files with this extension in a folder, sorted. Empty if the folder doesn't exist.
pub(crate) fn named(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let entries = optional(fs::read_dir(folder))?;
    let mut files = Vec::new();
    for entry in entries.into_iter().flatten() {
        let file = entry?.path();
        let found = file.extension();
        if found.is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Turns "not found" into `None`.
pub(crate) fn optional<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parent(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or(io::ErrorKind::InvalidInput.into())
}

fn sync(folder: &Path) -> io::Result<()> {
    // Only Unix can open folders. Elsewhere the rename is not synced.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten_by_a_move() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        for path in [&from, &to] {
            fs::create_dir(path).unwrap();
        }
        for (number, expected) in [(1, "x.eml"), (2, "x-2.eml"), (3, "x-3.eml")] {
            let file = from.join("x.eml");
            assert!(create(&file, number.to_string().as_bytes()).unwrap());
            move_into(&file, &to).unwrap();
            assert!(to.join(expected).exists() && !file.exists());
        }
        assert_eq!(fs::read(to.join("x.eml")).unwrap(), b"1");
        assert!(!create(&to.join("x.eml"), b"other").unwrap());
        assert_eq!(fs::read(to.join("x.eml")).unwrap(), b"1");
    }
}
