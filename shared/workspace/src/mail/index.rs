//! The envelopes of a mailbox, so that a page of a large one needs no mail read twice.
//!
//! What a file holds is known by its name, size and time; a folder is looked through when its own
//! time changed. So a mail edited in place is read anew when something else in its folder changes.
//! The envelopes are written to a file, which spares the next start; whatever of it doesn't fit is read anew.

use alfred_core::id::MailId;
use alfred_core::ports::{MailStatus, MailSummary, Unreadable};
use alfred_core::text;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, DirEntry, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::cache;
use super::mbox::{self, Labels};
use super::parse::Raw;
use crate::folder;

/// How much of a mail is read for its envelope.
pub(super) const HEAD: usize = 128 * 1_024;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    /// A file of its own.
    File { shelf: Shelf, name: String },
    /// Within an mbox.
    Mbox { name: String, offset: u64, len: u64 },
}

impl Place {
    /// Of copies of one mail, the least counts.
    fn rank(&self) -> u8 {
        match self {
            Self::File { shelf, .. } => match shelf {
                Shelf::Inbox => 0,
                Shelf::Archive => 2,
                Shelf::Sent => 3,
            },
            Self::Mbox { .. } => 1,
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
}

/// All mails, newest first.
pub(super) struct Index {
    root: PathBuf,
    pub mails: Vec<Known>,
    by_id: HashMap<MailId, usize>,
    pub unreadable: Vec<Unreadable>,
    /// What can't be read, and copies: not to be read again as long as their files stay.
    aside: Vec<Record>,
    folders: HashMap<Shelf, Seen>,
    boxes: BTreeMap<String, Stamp>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    changed: Option<SystemTime>,
    settled: bool,
}

impl Index {
    /// Of the mail folder; nothing is looked at yet but what an earlier process wrote down.
    pub fn open(root: &Path) -> Self {
        let mut index = Self {
            root: root.to_owned(),
            mails: Vec::new(),
            by_id: HashMap::new(),
            unreadable: Vec::new(),
            aside: Vec::new(),
            folders: HashMap::new(),
            boxes: BTreeMap::new(),
        };
        index.fill(cache::load(root));
        index
    }

    pub fn get(&self, id: &MailId) -> Option<&Known> {
        self.by_id.get(id).map(|at| &self.mails[*at])
    }

    pub fn get_mut(&mut self, id: &MailId) -> Option<&mut Known> {
        self.by_id.get(id).map(|at| &mut self.mails[*at])
    }

    /// Looks for what changed; true when something did.
    pub fn refresh(&mut self) -> io::Result<bool> {
        let now = SystemTime::now();
        let mut changed = Vec::new();
        let mut folders = HashMap::new();
        for shelf in Shelf::ALL {
            let at = folder::optional(fs::metadata(self.root.join(shelf.name())))?;
            let at = at.map(|meta| meta.modified()).transpose()?;
            let age = at.and_then(|at| now.duration_since(at).ok());
            let seen = Seen {
                changed: at,
                settled: at.is_none() || age.is_some_and(|age| age > TICK),
            };
            let before = self.folders.get(&shelf);
            if before.is_none_or(|b| !b.settled || b.changed != seen.changed) {
                changed.push(shelf);
            }
            folders.insert(shelf, seen);
        }
        let boxes = self.mboxes()?;
        if changed.is_empty() && boxes == self.boxes {
            return Ok(false);
        }
        let records = self.look_through(&changed, &boxes)?;
        self.fill(records);
        self.folders = folders;
        self.boxes = boxes;
        Ok(true)
    }

    /// What we moved ourselves needs no looking through the folders again.
    pub fn moved(&mut self, id: &MailId, shelf: Shelf, name: String) -> io::Result<()> {
        if let Some(known) = self.get_mut(id) {
            known.place = Place::File { shelf, name };
            known.came_as = came_as(shelf);
        }
        for shelf in [Shelf::Inbox, Shelf::Archive] {
            let changed = fs::metadata(self.root.join(shelf.name()))?.modified()?;
            let seen = Seen {
                changed: Some(changed),
                settled: true,
            };
            self.folders.insert(shelf, seen);
        }
        Ok(())
    }

    /// Everything is looked through at the next refresh.
    pub fn distrust(&mut self) {
        self.folders.clear();
    }

    fn mboxes(&self) -> io::Result<BTreeMap<String, Stamp>> {
        let mut boxes = BTreeMap::new();
        for entry in entries(&self.root)? {
            let name = entry.file_name();
            let is_mbox = Path::new(&name)
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("mbox"));
            if let (true, Some(name), Some(stamp)) = (is_mbox, name.to_str(), stamp(&entry)?) {
                boxes.insert(name.to_owned(), stamp);
            }
        }
        Ok(boxes)
    }

    /// What is there now; files that stayed the same aren't read.
    fn look_through(
        &mut self,
        changed: &[Shelf],
        boxes: &BTreeMap<String, Stamp>,
    ) -> io::Result<Vec<Record>> {
        let mut kept = Vec::new();
        // By name and stamp alone, so that a file that was moved is known.
        let mut files = HashMap::new();
        for record in self.take() {
            match &record.place {
                Place::Mbox { name, .. } => {
                    if boxes.get(name) == Some(&record.stamp) {
                        kept.push(record);
                    }
                }
                Place::File { shelf, .. } if !changed.contains(shelf) => kept.push(record),
                Place::File { name, .. } => {
                    files.insert((name.clone(), record.stamp), record);
                }
            }
        }
        let mut new = Vec::new();
        for shelf in changed.iter().copied() {
            for entry in entries(&self.root.join(shelf.name()))? {
                let name = entry.file_name();
                let is_mail = Path::new(&name)
                    .extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case("eml"));
                let Some(stamp) = is_mail.then(|| stamp(&entry)).transpose()?.flatten() else {
                    continue;
                };
                let Some(name) = name.to_str().map(str::to_owned) else {
                    let name = name.to_string_lossy().into_owned();
                    let place = Place::File { shelf, name };
                    kept.push(spoiled(place, stamp, text::file_name_not_read()));
                    continue;
                };
                match files.remove(&(name.clone(), stamp)) {
                    Some(known) => kept.push(known.on(shelf)),
                    None => new.push((Place::File { shelf, name }, stamp)),
                }
            }
        }
        let read = new.len();
        kept.extend(self.read_all(new));
        let mut split = 0;
        for (name, stamp) in boxes {
            let known = |r: &Record| matches!(&r.place, Place::Mbox { name: n, .. } if n == name);
            if !kept.iter().any(known) {
                let found = read_mbox(&self.root, name, *stamp);
                split += found.len();
                kept.extend(found);
            }
        }
        cache::save(&self.root, &kept, read + split);
        Ok(kept)
    }

