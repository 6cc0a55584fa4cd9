//! What is in a mailbox.

use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

use super::files::Session;
use super::stored::{Body, Stored};
use crate::calendar::Calendar;
use crate::error::ApiError;

/// What an immutable id begins with, and any other.
const IMMUTABLE: &str = "AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A";
const REGULAR: &str = "AAMkAGUwNjQ4ZjIxLTQ3Y2YtNDVkYi_";
/// A folder that every mailbox has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// What came.
    Inbox,
    /// What was put away.
    Archive,
    /// What is being written.
    Drafts,
    /// What was sent.
    SentItems,
    /// What was deleted.
    DeletedItems,
    /// What nobody wanted.
    JunkEmail,
}

impl Folder {
    const ALL: [Self; 6] = [
        Self::Inbox,
        Self::Archive,
        Self::Drafts,
        Self::SentItems,
        Self::DeletedItems,
        Self::JunkEmail,
    ];

    fn well_known(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Archive => "archive",
            Self::Drafts => "drafts",
            Self::SentItems => "sentitems",
            Self::DeletedItems => "deleteditems",
            Self::JunkEmail => "junkemail",
        }
    }

    /// Its id, which no header changes.
    pub(super) fn id(self) -> String {
        format!("AQMkAD-{}-AAA=", self.well_known())
    }

    /// The one of this id or well-known name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|folder| folder.well_known() == name || folder.id() == name)
    }
}

/// The mail of an account.
#[derive(Debug)]
pub struct Mailbox {
    /// Whose organisation lets nobody consent for themselves.
    pub needs_administrator: bool,
    /// Whether a draft that is sent gets another `Message-ID` than it was written with.
    pub replaces_message_id: bool,
    /// Whether what is sent stays a draft until [`Mailbox::finish_sending`].
    pub sends_later: bool,
    /// Its calendar.
    pub calendar: Calendar,
    pub(super) email: String,
    pub(super) name: String,
    pub(super) messages: BTreeMap<u64, Stored>,
    pub(super) sessions: BTreeMap<String, Session>,
    /// How often anything was sent.
    pub(super) sent: usize,
    sequence: u64,
}

impl Mailbox {
    pub(crate) fn new(email: &str, name: &str) -> Self {
        Self {
            needs_administrator: false,
            replaces_message_id: false,
            sends_later: false,
            calendar: Calendar::new(email, name),
            email: email.to_owned(),
            name: name.to_owned(),
            messages: BTreeMap::new(),
            sessions: BTreeMap::new(),
            sent: 0,
            sequence: 0,
        }
    }

    /// A mail (RFC 5322) arrives in a folder, at the second of this time. Gives its immutable id.
    pub fn deliver(&mut self, raw: &[u8], folder: Folder, is_read: bool, at: Timestamp) -> String {
        let at = Timestamp::from_second(at.as_second()).unwrap_or(at);
        let number = self.add(Stored {
            folder,
            is_read,
            is_draft: false,
            categories: BTreeSet::new(),
            at,
            changes: 0,
            moves: 0,
            properties: BTreeMap::new(),
            body: Body::Raw(raw.to_vec()),
        });
        id(number)
    }

    /// The immutable ids of what is in a folder, oldest first.
    pub fn in_folder(&self, folder: Folder) -> Vec<String> {
        let there = self.messages.iter();
        let there = there.filter(|(_, stored)| stored.folder == folder);
        there.map(|(number, _)| id(*number)).collect()
    }

    /// How often anything was sent, twice the same included.
    pub fn times_sent(&self) -> usize {
        self.sent
    }

    /// Its owner writes on a draft, or renames a mail's category, elsewhere.
    pub fn touch(&mut self, id: &str) {
        if let Ok(number) = self.number(id)
            && let Some(stored) = self.messages.get_mut(&number)
        {
            stored.changes += 1;
        }
    }

    /// Deletes a message for good, as its owner would elsewhere.
    pub fn delete(&mut self, id: &str) {
        if let Ok(number) = self.number(id) {
            self.messages.remove(&number);
        }
    }

    /// The categories of a message.
    pub fn categories(&self, id: &str) -> BTreeSet<String> {
        let stored = self.number(id).ok().and_then(|n| self.messages.get(&n));
        stored.map_or_else(BTreeSet::new, |stored| stored.categories.clone())
    }

    /// Puts a category of its owner's on a message.
    pub fn categorise(&mut self, id: &str, category: &str) {
        if let Ok(number) = self.number(id)
            && let Some(stored) = self.messages.get_mut(&number)
        {
            stored.categories.insert(category.to_owned());
        }
    }

    /// What was sent leaves the drafts, where it is on its way.
    pub fn finish_sending(&mut self, at: Timestamp) {
        for number in self.messages.keys().copied().collect::<Vec<_>>() {
            let submitted = |stored: &Stored| stored.properties.contains_key(SUBMITTED);
            if self.messages.get(&number).is_some_and(submitted) {
                self.finish(number, at);
            }
        }
    }

    pub(super) fn finish(&mut self, number: u64, at: Timestamp) {
        let replaced = self.replaces_message_id.then(|| self.next());
        let Some(stored) = self.messages.get_mut(&number) else {
            return;
        };
        stored.properties.remove(SUBMITTED);
        stored.folder = Folder::SentItems;
        stored.is_draft = false;
        stored.is_read = true;
        stored.moves += 1;
        stored.at = Timestamp::from_second(at.as_second()).unwrap_or(at);
        if let (Some(new), Body::Written { message_id, .. }) = (replaced, &mut stored.body) {
            *message_id = format!("DB9PR{new}@eurprd04.prod.outlook.com");
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub(super) fn add(&mut self, stored: Stored) -> u64 {
        let number = self.next();
        self.messages.insert(number, stored);
        number
    }

    /// The message of an id of either kind; a regular one is good until the message is moved.
    pub(super) fn number(&self, id: &str) -> Result<u64, ApiError> {
        let digits = |text: &str| u64::from_str_radix(text.trim_end_matches('='), 36).ok();
        let found = match (id.strip_prefix(IMMUTABLE), id.strip_prefix(REGULAR)) {
            (Some(number), _) => digits(number),
            (None, Some(rest)) => rest.split_once('-').and_then(|(number, moves)| {
                let number = digits(number)?;
                let stored = self.messages.get(&number)?;
                (stored.moves == moves.trim_end_matches('=').parse::<u64>().ok()?).then_some(number)
            }),
            (None, None) => {
                return Err(ApiError::new(
                    400,
                    "ErrorInvalidIdMalformed",
                    "Id is malformed.",
                ));
            }
        };
        let known = found.filter(|number| self.messages.contains_key(number));
        known.ok_or_else(ApiError::not_found)
    }

    /// How a message is told: by the id that is asked for.
    pub(super) fn told(&self, number: u64, immutable: bool) -> String {
        let moves = self.messages.get(&number).map_or(0, |stored| stored.moves);
        match immutable {
            true => id(number),
            false => format!("{REGULAR}{}-{moves}=", base36(number)),
        }
    }
}

/// Marks a draft that is on its way.
pub(super) const SUBMITTED: &str = "submitted";

fn id(number: u64) -> String {
    format!("{IMMUTABLE}{}=", base36(number))
}

pub(crate) fn base36(number: u64) -> String {
    let digit = |value: u64| char::from_digit(u32::try_from(value % 36).unwrap_or(0), 36);
    let mut digits: Vec<char> = std::iter::successors(Some(number), |n| Some(n / 36))
        .take_while(|n| *n > 0)
        .filter_map(digit)
        .collect();
    digits.reverse();
    digits.into_iter().collect()
}
