//! What to do with a mail: its category, the task in it, groups by sender.

mod body;
mod categorize;
mod deadline;
mod phrases;
mod task;
#[cfg(test)]
mod tests;

pub use body::own_words;
pub use categorize::{Phishing, Triage, categorize};
pub use task::{MailTask, capitalized, extract_task, subject_without_prefixes};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::words;

words! {
    MailCategory {
        NeedsReply = "needs_reply",
        ImportantInfo = "important_info",
        PotentialTask = "potential_task",
        CanArchive = "can_archive",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailFacts {
    pub from_address: String,
    /// The sender's name, or else the address.
    pub sender: String,
    pub subject: String,
    /// The body as plain text, quotes and signature included.
    pub text: String,
    /// Whether it has headers that only automated and list mail have.
    pub automated: bool,
    /// Whether its sender is registered.
    pub known_sender: bool,
    /// The date in its owner's zone on which it arrived.
    pub received: Date,
    /// The date there now.
    pub today: Date,
    /// Whether its sender is shown as somebody who is known to write from another address.
    pub borrowed_name: bool,
    /// Whether a link in it shows another host than the one it leads to.
    pub disguised_link: bool,
    /// Whether answers go to another domain than the sender's.
    pub answers_elsewhere: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SenderGroup {
    pub sender: String,
    pub count: usize,
    /// Their ids, in the order given.
    pub email_ids: Vec<String>,
}

/// Groups mails, given as id and sender's address; the largest groups first, then by
/// address. Senders with fewer than `least` mails are left out. A mail given twice counts once.
pub fn group_by_sender<'a>(
    mails: impl IntoIterator<Item = (&'a str, &'a str)>,
    least: usize,
) -> Vec<SenderGroup> {
    let mut by_sender: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, address) in mails {
        let ids = by_sender.entry(address.trim().to_lowercase()).or_default();
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    let group = |(sender, email_ids): (String, Vec<String>)| SenderGroup {
        sender,
        count: email_ids.len(),
        email_ids,
    };
    let mut groups: Vec<SenderGroup> = by_sender.into_iter().map(group).collect();
    groups.retain(|group| group.count >= least);
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    groups
}
