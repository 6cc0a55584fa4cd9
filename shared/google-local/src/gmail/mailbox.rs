//! What is in a mailbox.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use mail_parser::MessageParser;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

use super::index::Indexed;
use super::labels::{SYSTEM, searched};

/// Ids count from here: sixteen hexadecimal digits, as Gmail's.
const FIRST_ID: u64 = 0x19ab_0000_0000_0000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Mailbox {
    /// Whether sending a draft replaces its `Message-ID`. Google was seen to do both.
    pub replaces_message_id: bool,
    pub(super) messages: BTreeMap<u64, Stored>,
    /// By the time of arrival in milliseconds.
    pub(super) newest: BTreeSet<(i64, u64)>,
    by_message_id: BTreeMap<String, u64>,
    /// The names of a person's own, by id.
    pub(super) labels: BTreeMap<String, String>,
    /// The message of each draft.
    pub(super) drafts: BTreeMap<u64, u64>,
    pub(super) history: Vec<Record>,
    /// Older history is forgotten.
    pub(super) history_from: u64,
    sequence: u64,
}

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
    let bytes = BASE64_STANDARD.decode(text);
    bytes.map_err(serde::de::Error::custom)
}

/// A number as the API's id.
pub(super) fn id(number: u64) -> String {
    format!("{:016x}", FIRST_ID + number)
}

pub(super) fn number(id: &str) -> Option<u64> {
    u64::from_str_radix(id, 16).ok()?.checked_sub(FIRST_ID)
}

impl Mailbox {
    /// Adds a mail (RFC 5322). Labels are ids of the system's, or names of a person's own. Returns its id.
    pub fn deliver(&mut self, raw: &[u8], labels: &[&str], at: Timestamp) -> String {
        let own = |label: &&str| {
            if SYSTEM.contains(label) {
                (*label).to_owned()
            } else {
                self.put_label(label)
            }
        };
        let labels = labels.iter().map(own).collect();
        id(self.add(raw.to_vec(), labels, at, None))
    }

    /// A person's own by name.
    pub fn labels_of(&self, id: &str) -> Option<BTreeSet<String>> {
        let stored = self.messages.get(&number(id)?)?;
        let name = |label: &String| self.labels.get(label).unwrap_or(label).clone();
        Some(stored.labels.iter().map(name).collect())
    }

    pub fn thread_of(&self, id: &str) -> Option<String> {
        let stored = self.messages.get(&number(id)?)?;
        Some(self::id(stored.thread))
    }

    /// Changes labels, as the owner does elsewhere.
    pub fn relabel(&mut self, id: &str, add: &[&str], remove: &[&str]) {
        let owned = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect();
        if let Some(number) = number(id) {
            self.change(number, &owned(add), &owned(remove));
        }
    }

    /// Deletes a message for good, as the owner does elsewhere.
    pub fn delete(&mut self, id: &str) {
        if let Some(number) = number(id) {
            self.remove(number);
        }
    }

    /// The messages with this label (an id), oldest first.
    pub fn with_label(&self, label: &str) -> Vec<(String, &[u8])> {
        let with = |(_, stored): &(&u64, &Stored)| stored.labels.contains(label);
        let messages = self.messages.iter().filter(with);
        let raw = messages.map(|(number, stored)| (id(*number), stored.raw.as_slice()));
        raw.collect()
    }

    /// Ends the history so far, as Gmail does after about a week.
    pub fn forget_history(&mut self) {
        self.history.clear();
        self.history_from = self.next();
    }

    pub(super) fn history_id(&self) -> u64 {
        self.sequence
    }

    pub(super) fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// The id of a person's own label.
    pub(super) fn label_named(&self, name: &str) -> Option<String> {
        let mut labels = self.labels.iter();
        let known = labels.find(|(_, known)| searched(known) == searched(name));
        known.map(|(id, _)| id.clone())
    }

    pub(super) fn put_label(&mut self, name: &str) -> String {
        self.label_named(name).unwrap_or_else(|| {
            let id = format!("Label_{}", self.next());
            self.labels.insert(id.clone(), name.to_owned());
            id
        })
    }

    pub(super) fn is_label(&self, id: &str) -> bool {
        SYSTEM.contains(&id) || self.labels.contains_key(id)
    }

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
        let headers = [parsed.in_reply_to(), parsed.references()].into_iter();
        let ids = headers.flat_map(|ids| ids.as_text_list().unwrap_or_default().to_vec());
        let numbers = ids.filter_map(|id| self.by_message_id.get(id.as_ref()));
        let mut found = numbers.filter_map(|number| self.messages.get(number));
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

    pub(super) fn change(&mut self, mail: u64, add: &BTreeSet<String>, remove: &BTreeSet<String>) {
        let Some(stored) = self.messages.get_mut(&mail) else {
            return;
        };
        let added: BTreeSet<String> = add.difference(&stored.labels).cloned().collect();
        stored.labels.extend(added.iter().cloned());
        let removed: BTreeSet<String> = remove.intersection(&stored.labels).cloned().collect();
        stored.labels.retain(|label| !removed.contains(label));
        if !added.is_empty() {
            self.record(mail, Change::LabelsAdded(added));
        }
        if !removed.is_empty() {
            self.record(mail, Change::LabelsRemoved(removed));
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
