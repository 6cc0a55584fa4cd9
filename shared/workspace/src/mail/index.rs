//! The envelopes of a mailbox, so that a page of a large one needs no mail read twice.
//!
//! What a file holds is known by its name, size and time. All are looked at once, at the start. Then a folder is
//! listed when its own time changed, and only names and inodes that are new are looked at; what a page shows is
//! always compared with its file. So a mail that arrives costs a listing of its folder and nothing more, and one
//! that was written over in place is read anew when a page shows it. The envelopes are written to a file, which
//! spares the next start; whatever of it doesn't fit is read anew.

mod look;
mod record;

use alfred_core::id::MailId;
use alfred_core::ports::Unreadable;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{cache, scan};
use look::{Diff, Rest, Seen};
use record::came_as;
pub(super) use record::{Known, Place, Record, Shelf, Stamp};

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

#[cfg(test)]
mod tests;
