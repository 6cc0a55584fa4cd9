//! The metadata that the server has of a mail.

use alfred_core::ports::MailStatus;
use async_imap::types::{Fetch, Flag};
use jiff::Timestamp;

use crate::imap::shelf::Shelf;

/// Keywords (RFC 3501, 2.3.2) for states that only Alfred knows.
pub(crate) const BACKLOG: &str = "$AlfredBacklog";
pub(crate) const PROCESSED: &str = "$AlfredProcessed";
/// The fetched items of an [`Entry`].
pub(crate) const ASKED: &str = "(UID INTERNALDATE FLAGS RFC822.SIZE)";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub shelf: Shelf,
    pub uid: u32,
    /// The server's internal date.
    pub at: Timestamp,
    /// In bytes.
    pub size: u32,
    pub status: MailStatus,
}

impl Entry {
    /// `None` if the server omits an item.
    pub fn read(shelf: Shelf, fetched: &Fetch) -> Option<Self> {
        let at = fetched.internal_date()?.timestamp();
        Some(Self {
            shelf,
            uid: fetched.uid?,
            at: Timestamp::from_second(at).ok()?,
            size: fetched.size?,
            status: status(shelf, fetched.flags()),
        })
    }

    /// Sort key: unique, and greatest for the newest.
    pub fn order(&self) -> (Timestamp, Shelf, u32) {
        (self.at, self.shelf, self.uid)
    }
}

fn status<'a>(shelf: Shelf, flags: impl Iterator<Item = Flag<'a>>) -> MailStatus {
    let mut status = match shelf {
        Shelf::Archive => return MailStatus::Archived,
        Shelf::Bin => return MailStatus::Deleted,
        Shelf::Inbox | Shelf::Sent | Shelf::Drafts => MailStatus::Unread,
    };
    for flag in flags {
        status = match (&flag, status) {
            (Flag::Custom(keyword), _) if is(keyword, BACKLOG) => return MailStatus::Backlog,
            (Flag::Custom(keyword), _) if is(keyword, PROCESSED) => MailStatus::Processed,
            (Flag::Seen, MailStatus::Unread) => MailStatus::Read,
            _ => status,
        };
    }
    status
}

/// Servers may change the case of keywords.
fn is(keyword: &str, ours: &str) -> bool {
    keyword.eq_ignore_ascii_case(ours)
}
