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
    Sent,
}

impl Shelf {
    pub const ALL: [Self; 3] = [Self::Inbox, Self::Archive, Self::Sent];

    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Archive => "archive",
            Self::Sent => "sent",
        }
    }

    /// The state of its mails unless another is stored.
    pub fn status(self) -> MailStatus {
        match self {
            Self::Inbox => MailStatus::Unread,
            Self::Archive => MailStatus::Archived,
            Self::Sent => MailStatus::Read,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File(Shelf),
    Mbox { offset: u64, len: u64 },
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
    pub place: Place,
    pub stamp: Stamp,
    /// Whether it was received, not sent or deleted.
    pub arrived: bool,
    pub sent: bool,
    /// With its original state.
    pub summary: MailSummary,
}

impl Known {
    /// Of several copies of a mail, the lowest rank wins.
    fn rank(&self) -> (u8, &Path, u64) {
        match self.place {
            Place::File(Shelf::Inbox) => (0, &self.file, 0),
            Place::Mbox { offset, .. } => (1, &self.file, offset),
            Place::File(Shelf::Archive) => (2, &self.file, 0),
            Place::File(Shelf::Sent) => (3, &self.file, 0),
        }
    }
}

pub(super) struct Contents {
    pub stamp: Stamp,
    pub mails: Vec<Arc<Known>>,
    /// Why the file or one of its mails couldn't be read.
    pub spoiled: Vec<String>,
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
        let there = scan::files(&self.root)?;
        let is_same = |(file, stamp): &(PathBuf, Stamp)| {
            let known = self.files.get(file);
            known.is_some_and(|known| known.stamp == *stamp)
        };
        let (same, other): (Vec<_>, Vec<_>) = there.into_iter().partition(is_same);
        if same.len() < self.files.len() {
            let kept = same
                .into_iter()
                .filter_map(|(file, _)| self.files.remove_entry(&file));
            self.files = kept.collect();
            self.newest = None;
        }
        if !other.is_empty() {
            self.files
                .extend(scan::read(&self.root, &other, &self.progress));
            self.newest = None;
        }
        Ok(())
    }

    /// Checks one file, relative to the mail folder.
    pub fn look_at(&mut self, file: PathBuf) -> io::Result<()> {
        self.files.remove(&file);
        self.newest = None;
        if let Some(stamp) = scan::stamp_at(&self.root.join(&file))? {
            let read = scan::read(&self.root, &[(file, stamp)], &self.progress);
            self.files.extend(read);
        }
        Ok(())
    }

    pub fn newest(&mut self) -> &[Arc<Known>] {
        self.newest.get_or_insert_with(|| {
            let mut foremost: HashMap<&MailId, &Arc<Known>> =
                HashMap::with_capacity(self.files.len());
            for mail in self.files.values().flat_map(|file| &file.mails) {
                let first = foremost.entry(&mail.summary.id).or_insert(mail);
                if mail.rank() < first.rank() {
                    *first = mail;
                }
            }
            let mut mails: Vec<_> = foremost
                .into_iter()
                .map(|(id, mail)| (mail.summary.received_at, id, mail))
                .collect();
            mails.sort_unstable_by_key(|(at, id, _)| Reverse((*at, *id)));
            mails.into_iter().map(|(_, _, mail)| mail.clone()).collect()
        })
    }

    /// A mail and its copies, by rank.
    pub fn find(&self, id: &MailId) -> Vec<Arc<Known>> {
        let mails = self.files.values().flat_map(|file| &file.mails);
        let mut found: Vec<_> = mails
            .filter(|mail| mail.summary.id == *id)
            .cloned()
            .collect();
        found.sort_by(|a, b| a.rank().cmp(&b.rank()));
        found
    }

    /// Whether its file is unchanged since it was read.
    pub fn is_current(&self, mail: &Known) -> io::Result<bool> {
        Ok(scan::stamp_at(&self.root.join(&mail.file))? == Some(mail.stamp))
    }

    pub fn unreadable(&self) -> Vec<Unreadable> {
        let spoiled = self.files.iter().flat_map(|(file, contents)| {
            let name = file.to_string_lossy();
            contents.spoiled.iter().map(move |reason| Unreadable {
                name: name.clone().into_owned(),
                reason: reason.clone(),
            })
        });
        let mut unreadable: Vec<_> = spoiled.collect();
        unreadable.sort_by(|a, b| a.name.cmp(&b.name));
        unreadable
    }
}
