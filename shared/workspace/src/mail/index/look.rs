//! What became of a mail folder since it was looked through last.

use alfred_core::id::MailId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use super::{Index, Place, Record, Shelf, Stamp};
use crate::folder;
use crate::mail::scan;

/// A folder that changed less than this before it was looked through may have changed since
/// within the same tick of its clock.
const TICK: Duration = Duration::from_millis(50);

/// When a folder was looked through last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub changed: Option<SystemTime>,
    pub rest: Rest,
}

/// Whether a folder may have changed since it was looked through without showing it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Within the same tick of its clock.
    Restless,
    /// Its time is that of a move of ours: what else came just before that doesn't show in it.
    Moved,
    Settled,
}

/// What became of a mail folder since it was looked through.
#[derive(Default)]
pub(super) struct Diff {
    pub gone: HashSet<Place>,
    /// Files that are new, or other than they were.
    pub new: Vec<(Place, Stamp)>,
    /// What can't even be named.
    pub spoiled: Vec<Record>,
    /// An mbox that is new, or another one.
    pub boxes: Vec<(String, Stamp)>,
    /// Of the files that were looked at.
    pub inodes: Vec<(Shelf, String, u64)>,
}

impl Diff {
    fn put(&mut self, shelf: Shelf, entry: scan::Entry, stamp: Stamp) {
        let name = entry.name.clone();
        let place = Place::File { shelf, name };
        match entry.is_named {
            true => self.new.push((place, stamp)),
            false => self.spoiled.push(scan::unnamed(place, stamp)),
        }
    }
}

impl Index {
    /// Looks for what changed; true when something did.
    pub(in crate::mail) fn refresh(&mut self) -> io::Result<bool> {
        self.look_where(|rest| rest != Rest::Settled)
    }

    /// The same, but for what came together with a move of ours: several moves in a row needn't list a folder each.
    pub(in crate::mail) fn refresh_between_moves(&mut self) -> io::Result<bool> {
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

    /// Compares mails with their files; true when one isn't any more as it was read.
    pub(in crate::mail) fn verify<'a>(
        &mut self,
        ids: impl Iterator<Item = &'a MailId>,
    ) -> io::Result<bool> {
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

    /// What is other than it was in these folders, and among these mboxes. No mail is read.
    fn look_through(&self, changed: &[Shelf], boxes: &BTreeMap<String, Stamp>) -> io::Result<Diff> {
        let mut diff = Diff::default();
        for shelf in changed.iter().copied() {
            match self.inodes.get(&shelf) {
                Some(before) => self.look_quickly(shelf, before, &mut diff)?,
                None => self.look_at_all(shelf, &mut diff)?,
            }
        }
        let mut kept = HashSet::new();
        if !boxes.is_empty() || !self.boxes.is_empty() {
            for (place, stamp) in self.places() {
                match place {
                    Place::Mbox { name, .. } if boxes.get(name) == Some(&stamp) => {
                        kept.insert(name.as_str());
                    }
                    Place::Mbox { .. } => {
                        diff.gone.insert(place.clone());
                    }
                    Place::File { .. } => {}
                }
            }
        }
        let boxes = boxes.iter().filter(|(name, stamp)| {
            !kept.contains(name.as_str()) && self.boxes.get(*name) != Some(stamp)
        });
        let boxes = boxes.map(|(name, stamp)| (name.clone(), *stamp));
        diff.boxes.extend(boxes);
        Ok(diff)
    }

    /// Everything that is known of.
    fn places(&self) -> impl Iterator<Item = (&Place, Stamp)> {
        let mails = self.mails.iter().map(|mail| (&mail.place, mail.stamp));
        let aside = self
            .aside
            .iter()
            .map(|record| (&record.place, record.stamp));
        mails.chain(aside)
    }

    /// Looks at each file of a folder.
    fn look_at_all(&self, shelf: Shelf, diff: &mut Diff) -> io::Result<()> {
        let mut known = HashMap::new();
        for (place, stamp) in self.places() {
            if let Place::File { shelf: on, name } = place
                && *on == shelf
            {
                known.insert(name.as_str(), stamp);
            }
        }
        let entries = scan::mails(&self.root.join(shelf.name()))?;
        for (entry, stamp) in scan::stamps(entries)? {
            let before = known.remove(entry.name.as_str());
            diff.inodes.push((shelf, entry.name.clone(), entry.inode));
            if before == Some(stamp) {
                continue;
            }
            if before.is_some() {
                let name = entry.name.clone();
                diff.gone.insert(Place::File { shelf, name });
            }
            diff.put(shelf, entry, stamp);
        }
        let left = known.into_keys().map(|name| Place::File {
            shelf,
            name: name.to_owned(),
        });
        diff.gone.extend(left);
        Ok(())
    }

    /// Looks at the files of a folder that weren't there before, and at those that no page shows.
    fn look_quickly(
        &self,
        shelf: Shelf,
        before: &HashMap<String, u64>,
        diff: &mut Diff,
    ) -> io::Result<()> {
        let aside = self.aside.iter().filter_map(|record| match &record.place {
            Place::File { shelf: on, name } if *on == shelf => Some(name.as_str()),
            Place::File { .. } | Place::Mbox { .. } => None,
        });
        let aside: HashSet<&str> = aside.collect();
        let mut there = HashSet::with_capacity(before.len());
        let mut other = Vec::new();
        for entry in scan::mails(&self.root.join(shelf.name()))? {
            let known = before.get_key_value(&entry.name);
            let same = known.is_some_and(|(_, inode)| *inode == entry.inode && *inode != 0);
            there.extend(known.map(|(name, _)| name.as_str()));
            if !same || aside.contains(entry.name.as_str()) {
                other.push(entry);
            }
        }
        if there.len() < before.len() {
            let names = before.keys().filter(|name| !there.contains(name.as_str()));
            let gone = names.map(|name| Place::File {
                shelf,
                name: name.clone(),
            });
            diff.gone.extend(gone);
        }
        for (entry, stamp) in scan::stamps(other)? {
            let name = entry.name.clone();
            diff.inodes.push((shelf, name.clone(), entry.inode));
            if before.contains_key(&name) {
                // What it was is at hand: if it still is, it isn't read again.
                diff.gone.insert(Place::File { shelf, name });
            }
            diff.put(shelf, entry, stamp);
        }
        Ok(())
    }
}
