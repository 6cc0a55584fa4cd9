//! A person's mailbox as a folder: `inbox/`, `archive/` and `sent/` hold `.eml` files, any `*.mbox`
//! beside them is read and never written. Archiving moves the file. Other states are in `.alfred/states.log`.
//! What goes out is `outgoing.rs`.

mod cache;
mod compose;
mod html;
mod index;
mod large;
mod mbox;
mod outgoing;
mod parse;
mod scan;
mod states;

pub(crate) use compose::{Itip, digest};
pub(crate) use outgoing::{Letter, Outgoing, find_sent};

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, MailMessage, MailPage, MailQuery, MailStatus};
use alfred_core::text;
use jiff::Timestamp;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::folder;
use crate::person::{not_reached, unknown};
use index::{Index, Known, Place, Shelf};
use parse::Raw;
use states::States;

/// Where what is ours is kept.
const HIDDEN: &str = ".alfred";
/// A larger mail isn't loaded.
const LOADED: u64 = 25 * 1_024 * 1_024;
/// Times a page is put together anew because a mail on it isn't any more as it was read.
const LOOKS: usize = 3;
/// What is read of the text of a larger one.
const LARGE_HEAD: usize = 1_024 * 1_024;

/// A mailbox that was opened.
pub(crate) struct MailFolder {
    root: PathBuf,
    index: Index,
    states: States,
}

impl MailFolder {
    /// Opens it; folders that aren't there are made.
    pub fn open(root: &Path) -> io::Result<Self> {
        let shelves = Shelf::ALL.map(Shelf::name);
        for name in shelves.into_iter().chain([HIDDEN]) {
            fs::create_dir_all(root.join(name))?;
        }
        Ok(Self {
            root: root.to_owned(),
            index: Index::open(root),
            states: States::open(&root.join(HIDDEN).join("states.log"))?,
        })
    }

    /// A page, newest first.
    pub fn list(&mut self, query: &MailQuery) -> Result<MailPage, AccountError> {
        let behind = query.cursor.as_deref().map(cursor_of).transpose()?;
        self.refresh().map_err(not_reached)?;
        let mut page = self.page(query, behind.as_ref());
        // What was written over in place is read anew before anybody sees it.
        for _ in 0..LOOKS {
            let shown = page.mails.iter().map(|mail| &mail.id);
            if !self.index.verify(shown).map_err(not_reached)? {
                break;
            }
            self.settle();
            page = self.page(query, behind.as_ref());
        }
        Ok(page)
    }

    fn page(&self, query: &MailQuery, behind: Option<&(Timestamp, MailId)>) -> MailPage {
        let mails = &self.index.mails;
        let from = match behind {
            Some((at, id)) => mails
                .partition_point(|mail| (mail.summary.received_at, &mail.summary.id) >= (*at, id)),
            None => 0,
        };
        let mut page = MailPage {
            mails: Vec::new(),
            total: 0,
            next: None,
            unreadable: match query.cursor {
                None => self.index.unreadable.clone(),
                Some(_) => Vec::new(),
            },
        };
        let mut more = false;
        for (at, mail) in mails.iter().enumerate() {
            if !mail.arrived || !query.fits(&mail.summary) {
                continue;
            }
            page.total += 1;
            if at >= from && page.mails.len() < query.page() {
                page.mails.push(mail.summary.clone());
            } else if at >= from {
                more = true;
            }
        }
        page.next = page.mails.last().filter(|_| more).map(|last| {
            let at = last.received_at.as_nanosecond();
            format!("{at}.{}", last.id)
        });
        page
    }

    /// A whole mail.
    pub fn read(&mut self, id: &MailId) -> Result<Option<MailMessage>, AccountError> {
        // Somebody else may move it, or write another mail in its place, before it is read or meanwhile.
        for _ in 0..LOOKS {
            self.refresh().map_err(not_reached)?;
            let Some(known) = self.index.get(id) else {
                return Ok(None);
            };
            let status = known.summary.status;
            let loaded = folder::optional(load(&self.root, known)).map_err(not_reached)?;
            let other = self.index.verify(std::iter::once(id));
            match loaded {
                _ if other.map_err(not_reached)? => self.settle(),
                Some(message) => {
                    return Ok(message.map(|mut message| {
                        message.summary.id = id.clone();
                        message.summary.status = status;
                        message
                    }));
                }
                None => self.index.distrust(),
            }
        }
        Ok(None)
    }

