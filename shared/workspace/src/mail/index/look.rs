//! What became of a mail folder since it was looked through last.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use super::{Index, Place, Record, Shelf, Stamp};
use crate::mail::scan;

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
    /// What is other than it was in these folders, and among these mboxes. No mail is read.
    pub(super) fn look_through(
        &self,
        changed: &[Shelf],
        boxes: &BTreeMap<String, Stamp>,
    ) -> io::Result<Diff> {
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
