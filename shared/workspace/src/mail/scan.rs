//! What lies in a mail folder, and what its files hold. Looking at a hundred thousand files, and reading them,
//! is shared among the processors.

use alfred_core::ports::MailSummary;
use alfred_core::text;
use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufReader};
use std::path::Path;
use std::thread;

use super::index::{Place, Record, Stamp};
use super::mbox::{self, Labels};
use super::parse::Raw;
use crate::folder;

/// How much of a mail is read for its envelope.
pub(super) const HEAD: usize = 128 * 1_024;
/// Threads at most.
const THREADS: usize = 8;
/// Files for which it isn't worth while to begin a thread.
const SHARE: usize = 64;

/// The mboxes of a mail folder.
pub(super) fn mboxes(root: &Path) -> io::Result<BTreeMap<String, Stamp>> {
    let mut boxes = BTreeMap::new();
    for entry in entries(root, "mbox")? {
        if let (Some(name), Some(stamp)) = (entry.file_name().to_str(), stamp(&entry)?) {
            boxes.insert(name.to_owned(), stamp);
        }
    }
    Ok(boxes)
}

/// A file that may be a mail.
pub(super) struct Entry {
    /// Its name, as far as it is Unicode.
    pub name: String,
    /// Whether that is all of it.
    pub is_named: bool,
    /// What tells it from another file of its name, without a look at it; 0 where the system doesn't say.
    pub inode: u64,
    entry: DirEntry,
}

/// The mails of one of its folders. None of them is looked at.
pub(super) fn mails(folder: &Path) -> io::Result<Vec<Entry>> {
    let entries = entries(folder, "eml")?.into_iter();
    let named = |entry: DirEntry| {
        let inode = inode(&entry);
        let (name, is_named) = match entry.file_name().into_string() {
            Ok(name) => (name, true),
            Err(name) => (name.to_string_lossy().into_owned(), false),
        };
        Entry {
            name,
            is_named,
            inode,
            entry,
        }
    };
    Ok(entries.map(named).collect())
}

/// The same, looked at; what is no file, or gone, is left out.
pub(super) fn stamps(entries: Vec<Entry>) -> io::Result<Vec<(Entry, Stamp)>> {
    let look = |entry: &Entry| Some(stamp(&entry.entry));
    let stamps = shared(&entries, look);
    let mut found = Vec::with_capacity(entries.len());
    for (entry, stamp) in entries.into_iter().zip(stamps) {
        found.extend(stamp?.map(|stamp| (entry, stamp)));
    }
    Ok(found)
}

#[cfg(unix)]
fn inode(entry: &DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn inode(_: &DirEntry) -> u64 {
    0
}

/// The file at this path as it is now; a link is none.
pub(super) fn stamp_at(path: &Path) -> io::Result<Option<Stamp>> {
    let found = folder::optional(fs::symlink_metadata(path))?.filter(fs::Metadata::is_file);
    found.as_ref().map(Stamp::of).transpose()
}

/// The envelopes of these files; what is gone meanwhile is left out.
pub(super) fn read(root: &Path, files: Vec<(Place, Stamp)>) -> Vec<Record> {
    shared(&files, |(place, stamp)| read_file(root, place, *stamp))
}

/// A file whose name isn't Unicode.
pub(super) fn unnamed(place: Place, stamp: Stamp) -> Record {
    spoiled(place, stamp, text::file_name_not_read())
}

/// On all processors, in order.
fn shared<T: Sync, R: Send>(all: &[T], each: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = all.len().div_ceil(threads.min(THREADS)).max(SHARE);
    if all.len() <= share {
        return all.iter().filter_map(each).collect();
    }
    let each = &each;
    thread::scope(|scope| {
        let shares = all.chunks(share);
        let at_work: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().filter_map(each).collect::<Vec<R>>()))
            .collect();
        let done = at_work.into_iter().map(|share| {
            let done = share.join();
            // A share less would be mails less, and nobody would know.
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.flatten().collect()
    })
}

/// What is named so in a folder; nothing when there is none.
fn entries(folder: &Path, extension: &str) -> io::Result<Vec<DirEntry>> {
    let Some(entries) = folder::optional(fs::read_dir(folder))? else {
        return Ok(Vec::new());
    };
    let is_named = |entry: &DirEntry| {
        let name = entry.file_name();
        let found = Path::new(&name).extension();
        found.is_some_and(|found| found.eq_ignore_ascii_case(extension))
    };
    entries
        .filter(|entry| entry.as_ref().map_or(true, is_named))
        .collect()
}

/// Of a file; a link, which may lead out of the folder, is none.
fn stamp(entry: &DirEntry) -> io::Result<Option<Stamp>> {
    let found = folder::optional(entry.metadata())?.filter(fs::Metadata::is_file);
    found.as_ref().map(Stamp::of).transpose()
}

fn spoiled(place: Place, stamp: Stamp, reason: String) -> Record {
    Record {
        place,
        stamp,
        arrived: true,
        read: Err(reason),
    }
}

/// `None` when it is gone.
fn read_file(root: &Path, place: &Place, stamp: Stamp) -> Option<Record> {
    let read = match folder::optional(folder::head(&root.join(place.path()), HEAD)) {
        Ok(None) => return None,
        Ok(Some((bytes, whole))) => {
            let raw = Raw {
                bytes: &bytes,
                whole,
                size: stamp.size,
                modified: stamp.modified,
            };
            raw.summary().ok_or_else(text::no_mail_in_file)
        }
        Err(error) => Err(text::file_not_read(&error.to_string())),
    };
    let record = Record {
        place: place.clone(),
        stamp,
        arrived: true,
        read,
    };
    match place {
        Place::File { shelf, .. } => Some(record.on(*shelf)),
        Place::Mbox { .. } => Some(record),
    }
}

pub(super) fn read_mbox(root: &Path, name: &str, stamp: Stamp) -> Vec<Record> {
    let mut records = Vec::new();
    let place = |offset, len| Place::Mbox {
        name: name.to_owned(),
        offset,
        len,
    };
    let each = |found: mbox::Found| {
        let raw = Raw {
            bytes: &found.head,
            whole: found.whole,
            size: found.len,
            modified: stamp.modified,
        };
        let labels = Labels::of(&found.head);
        let read = raw.summary().ok_or_else(text::no_mail_in_file);
        records.push(Record {
            place: place(found.offset, found.len),
            stamp,
            arrived: labels.arrived,
            read: read.map(|summary| MailSummary {
                status: labels.status,
                ..summary
            }),
        });
    };
    let split = File::open(root.join(name)).and_then(|file| {
        let reader = BufReader::with_capacity(1 << 20, file);
        mbox::split(reader, HEAD, each)
    });
    match split {
        Ok(true) => records,
        Ok(false) => vec![spoiled(place(0, 0), stamp, text::no_mbox())],
        Err(error) => vec![spoiled(
            place(0, 0),
            stamp,
            text::file_not_read(&error.to_string()),
        )],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_panics_is_no_share_less() {
        let all: Vec<usize> = (0..1_000).collect();
        assert_eq!(shared(&all, |n| Some(*n)), all);
        let odd = |n: &usize| {
            assert_ne!(*n, 700, "can't be read");
            Some(*n)
        };
        let ended = std::panic::catch_unwind(|| shared(&all, odd));
        assert!(ended.is_err());
    }
}
