//! Lists and reads the files of a mail folder, on all processors: there may be a hundred thousand.

use alfred_core::progress::Long;
use alfred_core::{Progress, text};
use alfred_mime::Raw;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::index::{Contents, Known, Shelf, Stamp};
use crate::folder;

const MBOX: &str = "I can't read mbox files. Please open it in a mail program such as Thunderbird, save its mails as .eml files in mail/inbox, and move this file elsewhere.";

/// Bytes of a mail that are read for its envelope.
pub(super) const HEAD: usize = 128 * 1_024;
const THREADS: usize = 8;
/// Least files for one thread.
const SHARE: usize = 64;

/// Every file that may hold mails, relative to the mail folder. Reads none of them.
pub(super) fn files(root: &Path) -> io::Result<Vec<(PathBuf, Stamp)>> {
    let mut files = folder::named(root, "mbox")?;
    for shelf in Shelf::ALL {
        files.extend(folder::named(&root.join(shelf.name()), "eml")?);
    }
    let look = |file: &PathBuf| {
        let name = file.strip_prefix(root).unwrap_or(file).to_owned();
        stamp_at(file).map(|stamp| Some((name, stamp?))).transpose()
    };
    shared(&files, look).into_iter().collect()
}

/// `None` if there is no file. A symbolic link may lead out of the folder, so it is ignored.
pub(super) fn stamp_at(path: &Path) -> io::Result<Option<Stamp>> {
    let found = folder::optional(fs::symlink_metadata(path))?;
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
        counting.add(stamp.size);
        let mail = match folder::optional(mail(root, file, *stamp)) {
            Ok(mail) => mail?,
            Err(error) => Err(format!("The file can't be read ({error}).")),
        };
        let stamp = *stamp;
        Some((file.clone(), Contents { stamp, mail }))
    };
    shared(files, read)
}

fn mail(root: &Path, file: &Path, stamp: Stamp) -> io::Result<Result<Arc<Known>, String>> {
    let mut shelves = Shelf::ALL.into_iter();
    let Some(shelf) = shelves.find(|shelf| file.starts_with(shelf.name())) else {
        return Ok(Err(MBOX.to_owned()));
    };
    let summary = with_head(&root.join(file), HEAD, stamp, |raw| raw.summary())?;
    let known = summary.map(|mut summary| {
        summary.status = shelf.status();
        Arc::new(Known {
            file: file.to_owned(),
            shelf,
            stamp,
            summary,
        })
    });
    Ok(known.ok_or_else(|| text::NO_MAIL_IN_FILE.to_owned()))
}

/// Applies `read` to at most this many bytes of a mail.
pub(super) fn with_head<T>(
    path: &Path,
    most: usize,
    stamp: Stamp,
    read: impl FnOnce(&Raw<'_>) -> T,
) -> io::Result<T> {
    let (bytes, whole) = folder::head(path, most)?;
    Ok(read(&Raw {
        bytes: &bytes,
        whole,
        size: stamp.size,
        modified: stamp.modified,
    }))
}

/// Runs on all processors and keeps the order. A panic in one share panics here, since mails would be missing
/// otherwise.
fn shared<T: Sync, R: Send>(all: &[T], each: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = all.len().div_ceil(threads.min(THREADS)).max(SHARE);
    let work = |share: &[T]| share.iter().filter_map(&each).collect::<Vec<R>>();
    thread::scope(|scope| {
        let shares = all
            .chunks(share)
            .map(|share| scope.spawn(move || work(share)));
        let shares: Vec<_> = shares.collect();
        let done = shares.into_iter().flat_map(|share| {
            let done = share.join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.collect()
    })
}