    /// Puts a mail that arrived into a state.
    pub fn set_status(
        &mut self,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        if self.index.refresh_between_moves().map_err(not_reached)? {
            self.settle();
        }
        self.verify(id).map_err(not_reached)?;
        let Some(known) = self.index.get(id).filter(|known| known.arrived) else {
            return Ok(None);
        };
        let (before, place) = (known.summary.status, known.place.clone());
        if before != status {
            self.put(id, place, status).map_err(unknown)?;
            if let Some(known) = self.index.get_mut(id) {
                known.summary.status = status;
            }
        }
        Ok(Some(before))
    }

    fn put(&mut self, id: &MailId, place: Place, status: MailStatus) -> io::Result<()> {
        let archived = status == MailStatus::Archived;
        if !archived || matches!(place, Place::Mbox { .. }) {
            self.states.set(id, status)?;
        }
        let to = match place {
            Place::File {
                shelf: Shelf::Inbox,
                ..
            } if archived => Shelf::Archive,
            Place::File {
                shelf: Shelf::Archive,
                ..
            } => Shelf::Inbox,
            Place::File { .. } | Place::Mbox { .. } => return Ok(()),
        };
        let file = self.root.join(place.path());
        let moved = folder::move_into(&file, &self.root.join(to.name()));
        let Ok(moved) = moved else {
            self.index.distrust();
            return moved.map(drop);
        };
        let name = moved.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let copies = match to {
            Shelf::Archive => self.index.copies(id, Shelf::Inbox),
            Shelf::Inbox | Shelf::Sent => Vec::new(),
        };
        self.index.moved(id, to, name)?;
        // A copy that stayed would bring the mail back.
        for copy in copies {
            self.index.distrust();
            folder::move_into(&self.root.join(copy), &self.root.join(to.name()))?;
        }
        Ok(())
    }

    fn refresh(&mut self) -> io::Result<()> {
        if self.index.refresh()? {
            self.settle();
        }
        Ok(())
    }

    /// A mail's id leads to its file no more when another mail is there, or none.
    fn verify(&mut self, id: &MailId) -> io::Result<()> {
        for _ in 0..LOOKS {
            if !self.index.verify(std::iter::once(id))? {
                break;
            }
            self.settle();
            self.refresh()?;
        }
        Ok(())
    }

    /// Gives what came since the last look its state.
    fn settle(&mut self) {
        let new = self.index.mails.iter_mut().filter(|mail| !mail.settled);
        for mail in new {
            mail.settled = true;
            let said = self.states.get(&mail.summary.id);
            mail.summary.status = match &mail.place {
                Place::File {
                    shelf: Shelf::Inbox,
                    ..
                } => said
                    // Somebody moved it back by hand.
                    .filter(|status| *status != MailStatus::Archived)
                    .unwrap_or(mail.came_as),
                Place::File { .. } => mail.came_as,
                Place::Mbox { .. } => said.unwrap_or(mail.came_as),
            };
        }
    }
}

fn cursor_of(cursor: &str) -> Result<(Timestamp, MailId), AccountError> {
    let parts = cursor.split_once('.').and_then(|(at, id)| {
        let at = Timestamp::from_nanosecond(at.parse().ok()?).ok()?;
        Some((at, MailId::from(id)))
    });
    parts.ok_or_else(|| AccountError::refused(text::unknown_cursor()))
}

/// `None` when it is a mail no more.
fn load(root: &Path, known: &Known) -> io::Result<Option<MailMessage>> {
    let mut file = File::open(root.join(known.place.path()))?;
    let size = match known.place {
        Place::File { .. } => file.metadata()?.len(),
        Place::Mbox { offset, len, .. } => {
            file.seek(SeekFrom::Start(offset))?;
            len
        }
    };
    let large = size > LOADED;
    let most = if large { LARGE_HEAD as u64 } else { LOADED };
    let mut bytes = Vec::new();
    (&mut file).take(size.min(most)).read_to_end(&mut bytes)?;
    if matches!(known.place, Place::Mbox { .. }) {
        bytes = mbox::unquoted(&bytes);
    }
    let raw = Raw {
        bytes: &bytes,
        whole: !large,
        size,
        modified: known.stamp.modified,
    };
    let Some(mut message) = raw.message() else {
        return Ok(None);
    };
    if large {
        file.seek_relative(-(most as i64))?;
        message.attachments = large::attachments(BufReader::new(file.take(size)))?;
        message.summary.has_attachments = !message.attachments.is_empty();
    }
    Ok(Some(message))
}
