//! The envelopes of a mailbox, so that a page of a large one needs no mail read twice.
//!
//! What a file holds is known by its name, size and time. All are looked at once, at the start. Then a folder is
//! listed when its own time changed, and only names and inodes that are new are looked at; what a page shows is
//! always compared with its file. So a mail that arrives costs a listing of its folder and nothing more, and one
//! that was written over in place is read anew when a page shows it. The envelopes are written to a file, which
//! spares the next start; whatever of it doesn't fit is read anew.

mod look;

use alfred_core::id::MailId;
use alfred_core::ports::{MailStatus, MailSummary, Unreadable};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{cache, scan};
use crate::folder;
use look::Diff;

/// A folder that changed less than this before it was looked through may have changed since
/// within the same tick of its clock.
const TICK: Duration = Duration::from_millis(50);

/// A folder of mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
}

/// Where a mail is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    /// A file of its own.
    File { shelf: Shelf, name: String },
    /// Within an mbox.
    Mbox { name: String, offset: u64, len: u64 },
}

impl Place {
    /// Of copies of one mail, the least counts.
    fn rank(&self) -> (u8, &str, u64) {
        match self {
            Self::File { shelf, name } => match shelf {
                Shelf::Inbox => (0, name, 0),
                Shelf::Archive => (2, name, 0),
                Shelf::Sent => (3, name, 0),
            },
            Self::Mbox { name, offset, .. } => (1, name, *offset),
        }
    }

    /// Relative to the mail folder.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::File { shelf, name } => Path::new(shelf.name()).join(name),
            Self::Mbox { name, .. } => name.into(),
        }
    }
}

/// What tells whether a file is still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub size: u64,
    pub modified: Timestamp,
}

/// What is known of a place: an envelope, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub place: Place,
    pub stamp: Stamp,
    /// Whether it arrived, as against what was sent or thrown away.
    pub arrived: bool,
    pub read: Result<MailSummary, String>,
}

/// A mail that can be read.
pub(super) struct Known {
    pub place: Place,
    pub stamp: Stamp,
    pub arrived: bool,
    /// As it came: the state it has as long as nobody says otherwise.
    pub came_as: MailStatus,
    /// With its state now.
    pub summary: MailSummary,
    /// Whether its state was looked up since it came here.
    pub settled: bool,
}

/// All mails, newest first.
pub(super) struct Index {
    root: PathBuf,
    pub mails: Vec<Known>,
    /// By which a mail is found among the others.
    received: HashMap<MailId, Timestamp>,
    pub unreadable: Vec<Unreadable>,
    /// What can't be read, and copies: not to be read again as long as their files stay.
    aside: Vec<Record>,
    folders: HashMap<Shelf, Seen>,
    /// The files of the folders that were looked through, by name.
    inodes: HashMap<Shelf, HashMap<String, u64>>,
    boxes: BTreeMap<String, Stamp>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    changed: Option<SystemTime>,
    rest: Rest,
}

/// Whether a folder may have changed since it was looked through without showing it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Within the same tick of its clock.
    Restless,
    /// Its time is that of a move of ours: what else came just before that doesn't show in it.
    Moved,
    Settled,
}

impl Index {
    /// Of the mail folder; nothing is looked at yet but what an earlier process wrote down.
    pub fn open(root: &Path) -> Self {
        let mut index = Self {
            root: root.to_owned(),
            mails: Vec::new(),
            received: HashMap::new(),
            unreadable: Vec::new(),
            aside: Vec::new(),
            folders: HashMap::new(),
            inodes: HashMap::new(),
            boxes: BTreeMap::new(),
        };
        index.add(cache::load(root));
        index
    }

    pub fn get(&self, id: &MailId) -> Option<&Known> {
        self.find(id).map(|at| &self.mails[at])
    }

    pub fn get_mut(&mut self, id: &MailId) -> Option<&mut Known> {
        self.find(id).map(|at| &mut self.mails[at])
    }

    fn find(&self, id: &MailId) -> Option<usize> {
        let key = Reverse((*self.received.get(id)?, id));
        self.mails
            .binary_search_by(|mail| mail.order().cmp(&key))
            .ok()
    }

    /// Looks for what changed; true when something did.
    pub fn refresh(&mut self) -> io::Result<bool> {
        self.look_where(|rest| rest != Rest::Settled)
    }

    /// The same, but for what came together with a move of ours: several moves in a row needn't list a folder each.
    pub fn refresh_between_moves(&mut self) -> io::Result<bool> {
        self.look_where(|rest| rest == Rest::Restless)
    }

