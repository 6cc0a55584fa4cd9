//! A mailbox as a folder: `inbox/`, `archive/`, `bin/` and `sent/` hold `.eml` files. Archiving and deleting move
//! the file. Other states are in `.alfred/states.log`.

mod drafts;
mod index;
mod outgoing;
mod scan;
mod states;

pub(crate) use drafts::{discard, save};
pub(crate) use outgoing::{Letter, Outgoing, find_sent};

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, MailMessage, MailPage, MailQuery, MailStatus, MailSummary, Total,
};
use alfred_core::{Progress, text};
use alfred_mime::Raw;
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::person::{not_reached, unknown};
use crate::{Result, folder};
use index::{Index, Known, Shelf};
use states::States;

/// Folder for internal files.
const HIDDEN: &str = ".alfred";
/// Only the head of a larger mail is read.
const LOADED: usize = 25 * 1_024 * 1_024;
const LARGE_HEAD: usize = 1_024 * 1_024;
/// Attempts when a mail's file changes in between.
const LOOKS: usize = 3;

pub(crate) struct MailFolder {
    root: PathBuf,
    index: Index,
    states: States,
}

impl MailFolder {
    /// Creates missing folders.
    pub fn open(root: &Path, progress: Arc<Progress>) -> io::Result<Self> {
        let shelves = Shelf::ALL.map(Shelf::name);
        for name in shelves.into_iter().chain([HIDDEN]) {
            fs::create_dir_all(root.join(name))?;
        }
        Ok(Self {
            root: root.to_owned(),
            index: Index::new(root, progress),
            states: States::open(&root.join(HIDDEN).join("states.log"))?,
        })
    }

    pub fn list(&mut self, query: &MailQuery) -> Result<MailPage> {
        let behind = query.cursor.as_deref().map(cursor_of).transpose()?;
        self.index.refresh().map_err(not_reached)?;
        let mut page = MailPage {
            mails: Vec::new(),
            total: Total::Exact(0),
            next: None,
            unreadable: match behind {
                None => self.index.unreadable(),
                Some(_) => Vec::new(),
            },
        };
        let (mut more, mut total) = (false, 0);
        for mail in self.index.newest() {
            let (status, summary) = (status(&self.states, mail), &mail.summary);
            let is_sent = mail.shelf == Shelf::Sent;
            if is_sent != query.sent || !query.fits(summary, status) {
                continue;
            }
            total += 1;
            let key = (summary.received_at, &summary.id);
            if behind.as_ref().is_some_and(|(at, id)| key >= (*at, id)) {
                continue;
            }
            more = page.mails.len() == query.page();
            if !more {
                let summary = summary.clone();
                page.mails.push(MailSummary { status, ..summary });
            }
        }
        page.total = Total::Exact(total);
        page.next = page.mails.last().filter(|_| more).map(|last| {
            let at = last.received_at.as_nanosecond();
            format!("{at}.{}", last.id)
        });
        Ok(page)
    }

    pub fn read(&mut self, id: &MailId) -> Result<Option<MailMessage>> {
        let found = self.loaded(id, |raw| raw.message())?;
        Ok(found.map(|(known, mut message)| {
            message.summary.id = id.clone();
            message.summary.status = status(&self.states, &known);
            message
        }))
    }

    pub fn attachment(&mut self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let found = self.loaded(id, |raw| raw.file(at))?;
        Ok(found.map(|(_, content)| content))
    }

    /// Applies `read` to a mail's bytes.
    fn loaded<T>(
        &mut self,
        id: &MailId,
        read: impl Fn(&Raw<'_>) -> Option<T>,
    ) -> Result<Option<(Arc<Known>, T)>> {
        // Another program may move or replace the mail meanwhile.
        for _ in 0..LOOKS {
            let Some(known) = self.index.find(id).map_err(not_reached)?.into_iter().next() else {
                return Ok(None);
            };
            let path = self.root.join(&known.file);
            let is_small = known.stamp.size <= LOADED as u64;
            let most = if is_small { LOADED } else { LARGE_HEAD };
            let loaded = scan::with_head(&path, most, known.stamp, &read);
            if let Some(read) = folder::optional(loaded).map_err(not_reached)?
                && self.index.is_current(&known).map_err(not_reached)?
            {
                return Ok(read.map(|read| (known, read)));
            }
        }
        Ok(None)
    }

    pub fn set_status(&mut self, id: &MailId, to: MailStatus) -> Result<Option<MailStatus>> {
        let found = self.index.find(id).map_err(not_reached)?;
        let Some(known) = found.first().filter(|known| known.shelf != Shelf::Sent) else {
            return Ok(None);
        };
        let before = status(&self.states, known);
        if before != to {
            self.put(known, &found, to).map_err(unknown)?;
        }
        Ok(Some(before))
    }

    fn put(&mut self, known: &Known, copies: &[Arc<Known>], to: MailStatus) -> io::Result<()> {
        let shelf = match to {
            MailStatus::Archived => Shelf::Archive,
            MailStatus::Deleted => Shelf::Bin,
            _ => {
                self.states.set(&known.summary.id, to)?;
                if known.shelf != Shelf::Inbox {
                    self.move_to(Shelf::Inbox, known)?;
                }
                return Ok(());
            }
        };
        // A remaining copy would bring the mail back.
        let elsewhere = |copy: &&Arc<Known>| ![shelf, Shelf::Sent].contains(&copy.shelf);
        let mut copies = copies.iter().filter(elsewhere);
        copies.try_for_each(|copy| self.move_to(shelf, copy))
    }

    /// The index notices at its next look.
    fn move_to(&self, shelf: Shelf, mail: &Known) -> io::Result<()> {
        folder::move_into(&self.root.join(&mail.file), &self.root.join(shelf.name()))
    }
}

fn status(states: &States, mail: &Known) -> MailStatus {
    let stored = states.get(&mail.summary.id).filter(|status| {
        // Otherwise somebody moved it back by hand.
        mail.shelf == Shelf::Inbox && !matches!(status, MailStatus::Archived | MailStatus::Deleted)
    });
    stored.unwrap_or(mail.summary.status)
}

fn cursor_of(cursor: &str) -> Result<(Timestamp, MailId)> {
    let parts = cursor.split_once('.').and_then(|(at, id)| {
        let at = Timestamp::from_nanosecond(at.parse().ok()?).ok()?;
        Some((at, MailId::from(id)))
    });
    parts.ok_or_else(|| AccountError::refused(text::UNKNOWN_CURSOR))
}
