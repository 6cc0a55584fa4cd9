//! What is in a mailbox.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use mail_parser::MessageParser;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::index::Indexed;
use super::labels::{SYSTEM, searched};

/// Ids count from here: sixteen hexadecimal digits, as Gmail's.
const FIRST_ID: u64 = 0x19ab_0000_0000_0000;

/// The mail of an account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Mailbox {
    /// Whether a draft that is sent gets another `Message-ID` than it was written with. Google was seen to do both.
    pub replaces_message_id: bool,
    pub(super) messages: BTreeMap<u64, Stored>,
    /// When each came, in milliseconds.
    pub(super) newest: BTreeSet<(i64, u64)>,
    by_message_id: BTreeMap<String, u64>,
    /// Names of a person's own by id.
    pub(super) labels: BTreeMap<String, String>,
    /// Which message each draft has.
    pub(super) drafts: BTreeMap<u64, u64>,
    pub(super) history: Vec<Record>,
    /// The oldest history that is still known.
    pub(super) history_from: u64,
    sequence: u64,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    #[serde(serialize_with = "encoded", deserialize_with = "decoded")]
    pub raw: Vec<u8>,
    pub at_ms: i64,
    pub labels: BTreeSet<String>,
    pub thread: u64,
    /// Its last change.
    pub history: u64,
    pub index: Indexed,
}

/// Something that happened to a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub id: u64,
    pub message: u64,
    pub thread: u64,
    pub change: Change,
    /// The labels after it.
    pub labels: BTreeSet<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Change {
    Added,
    Deleted,
    LabelsAdded(BTreeSet<String>),
    LabelsRemoved(BTreeSet<String>),
}

fn encoded<S: Serializer>(raw: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(raw))
}

fn decoded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    BASE64_STANDARD
        .decode(text)
        .map_err(serde::de::Error::custom)
}

/// A number as it is told.
pub(super) fn id(number: u64) -> String {
    format!("{:016x}", FIRST_ID + number)
}

/// The number of an id; `None` for what is none.
pub(super) fn number(id: &str) -> Option<u64> {
    u64::from_str_radix(id, 16).ok()?.checked_sub(FIRST_ID)
}

impl Mailbox {
    /// A mail (RFC 5322) arrives. Labels are ids of the system's, or names of a person's own. Gives its id.
    pub fn deliver(&mut self, raw: &[u8], labels: &[&str], at: Timestamp) -> String {
        let own = |label: &&str| match SYSTEM.contains(label) {
            true => (*label).to_owned(),
            false => self.put_label(label),
        };
        let labels = labels.iter().map(own).collect();
        id(self.add(raw.to_vec(), labels, at, None))
    }

    /// The labels of a message, a person's own by name; `None` when there is no such message.
    pub fn labels_of(&self, id: &str) -> Option<BTreeSet<String>> {
        let stored = self.messages.get(&number(id)?)?;
        let name = |label: &String| self.labels.get(label).unwrap_or(label).clone();
        Some(stored.labels.iter().map(name).collect())
    }

    /// The thread that a message is in; `None` when there is no such message.
    pub fn thread_of(&self, id: &str) -> Option<String> {
        let stored = self.messages.get(&number(id)?)?;
        Some(self::id(stored.thread))
    }

    /// Changes the labels of a message, as its owner would elsewhere.
    pub fn relabel(&mut self, id: &str, add: &[&str], remove: &[&str]) {
        let owned = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect();
        if let Some(number) = number(id) {
            self.change(number, &owned(add), &owned(remove));
        }
    }

    /// Deletes a message for good, as its owner would elsewhere.
    pub fn delete(&mut self, id: &str) {
        if let Some(number) = number(id) {
            self.remove(number);
        }
    }

    /// The messages with this label (an id), oldest first, as they were written.
    pub fn with_label(&self, label: &str) -> Vec<(String, &[u8])> {
        let with = |(_, stored): &(&u64, &Stored)| stored.labels.contains(label);
        let messages = self.messages.iter().filter(with);
        messages
            .map(|(number, stored)| (id(*number), stored.raw.as_slice()))
            .collect()
    }

    /// What happened so far is known no more, as it isn't after a week.
    pub fn forget_history(&mut self) {
        self.history.clear();
        self.history_from = self.next();
    }