    fn look_where(&mut self, also: impl Fn(Rest) -> bool) -> io::Result<bool> {
        let now = SystemTime::now();
        let mut changed = Vec::new();
        let mut folders = HashMap::new();
        for shelf in Shelf::ALL {
            let at = folder::optional(fs::metadata(self.root.join(shelf.name())))?;
            let at = at.map(|meta| meta.modified()).transpose()?;
            let age = at.and_then(|at| now.duration_since(at).ok());
            let settled = at.is_none() || age.is_some_and(|age| age > TICK);
            let rest = if settled {
                Rest::Settled
            } else {
                Rest::Restless
            };
            let before = self.folders.get(&shelf).copied();
            let before = before.filter(|before| before.changed == at && !also(before.rest));
            if before.is_none() {
                changed.push(shelf);
            }
            folders.insert(shelf, before.unwrap_or(Seen { changed: at, rest }));
        }
        let boxes = scan::mboxes(&self.root)?;
        if changed.is_empty() && boxes == self.boxes {
            return Ok(false);
        }
        let diff = self.look_through(&changed, &boxes)?;
        self.work_in(diff);
        self.folders = folders;
        self.boxes = boxes;
        Ok(true)
    }

    /// What we moved ourselves is no news.
    pub fn moved(&mut self, id: &MailId, shelf: Shelf, name: String) -> io::Result<()> {
        let Some(at) = self.find(id) else {
            return Ok(());
        };
        let known = &mut self.mails[at];
        let moved = Place::File {
            shelf,
            name: name.clone(),
        };
        let before = std::mem::replace(&mut known.place, moved);
        if let Place::File {
            shelf: from,
            name: old,
        } = before
            && let Some(inode) = self
                .inodes
                .get_mut(&from)
                .and_then(|names| names.remove(&old))
            && let Some(names) = self.inodes.get_mut(&shelf)
        {
            names.insert(name, inode);
        }
        known.came_as = came_as(shelf);
        let is_copy = |record: &mut Record| record.is_of(id);
        let mut copies: Vec<Record> = self.aside.extract_if(.., is_copy).collect();
        if !copies.is_empty() {
            // One of them may be in front of it now.
            self.received.remove(id);
            copies.push(self.mails.remove(at).into_record());
            self.add(copies);
            self.distrust();
            return Ok(());
        }
        for shelf in [Shelf::Inbox, Shelf::Archive] {
            let changed = fs::metadata(self.root.join(shelf.name()))?.modified()?;
            let seen = Seen {
                changed: Some(changed),
                rest: Rest::Moved,
            };
            self.folders.insert(shelf, seen);
        }
        Ok(())
    }

    /// Further files of a mail in a folder.
    pub fn copies(&self, id: &MailId, on: Shelf) -> Vec<PathBuf> {
        let lies = |place: &Place| matches!(place, Place::File { shelf, .. } if *shelf == on);
        let copies = self.aside.iter().filter(|record| record.is_of(id));
        let there = copies.filter(|record| lies(&record.place));
        there.map(|record| record.place.path()).collect()
    }

    /// Everything is looked through at the next refresh.
    pub fn distrust(&mut self) {
        self.folders.clear();
        self.inodes.clear();
    }

