//! An opened folder. Each name of a path is opened relative to its parent (openat(2), `O_NOFOLLOW`) and no link
//! is followed. So concurrent renames can't lead outside the folder.

use alfred_core::ports::{
    FileBody, FileInfo, FileKind, FilesError, Listing, MOST_FILE_BYTES, MOST_LISTED, UNFINISHED,
    VirtualPath, folded,
};
use jiff::Timestamp;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

const MOST_ENTRIES: usize = 10_000;
const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// `NONBLOCK` keeps the opening of a pipe from waiting for its other end.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

const LINK: &str = "is a link, and none is followed";
const IS_FOLDER: &str = "is a folder";
const NOT_PLAIN: &str = "is no plain file";
const OTHER_CASE: &str = "is there already in another case";

/// Device and inode: the identity of a folder under any path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(u64, u64);

impl Node {
    pub fn of(path: &Path) -> Option<Self> {
        rustix::fs::stat(path).ok().map(|found| node(&found))
    }
}

pub struct Opened {
    root: OwnedFd,
    hidden: Option<Node>,
}

enum There {
    Exactly,
    /// Some file systems would treat both as the same name.
    InAnotherCase,
    No,
}

/// The folder of a file or folder, its name, and its metadata.
type Found<'a> = (OwnedFd, &'a str, Stat);

impl Opened {
    pub fn at(root: &str, hidden: Option<Node>) -> Result<Self, FilesError> {
        let path = VirtualPath::root();
        let opened = rustix::fs::open(root, FOLDER, Mode::empty());
        let root = opened.map_err(|error| failed(error, &path))?;
        let opened = Self { root, hidden };
        if opened.hides(&stat(&opened.root, &path)?) {
            return Err(FilesError::not_found(&path));
        }
        Ok(opened)
    }

    fn hides(&self, found: &Stat) -> bool {
        self.hidden == Some(node(found))
    }

    pub fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError> {
        if path.names().next().is_none() {
            return Ok(info(&stat(&self.root, path)?));
        }
        let (.., found) = self.find(path)?;
        Ok(info(&found))
    }

    /// Opens the folder at these names. Creates missing ones if `make`.
    fn folder<'a>(
        &self,
        path: &VirtualPath,
        names: impl Iterator<Item = &'a str>,
        make: bool,
    ) -> Result<OwnedFd, FilesError> {
        let mut at = self.root.try_clone().map_err(|error| away(&error))?;
        for name in names {
            match there(&at, name, path)? {
                There::Exactly => {}
                There::InAnotherCase if make => return Err(FilesError::invalid(path, OTHER_CASE)),
                There::No if make => match rustix::fs::mkdirat(&at, name, Mode::from(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(failed(error, path)),
                },
                There::InAnotherCase | There::No => return Err(FilesError::not_found(path)),
            }
            let below = rustix::fs::openat(&at, name, FOLDER, Mode::empty());
            at = below.map_err(|error| match error {
                Errno::NOTDIR | Errno::LOOP => no_folder(&at, name, path, make),
                error => failed(error, path),
            })?;
            if self.hides(&stat(&at, path)?) {
                return Err(FilesError::not_found(path));
            }
        }
        Ok(at)
    }

    /// Opens the folder that contains a file, and returns it with the file's name.
    fn parent<'a>(
        &self,
        path: &'a VirtualPath,
        make: bool,
    ) -> Result<(OwnedFd, &'a str), FilesError> {
        let mut names = path.names();
        let name = names.next_back();
        let name = name.ok_or_else(|| FilesError::invalid(path, IS_FOLDER))?;
        Ok((self.folder(path, names, make)?, name))
    }

    fn find<'a>(&self, path: &'a VirtualPath) -> Result<Found<'a>, FilesError> {
        let (at, name) = self.parent(path, false)?;
        let There::Exactly = there(&at, name, path)? else {
            return Err(FilesError::not_found(path));
        };
        let found = rustix::fs::statat(&at, name, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_err(|error| failed(error, path))?;
        match kind(&found) {
            FileType::Symlink => Err(FilesError::invalid(path, LINK)),
            FileType::Directory if self.hides(&found) => Err(FilesError::not_found(path)),
            FileType::RegularFile | FileType::Directory => Ok((at, name, found)),
            _ => Err(FilesError::invalid(path, NOT_PLAIN)),
        }
    }

    fn find_file<'a>(&self, path: &'a VirtualPath) -> Result<Found<'a>, FilesError> {
        let found = self.find(path)?;
        if kind(&found.2) == FileType::Directory {
            return Err(FilesError::invalid(path, IS_FOLDER));
        }
        Ok(found)
    }

    pub fn read(&self, path: &VirtualPath, most: usize) -> Result<FileBody, FilesError> {
        let (at, name, _) = self.find_file(path)?;
        let opened = rustix::fs::openat(&at, name, FILE, Mode::empty());
        let opened = opened.map_err(|error| failed(error, path))?;
        // The file may have changed since `find_file`; this checks the one that is read.
        let found = stat(&opened, path)?;
        if kind(&found) != FileType::RegularFile {
            return Err(FilesError::invalid(path, NOT_PLAIN));
        }
        let mut bytes = Vec::new();
        let mut file = File::from(opened).take(most as u64 + 1);
        let read = file.read_to_end(&mut bytes);
        read.map_err(|error| away(&error))?;
        if bytes.len() > most {
            return Err(FilesError::too_large(path, most, "bytes"));
        }
        let info = info(&found);
        Ok(FileBody { info, bytes })
    }

    pub fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError> {
        if self.info(path)?.kind == FileKind::File {
            return Err(FilesError::invalid(path, "is a file"));
        }
        let at = self.folder(path, path.names(), false)?;
        let mut entries = BTreeMap::new();
        let mut seen = 0;
        for name in names(&at, path)? {
            seen += 1;
            if seen > MOST_ENTRIES {
                break;
            }
            let Some(name) = name?.filter(|name| VirtualPath::takes(name)) else {
                continue;
            };
            let Ok(found) = rustix::fs::statat(&at, &*name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let plain = matches!(kind(&found), FileType::RegularFile | FileType::Directory);
            if plain && !self.hides(&found) {
                entries.insert(name, info(&found));
            }
        }
        Ok(Listing {
            more: seen > MOST_ENTRIES || entries.len() > MOST_LISTED,
            entries: entries.into_iter().take(MOST_LISTED).collect(),
        })
    }

    pub fn write(&self, path: &VirtualPath, bytes: &[u8]) -> Result<(), FilesError> {
        if bytes.len() > MOST_FILE_BYTES {
            return Err(FilesError::too_long(path));
        }
        let (at, name) = self.parent(path, true)?;
        let mode = match there(&at, name, path)? {
            There::InAnotherCase => return Err(FilesError::invalid(path, OTHER_CASE)),
            There::No => None,
            There::Exactly => {
                let (.., found) = self.find_file(path)?;
                Some(Mode::from_raw_mode(found.st_mode & 0o777))
            }
        };
        let unfinished = format!("{UNFINISHED}{}", uuid::Uuid::now_v7().simple());
        let put = || -> Result<(), Errno> {
            let new = FILE | OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
            let file = rustix::fs::openat(&at, &*unfinished, new, Mode::from(0o666))?;
            let mut file = File::from(file);
            let written = file.write_all(bytes);
            written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
            if let Some(mode) = mode {
                rustix::fs::fchmod(&file, mode)?;
            }
            rustix::fs::fsync(&file)?;
            rustix::fs::renameat(&at, &*unfinished, &at, name)?;
            rustix::fs::fsync(&at)
        };
        put().map_err(|error| {
            // Fails if the rename already happened. A leftover file is hidden from every listing.
            let _ = rustix::fs::unlinkat(&at, &*unfinished, AtFlags::empty());
            failed(error, path)
        })
    }

    pub fn delete(&self, path: &VirtualPath) -> Result<(), FilesError> {
        let (at, name, _) = self.find_file(path)?;
        let gone = rustix::fs::unlinkat(&at, name, AtFlags::empty());
        gone.and_then(|()| rustix::fs::fsync(&at))
            .map_err(|error| failed(error, path))
    }
}