    /// On all processors: reading a mail is parsing more than waiting.
    fn read_all(&self, files: Vec<(Place, Stamp)>) -> Vec<Record> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = files.len().div_ceil(threads.min(8)).max(64);
        let root = &self.root;
        let read = |share: &[(Place, Stamp)]| -> Vec<Record> {
            let files = share.iter();
            files
                .filter_map(|(place, stamp)| read_file(root, place, *stamp))
                .collect()
        };
        std::thread::scope(|scope| {
            let shares = files.chunks(share);
            let at_work: Vec<_> = shares
                .map(|share| scope.spawn(move || read(share)))
                .collect();
            let done = at_work.into_iter().filter_map(|share| share.join().ok());
            done.flatten().collect()
        })
    }

    fn take(&mut self) -> Vec<Record> {
        let mails = std::mem::take(&mut self.mails).into_iter();
        let mut records: Vec<_> = mails.map(Known::into_record).collect();
        records.append(&mut self.aside);
        records
    }

    fn fill(&mut self, records: Vec<Record>) {
        self.unreadable.clear();
        self.mails.clear();
        for record in records {
            match record.read {
                Ok(summary) => self.mails.push(Known {
                    place: record.place,
                    stamp: record.stamp,
                    arrived: record.arrived,
                    came_as: summary.status,
                    summary,
                }),
                Err(ref reason) => {
                    self.unreadable.push(Unreadable {
                        name: record.place.path().to_string_lossy().into_owned(),
                        reason: reason.clone(),
                    });
                    self.aside.push(record);
                }
            }
        }
        self.unreadable.sort_by(|a, b| a.name.cmp(&b.name));
        self.mails.sort_by_key(|mail| mail.place.rank());
        let mut seen = HashSet::new();
        let first = |mail: &mut Known| !seen.insert(mail.summary.id.clone());
        let copies: Vec<_> = self.mails.extract_if(.., first).collect();
        self.aside
            .extend(copies.into_iter().map(Known::into_record));
        let order = |mail: &Known| (mail.summary.received_at, mail.summary.id.clone());
        self.mails
            .sort_by_cached_key(|mail| std::cmp::Reverse(order(mail)));
        let ids = self.mails.iter().enumerate();
        self.by_id = ids
            .map(|(at, mail)| (mail.summary.id.clone(), at))
            .collect();
    }
}

impl Known {
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
    /// The same file in another folder.
    fn on(mut self, on: Shelf) -> Self {
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

/// What lies in a folder; nothing when there is none.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let entries = folder::optional(fs::read_dir(folder))?;
    entries.map_or_else(|| Ok(Vec::new()), Iterator::collect)
}

/// Of a file; a link, which may lead out of the folder, is none.
fn stamp(entry: &DirEntry) -> io::Result<Option<Stamp>> {
    let found = folder::optional(entry.metadata())?.filter(fs::Metadata::is_file);
    found.as_ref().map(Stamp::of).transpose()
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

fn read_mbox(root: &Path, name: &str, stamp: Stamp) -> Vec<Record> {
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
