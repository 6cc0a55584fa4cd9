//! Lists and reads the files of a mail folder, on all processors: there may be a hundred thousand.

use alfred_core::ports::MailSummary;
use alfred_core::progress::Counting;
use alfred_core::{Long, Progress, text};
use alfred_mime::Raw;
use std::fs::{self, DirEntry, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::index::{Contents, Known, Place, Shelf, Stamp};
use super::mbox::{self, Labels};
use crate::folder;

/// Bytes of a mail that are read for its envelope.
pub(super) const HEAD: usize = 128 * 1_024;
const THREADS: usize = 8;
/// Least files for one thread.
const SHARE: usize = 64;

/// Every file that may hold mails, relative to the mail folder. Reads none of them.
pub(super) fn files(root: &Path) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let mut entries = named(root, "", "mbox")?;
    for shelf in Shelf::ALL {
        entries.extend(named(root, shelf.name(), "eml")?);
    }
    let look = |(file, entry): (PathBuf, DirEntry)| {
        let found = folder::optional(entry.metadata()).and_then(stamp);
        found.map(|found| Some((file, found?))).transpose()
    };
    shared(entries, look).into_iter().collect()
}

/// Files with this extension in a folder, relative to the mail folder. Empty if it doesn't exist.
fn named(root: &Path, folder: &str, extension: &str) -> io::Result<Vec<(PathBuf, DirEntry)>> {
    let Some(entries) = folder::optional(fs::read_dir(root.join(folder)))? else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let file = Path::new(folder).join(entry.file_name());
        let found = file.extension();
        if found.is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
            files.push((file, entry));
        }
    }
    Ok(files)
}

pub(super) fn stamp_at(path: &Path) -> io::Result<Option<Stamp>> {
    folder::optional(fs::symlink_metadata(path)).and_then(stamp)
}

/// A symbolic link may lead out of the folder, so it is ignored.
fn stamp(found: Option<fs::Metadata>) -> io::Result<Option<Stamp>> {
    let found = found.filter(fs::Metadata::is_file);
    found.as_ref().map(Stamp::from_metadata).transpose()
}

/// Reads files. Deleted ones are left out.
pub(super) fn read(
    root: &Path,
    files: &[(PathBuf, Stamp)],
    progress: &Progress,
) -> Vec<(PathBuf, Contents)> {
    let bytes = files.iter().map(|(_, stamp)| stamp.size).sum();
    let counting = progress.begin(Long::Mail, bytes);
    let read = |(file, stamp): &(PathBuf, Stamp)| {
        let mut found = Found {
            file,
            contents: Contents {
                stamp: *stamp,
                mails: Vec::new(),
                spoiled: Vec::new(),
            },
        };
        let shelf = file.parent().and_then(|parent| {
            let mut shelves = Shelf::ALL.into_iter();
            shelves.find(|shelf| parent == Path::new(shelf.name()))
        });
        let read = match shelf {
            Some(shelf) => {
                counting.add(stamp.size);
                found.read_mail(&root.join(file), shelf)
            }
            None => found.read_mbox(&root.join(file), &counting),
        };
        match folder::optional(read) {
            Ok(None) => return None,
            Ok(Some(())) => {}
            Err(error) => {
                found.contents.spoiled = vec![format!("The file can't be read ({error}).")]
            }
        }
        Some((file.clone(), found.contents))
    };
    shared(files.iter().collect(), read)
}

struct Found<'a> {
    file: &'a Path,
    contents: Contents,
}

impl Found<'_> {
    fn read_mail(&mut self, path: &Path, shelf: Shelf) -> io::Result<()> {
        let (bytes, whole) = folder::head(path, HEAD)?;
        let labels = Labels {
            status: shelf.status(),
            arrived: shelf != Shelf::Sent,
            sent: shelf == Shelf::Sent,
        };
        let raw = Raw {
            bytes: &bytes,
            whole,
            size: self.contents.stamp.size,
            modified: self.contents.stamp.modified,
        };
        self.add(Place::File(shelf), &labels, raw.summary());
        Ok(())
    }

    fn read_mbox(&mut self, path: &Path, counting: &Counting<'_>) -> io::Result<()> {
        let reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let modified = self.contents.stamp.modified;
        let is_mbox = mbox::split(reader, HEAD, |found| {
            let raw = Raw {
                bytes: &found.head,
                whole: found.whole,
                size: found.len,
                modified,
            };
            let (offset, len) = (found.offset, found.len);
            counting.add(len);
            let place = Place::Mbox { offset, len };
            self.add(place, &Labels::from_head(&found.head), raw.summary());
        })?;
        if !is_mbox {
            self.contents.spoiled.push(
                "The file isn't an mbox: it doesn't begin with \u{201c}From \u{201d}.".to_owned(),
            );
        }
        Ok(())
    }

    fn add(&mut self, place: Place, labels: &Labels, summary: Option<MailSummary>) {
        let Some(summary) = summary else {
            self.contents.spoiled.push(text::NO_MAIL_IN_FILE.to_owned());
            return;
        };
        self.contents.mails.push(Arc::new(Known {
            file: self.file.to_owned(),
            place,
            stamp: self.contents.stamp,
            arrived: labels.arrived,
            sent: labels.sent,
            summary: MailSummary {
                status: labels.status,
                ..summary
            },
        }));
    }
}

/// Runs on all processors and keeps the order. A panic in one share panics here, since mails would be missing
/// otherwise.
fn shared<T: Send, R: Send>(mut all: Vec<T>, each: impl Fn(T) -> Option<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = all.len().div_ceil(threads.min(THREADS)).max(SHARE);
    let each = &each;
    thread::scope(|scope| {
        let mut shares = Vec::new();
        while all.len() > share {
            let rest = all.split_off(share);
            let first = std::mem::replace(&mut all, rest);
            let work = move || first.into_iter().filter_map(each).collect::<Vec<R>>();
            shares.push(scope.spawn(work));
        }
        let last: Vec<R> = all.into_iter().filter_map(each).collect();
        let done = shares.into_iter().flat_map(|share| {
            let done = share.join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.chain(last).collect()
    })
}
