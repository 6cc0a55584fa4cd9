//! A person's mailbox as a folder: `inbox/`, `archive/` and `sent/` hold `.eml` files, any `*.mbox`
//! beside them is read and never written. Archiving moves the file. Other states are in `.alfred/states.log`.

mod cache;
mod compose;
mod html;
mod index;
mod large;
mod mbox;
mod parse;
mod states;

pub(crate) use compose::{Draft, Itip, digest};

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, MailMessage, MailPage, MailQuery, MailStatus, OutgoingMail, SentMail,
};
use alfred_core::text;
use jiff::Timestamp;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::folder;
use crate::person::{Identity, not_reached, unknown};
use index::{Index, Known, Place, Shelf, Stamp};
use parse::Raw;
use states::States;

/// Where what is ours is kept.
const HIDDEN: &str = ".alfred";
/// A larger mail isn't loaded.
const LOADED: u64 = 25 * 1_024 * 1_024;
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
        let mails = &self.index.mails;
        let from = match &behind {
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
        Ok(page)
    }

    /// A whole mail.
    pub fn read(&mut self, id: &MailId) -> Result<Option<MailMessage>, AccountError> {
        // It may have been moved by somebody else since the folder was looked through.
        for _ in 0..2 {
            self.refresh().map_err(not_reached)?;
            let Some(known) = self.index.get(id) else {
                return Ok(None);
            };
            if let Some(message) = folder::optional(load(&self.root, known)).map_err(not_reached)? {
                return Ok(message.map(|mut message| {
                    message.summary.id = id.clone();
                    message.summary.status = known.summary.status;
                    message
                }));
            }
            self.index.distrust();
        }
        Ok(None)
    }

    /// Puts a mail that arrived into a state.
    pub fn set_status(
        &mut self,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        self.refresh().map_err(not_reached)?;
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
        self.index.moved(id, to, name)
    }

    /// Writes a mail into `sent/`, once for a key.
    pub fn send(
        &mut self,
        who: &Identity,
        mail: &OutgoingMail,
        key: &str,
        at: Timestamp,
    ) -> Result<SentMail, AccountError> {
        mail.check()?;
        self.write(who, mail, key, at, None)
    }

    /// Tells people of an event.
    pub fn tell(
        &mut self,
        who: &Identity,
        mail: &OutgoingMail,
        key: &str,
        at: Timestamp,
        itip: &Itip,
    ) -> Result<SentMail, AccountError> {
        self.write(who, mail, key, at, Some(itip))
    }

    fn write(
        &mut self,
        who: &Identity,
        mail: &OutgoingMail,
        key: &str,
        at: Timestamp,
        itip: Option<&Itip>,
    ) -> Result<SentMail, AccountError> {
        if let Some(sent) = self.find_sent(who, key)? {
            return Ok(sent);
        }
        let (path, message_id) = self.named(who, key);
        let draft = Draft {
            from: &who.mailbox,
            mail,
            message_id: &message_id,
            at,
            itip,
        };
        let bytes = draft.bytes().map_err(not_reached)?;
        folder::create(&path, &bytes).map_err(unknown)?;
        let sent = self.find_sent(who, key)?;
        sent.ok_or_else(|| unknown(io::Error::other("the mail that was written isn't there")))
    }

    /// The mail that was sent under this key.
    pub fn find_sent(&self, who: &Identity, key: &str) -> Result<Option<SentMail>, AccountError> {
        let (path, message_id) = self.named(who, key);
        let found = folder::optional(fs::metadata(&path)).map_err(not_reached)?;
        let Some(stamp) = found
            .as_ref()
            .map(Stamp::of)
            .transpose()
            .map_err(not_reached)?
        else {
            return Ok(None);
        };
        let (bytes, whole) = folder::head(&path, index::HEAD).map_err(not_reached)?;
        let raw = Raw {
            bytes: &bytes,
            whole,
            size: stamp.size,
            modified: stamp.modified,
        };
        Ok(Some(SentMail {
            id: raw.id(),
            message_id,
            at: raw.summary().map_or(stamp.modified, |s| s.received_at),
        }))
    }

    /// The file and the `Message-ID` of what is sent under a key. The file's name is a digest: nothing
    /// that others wrote becomes a path.
    fn named(&self, who: &Identity, key: &str) -> (PathBuf, String) {
        let digest = digest(&who.account, key);
        let domain = who.mailbox.address.rsplit_once('@');
        let domain = domain.map_or("localhost", |(_, domain)| domain);
        let file = self
            .root
            .join(Shelf::Sent.name())
            .join(format!("{digest}.eml"));
        (file, format!("{digest}@{domain}"))
    }

    fn refresh(&mut self) -> io::Result<()> {
        if self.index.refresh()? {
            for mail in &mut self.index.mails {
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
        Ok(())
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