    /// Compares mails with their files; true when one isn't any more as it was read.
    pub fn verify<'a>(&mut self, ids: impl Iterator<Item = &'a MailId>) -> io::Result<bool> {
        let mut diff = Diff::default();
        for known in ids.filter_map(|id| self.get(id)) {
            let Place::File { .. } = known.place else {
                continue;
            };
            let now = scan::stamp_at(&self.root.join(known.place.path()))?;
            if now != Some(known.stamp) {
                diff.gone.insert(known.place.clone());
                diff.new.extend(now.map(|now| (known.place.clone(), now)));
                if let Place::File { shelf, name } = &known.place
                    && now.is_some()
                    && self.inodes.contains_key(shelf)
                {
                    // Of another inode, which the next listing tells; by its name it is known.
                    diff.inodes.push((*shelf, name.clone(), 0));
                }
            }
        }
        let other = !diff.gone.is_empty();
        if other {
            self.work_in(diff);
        }
        Ok(other)
    }

    /// Takes out what is gone, and reads what is new. A file that was only moved is known already.
    fn work_in(&mut self, diff: Diff) {
        for place in &diff.gone {
            if let Place::File { shelf, name } = place
                && let Some(names) = self.inodes.get_mut(shelf)
            {
                names.remove(name);
            }
        }
        for (shelf, name, inode) in diff.inodes {
            self.inodes.entry(shelf).or_default().insert(name, inode);
        }
        let mut moved: HashMap<(String, Stamp), Record> = HashMap::new();
        for record in self.take(&diff.gone) {
            if let Place::File { name, .. } = &record.place {
                moved.insert((name.clone(), record.stamp), record);
            }
        }
        let (mut added, mut unread) = (diff.spoiled, Vec::new());
        for (place, stamp) in diff.new {
            let Place::File { shelf, name } = &place else {
                continue;
            };
            match moved.remove(&(name.clone(), stamp)) {
                Some(record) => added.push(record.on(*shelf)),
                None => unread.push((place, stamp)),
            }
        }
        let mut read = scan::read(&self.root, unread);
        for (name, stamp) in diff.boxes {
            read.extend(scan::read_mbox(&self.root, &name, stamp));
        }
        let new = read.len();
        added.append(&mut read);
        self.add(added);
        if new > 0 {
            let mails = self.mails.iter().map(Known::to_record);
            cache::save(&self.root, mails.chain(self.aside.iter().cloned()), new);
        }
    }

    /// Takes out what lies in these places. A mail of which a copy is left stays, as that copy.
    fn take(&mut self, gone: &HashSet<Place>) -> Vec<Record> {
        if gone.is_empty() {
            return Vec::new();
        }
        let mails = self.mails.extract_if(.., |mail| gone.contains(&mail.place));
        let mut taken: Vec<Record> = mails.map(Known::into_record).collect();
        let mut ids = HashSet::new();
        for record in &taken {
            if let Ok(summary) = &record.read {
                self.received.remove(&summary.id);
                ids.insert(summary.id.clone());
            }
        }
        let aside = self
            .aside
            .extract_if(.., |record| gone.contains(&record.place));
        taken.extend(aside);
        let is_copy = |record: &mut Record| {
            let read = record.read.as_ref();
            read.is_ok_and(|summary| ids.contains(&summary.id))
        };
        let copies: Vec<Record> = self.aside.extract_if(.., is_copy).collect();
        self.add(copies);
        taken
    }

    /// Adds records, each mail once: of copies the one in the foremost place.
    fn add(&mut self, mut records: Vec<Record>) {
        records.sort_by(|a, b| a.place.rank().cmp(&b.place.rank()));
        let mut sorted = self.mails.len();
        for record in records {
            let Ok(summary) = &record.read else {
                self.aside.push(record);
                continue;
            };
            let (id, at) = (summary.id.clone(), summary.received_at);
            if let Some(before) = self.received.get(&id) {
                let key = Reverse((*before, &id));
                let there = self.mails[..sorted].binary_search_by(|mail| mail.order().cmp(&key));
                match there {
                    Ok(there) if record.place.rank() < self.mails[there].place.rank() => {
                        let copy = self.mails.remove(there).into_record();
                        self.aside.push(copy);
                        sorted -= 1;
                    }
                    // What was added just now has a place at least as far in front.
                    Ok(_) | Err(_) => {
                        self.aside.push(record);
                        continue;
                    }
                }
            }
            self.received.insert(id, at);
            self.mails.extend(record.known());
        }
        // Two runs that are in order each, or nearly so, are merged and not sorted anew.
        self.mails[sorted..].sort_by(|a, b| a.order().cmp(&b.order()));
        self.mails.sort_by(|a, b| a.order().cmp(&b.order()));
        let spoiled = self.aside.iter().filter_map(|record| {
            let reason = record.read.as_ref().err()?.clone();
            let name = record.place.path().to_string_lossy().into_owned();
            Some(Unreadable { name, reason })
        });
        self.unreadable = spoiled.collect();
        self.unreadable.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

impl Known {
    /// The newest first; of one instant by id.
    fn order(&self) -> Reverse<(Timestamp, &MailId)> {
        Reverse((self.summary.received_at, &self.summary.id))
    }

    fn to_record(&self) -> Record {
        Record {
            place: self.place.clone(),
            stamp: self.stamp,
            arrived: self.arrived,
            read: Ok(MailSummary {
                status: self.came_as,
                ..self.summary.clone()
            }),
        }
    }

    fn into_record(mut self) -> Record {
        self.summary.status = self.came_as;
        Record {
            place: self.place,
            stamp: self.stamp,
            arrived: self.arrived,
            read: Ok(self.summary),
        }
    }
}

impl Record {
    /// As a mail; `None` when it is none.
    fn known(self) -> Option<Known> {
        let summary = self.read.ok()?;
        Some(Known {
            place: self.place,
            stamp: self.stamp,
            arrived: self.arrived,
            came_as: summary.status,
            summary,
            settled: false,
        })
    }

    fn is_of(&self, id: &MailId) -> bool {
        self.read.as_ref().is_ok_and(|summary| summary.id == *id)
    }

    /// The same file in another folder.
    pub fn on(mut self, on: Shelf) -> Self {
        if let Place::File { shelf, .. } = &mut self.place {
            *shelf = on;
        }
        self.arrived = on != Shelf::Sent;
        if let Ok(summary) = &mut self.read {
            summary.status = came_as(on);
        }
        self
    }
}

fn came_as(shelf: Shelf) -> MailStatus {
    match shelf {
        Shelf::Inbox => MailStatus::Unread,
        Shelf::Archive => MailStatus::Archived,
        Shelf::Sent => MailStatus::Read,
    }
}

impl Stamp {
    pub fn of(file: &fs::Metadata) -> io::Result<Self> {
        Ok(Self {
            size: file.len(),
            // Before 9999 BC or after 9999 nobody filed mail.
            modified: Timestamp::try_from(file.modified()?).unwrap_or(Timestamp::UNIX_EPOCH),
        })
    }
}

#[cfg(test)]
mod tests;