/// Compares exactly and case-folded.
fn there(at: &OwnedFd, name: &str, path: &VirtualPath) -> Result<There, FilesError> {
    let (mut found, wanted) = (There::No, folded(name));
    for (seen, entry) in names(at, path)?.enumerate() {
        if seen >= MOST_ENTRIES {
            let what = "entries in its folder";
            return Err(FilesError::too_large(path, MOST_ENTRIES, what));
        }
        match entry? {
            Some(entry) if entry == name => return Ok(There::Exactly),
            Some(entry) if folded(&entry) == wanted => found = There::InAnotherCase,
            _ => {}
        }
    }
    Ok(found)
}

/// The names in a folder; `None` for one that isn't UTF-8.
fn names(
    at: &OwnedFd,
    path: &VirtualPath,
) -> Result<impl Iterator<Item = Result<Option<String>, FilesError>>, FilesError> {
    let entries = Dir::read_from(at).map_err(|error| failed(error, path))?;
    let path = path.clone();
    let name = move |entry: Result<rustix::fs::DirEntry, Errno>| {
        let entry = entry.map_err(|error| failed(error, &path))?;
        let name = entry.file_name().to_str().ok();
        let name = name.filter(|name| !matches!(*name, "." | ".."));
        Ok(name.map(str::to_owned))
    };
    Ok(entries.map(name))
}

/// Explains why a path component couldn't be opened as a folder.
fn no_folder(at: &OwnedFd, name: &str, path: &VirtualPath, make: bool) -> FilesError {
    let found = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
    match found.map(|found| kind(&found)) {
        Ok(FileType::Symlink) => FilesError::invalid(path, LINK),
        _ if make => FilesError::invalid(path, "lies below a file"),
        _ => FilesError::not_found(path),
    }
}

fn stat(opened: impl AsFd, path: &VirtualPath) -> Result<Stat, FilesError> {
    rustix::fs::fstat(opened).map_err(|error| failed(error, path))
}

fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

/// Files count as tainted, because their authors are unknown.
fn info(found: &Stat) -> FileInfo {
    let nanoseconds = i32::try_from(found.st_mtime_nsec).unwrap_or_default();
    let mut info = FileInfo::folder(true);
    info.modified = Timestamp::new(found.st_mtime, nanoseconds).ok();
    if kind(found) != FileType::Directory {
        info.kind = FileKind::File;
        info.bytes = u64::try_from(found.st_size).unwrap_or_default();
    }
    info
}

fn node(found: &Stat) -> Node {
    Node(found.st_dev, found.st_ino)
}

fn failed(error: Errno, path: &VirtualPath) -> FilesError {
    match error {
        Errno::NOENT => FilesError::not_found(path),
        Errno::LOOP => FilesError::invalid(path, LINK),
        Errno::NOTDIR => FilesError::invalid(path, "is no folder"),
        Errno::ISDIR => FilesError::invalid(path, IS_FOLDER),
        Errno::NXIO => FilesError::invalid(path, NOT_PLAIN),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => FilesError::ReadOnly {
            path: path.to_string(),
        },
        error => away(&error.into()),
    }
}

pub fn away(error: &std::io::Error) -> FilesError {
    let detail = error.to_string();
    FilesError::Unavailable { detail }
}