    pub(super) fn history_id(&self) -> u64 {
        self.sequence
    }

    pub(super) fn threads(&self) -> usize {
        let threads = self.messages.values().map(|stored| stored.thread);
        threads.collect::<HashSet<u64>>().len()
    }

    pub(super) fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub(super) fn put_label(&mut self, name: &str) -> String {
        let known = self.labels.iter();
        let known = known
            .filter(|(_, known)| searched(known) == searched(name))
            .map(|(id, _)| id.clone())
            .next();
        known.unwrap_or_else(|| {
            let id = format!("Label_{}", self.next());
            self.labels.insert(id.clone(), name.to_owned());
            id
        })
    }

    pub(super) fn is_label(&self, id: &str) -> bool {
        SYSTEM.contains(&id) || self.labels.contains_key(id)
    }

    /// Adds a message, in the thread it answers unless in the named one.
    pub(super) fn add(
        &mut self,
        raw: Vec<u8>,
        labels: BTreeSet<String>,
        at: Timestamp,
        thread: Option<u64>,
    ) -> u64 {
        let (index, answered) = {
            let parsed = MessageParser::default().parse(&raw).unwrap_or_default();
            (Indexed::of(&parsed), self.answered(&parsed))
        };
        let number = self.next();
        // Named or not: it must answer a mail of the thread, and have its subject.
        let found = answered.filter(|found| thread.is_none_or(|thread| thread == *found));
        if let Some(message_id) = &index.message_id {
            self.by_message_id.insert(message_id.clone(), number);
        }
        let stored = Stored {
            raw,
            at_ms: at.as_millisecond(),
            labels,
            thread: found.unwrap_or(number),
            history: number,
            index,
        };
        self.newest.insert((stored.at_ms, number));
        self.messages.insert(number, stored);
        self.record(number, Change::Added);
        number
    }

    /// The thread of the mail that this one answers.
    fn answered(&self, parsed: &mail_parser::Message<'_>) -> Option<u64> {
        let plain = |subject: &str| {
            let subject = subject.trim().to_lowercase();
            subject.trim_start_matches("re:").trim().to_owned()
        };
        let ids = [parsed.in_reply_to(), parsed.references()];
        let ids = ids
            .into_iter()
            .flat_map(|header| header.as_text_list().unwrap_or_default().to_vec());
        let mut found =
            ids.filter_map(|id| self.messages.get(self.by_message_id.get(id.as_ref())?));
        let subject = super::index::normal(&plain(parsed.subject().unwrap_or_default()));
        let same = |stored: &&Stored| {
            let known = stored.index.subject.trim_start();
            known.trim_start_matches("re ").trim() == subject.trim()
        };
        found.find(same).map(|stored| stored.thread)
    }

    fn record(&mut self, message: u64, change: Change) {
        let id = self.next();
        if let Some(stored) = self.messages.get_mut(&message) {
            stored.history = id;
            self.history.push(Record {
                id,
                message,
                thread: stored.thread,
                change,
                labels: stored.labels.clone(),
            });
        }
    }

    pub(super) fn change(
        &mut self,
        message: u64,
        add: &BTreeSet<String>,
        remove: &BTreeSet<String>,
    ) {
        let Some(stored) = self.messages.get_mut(&message) else {
            return;
        };
        let added: BTreeSet<String> = add.difference(&stored.labels).cloned().collect();
        stored.labels.extend(added.iter().cloned());
        let removed: BTreeSet<String> = remove.intersection(&stored.labels).cloned().collect();
        stored.labels.retain(|label| !removed.contains(label));
        if !added.is_empty() {
            self.record(message, Change::LabelsAdded(added));
        }
        if !removed.is_empty() {
            self.record(message, Change::LabelsRemoved(removed));
        }
    }

    pub(super) fn remove(&mut self, message: u64) {
        self.record(message, Change::Deleted);
        if let Some(stored) = self.messages.remove(&message) {
            self.newest.remove(&(stored.at_ms, message));
            let named = stored.index.message_id;
            if let Some(named) = named.filter(|id| self.by_message_id.get(id) == Some(&message)) {
                self.by_message_id.remove(&named);
            }
        }
    }
}
