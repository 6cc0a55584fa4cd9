//! What is known of a place in a mail folder: an envelope, or why there is none.

use alfred_core::id::MailId;
use alfred_core::ports::{MailStatus, MailSummary};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::mail) enum Shelf {
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
pub(in crate::mail) enum Place {
    /// A file of its own.
    File { shelf: Shelf, name: String },
    /// Within an mbox.
    Mbox { name: String, offset: u64, len: u64 },
}

impl Place {
    /// Of copies of one mail, the least counts.
    pub(super) fn rank(&self) -> (u8, &str, u64) {
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
pub(in crate::mail) struct Stamp {
    pub size: u64,
    pub modified: Timestamp,
}

/// What is known of a place: an envelope, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::mail) struct Record {
    pub place: Place,
    pub stamp: Stamp,
    /// Whether it arrived, as against what was sent or thrown away.
    pub arrived: bool,
    pub read: Result<MailSummary, String>,
}

/// A mail that can be read.
pub(in crate::mail) struct Known {
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

impl Known {
    /// The newest first; of one instant by id.
    pub(super) fn order(&self) -> Reverse<(Timestamp, &MailId)> {
        Reverse((self.summary.received_at, &self.summary.id))
    }

    pub(super) fn to_record(&self) -> Record {
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

    pub(super) fn into_record(mut self) -> Record {
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
    pub(super) fn known(self) -> Option<Known> {
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

    pub(super) fn is_of(&self, id: &MailId) -> bool {
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

/// The state of what lies there, as long as nobody says otherwise.
pub(super) fn came_as(shelf: Shelf) -> MailStatus {
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
