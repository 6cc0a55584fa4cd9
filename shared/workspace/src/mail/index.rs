//! The envelopes of a mailbox by file. A listing checks every file and reads those with a new size, time or
//! inode.

use alfred_core::Progress;
use alfred_core::id::MailId;
use alfred_core::ports::{MailStatus, MailSummary, Unreadable};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::scan;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shelf {
    Inbox,
    Archive,
    Bin,
    Sent,
}

impl Shelf {
    pub const ALL: [Self; 4] = [Self::Inbox, Self::Archive, Self::Bin, Self::Sent];

    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Archive => "archive",
            Self::Bin => "bin",
            Self::Sent => "sent",
        }
    }

    /// The state of its mails unless another is stored.
    pub fn status(self) -> MailStatus {
        match self {
            Self::Inbox => MailStatus::Unread,
            Self::Archive => MailStatus::Archived,
            Self::Bin => MailStatus::Deleted,
            Self::Sent => MailStatus::Read,
        }
    }
}

/// Shows whether a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub size: u64,
    pub modified: Timestamp,
    /// Distinguishes files of the same size written within one clock tick. 0 on systems without inodes.
    inode: u64,
}

impl Stamp {
    pub fn from_metadata(file: &fs::Metadata) -> io::Result<Self> {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(file);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Self {
            size: file.len(),
            // Outside the years -9999 to 9999 no date is plausible.
            modified: Timestamp::try_from(file.modified()?).unwrap_or(Timestamp::UNIX_EPOCH),
            inode,
        })
    }
}

#[derive(Debug)]
pub(super) struct Known {
    /// Relative to the mail folder.
    pub file: PathBuf,
    pub shelf: Shelf,
    pub stamp: Stamp,
    /// With the state of its shelf.
    pub summary: MailSummary,
}

impl Known {
    /// Of several copies of a mail, the lowest rank wins.
    fn rank(&self) -> (Shelf, &Path) {
        (self.shelf, &self.file)
    }
}

pub(super) struct Contents {
    pub stamp: Stamp,
    /// The mail, or why the file couldn't be read.
    pub mail: Result<Arc<Known>, String>,
}

pub(super) struct Index {
    root: PathBuf,
    files: HashMap<PathBuf, Contents>,
    /// Each mail once, newest first. Rebuilt when a file has changed.
    newest: Option<Vec<Arc<Known>>>,
    progress: Arc<Progress>,
}

impl Index {
    /// Reads nothing yet.
    pub fn new(root: &Path, progress: Arc<Progress>) -> Self {
        Self {
            root: root.to_owned(),
            files: HashMap::new(),
            newest: None,
            progress,
        }
    }

    pub fn refresh(&mut self) -> io::Result<()> {
        let mut there: HashMap<_, _> = scan::files(&self.root)?.into_iter().collect();
        let before = self.files.len();
        self.files
            .retain(|file, known| there.get(file) == Some(&known.stamp));
        there.retain(|file, _| !self.files.contains_key(file));
        if self.files.len() < before || !there.is_empty() {
            let changed: Vec<_> = there.into_iter().collect();
            let read = scan::read(&self.root, &changed, &self.progress);
            self.files.extend(read);
            self.newest = None;
        }
        Ok(())
    }

    pub fn newest(&mut self) -> &[Arc<Known>] {
        let mails = mails(&self.files);
        self.newest.get_or_insert_with(|| {
            let mut mails: Vec<_> = mails.cloned().collect();
            mails
                .sort_unstable_by(|a, b| (&a.summary.id, a.rank()).cmp(&(&b.summary.id, b.rank())));
            mails.dedup_by(|copy, mail| copy.summary.id == mail.summary.id);
            mails.sort_by_cached_key(|mail| {
                Reverse((mail.summary.received_at, mail.summary.id.clone()))
            });
            mails
        })
    }

    /// A mail and its copies, by rank. Never a mail that has replaced it.
    pub fn find(&mut self, id: &MailId) -> io::Result<Vec<Arc<Known>>> {
        let mut found = self.copies(id);
        let mut current = !found.is_empty();
        for known in &found {
            current = current && self.is_current(known)?;
        }
        if !current {
            self.refresh()?;
            found = self.copies(id);
        }
        found.sort_by(|a, b| a.rank().cmp(&b.rank()));
        Ok(found)
    }

    fn copies(&self, id: &MailId) -> Vec<Arc<Known>> {
        let copies = mails(&self.files).filter(|mail| mail.summary.id == *id);
        copies.cloned().collect()
    }

    /// Whether its file is unchanged since it was read.
    pub fn is_current(&self, mail: &Known) -> io::Result<bool> {
        Ok(scan::stamp_at(&self.root.join(&mail.file))? == Some(mail.stamp))
    }

    pub fn unreadable(&self) -> Vec<Unreadable> {
        let spoiled = self.files.iter().filter_map(|(file, contents)| {
            let reason = contents.mail.as_ref().err()?.clone();
            let name = file.to_string_lossy().into_owned();
            Some(Unreadable { name, reason })
        });
        let mut unreadable: Vec<_> = spoiled.collect();
        unreadable.sort_by(|a, b| a.name.cmp(&b.name));
        unreadable
    }
}

fn mails(files: &HashMap<PathBuf, Contents>) -> impl Iterator<Item = &Arc<Known>> {
    files.values().flat_map(|file| &file.mail)
}
