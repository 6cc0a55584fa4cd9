//! Mail states as labels.

use alfred_core::ports::MailStatus;
use std::collections::BTreeSet;

use super::known::OwnLabels;

const INBOX: &str = "INBOX";
const UNREAD: &str = "UNREAD";
const TRASH: &str = "TRASH";

/// Sent mail counts as read.
pub(super) fn status(labels: &BTreeSet<String>, own: &OwnLabels) -> MailStatus {
    let has = |label: &str| labels.contains(label);
    let marked = |label: &Option<String>| label.as_deref().is_some_and(has);
    if has(TRASH) {
        MailStatus::Deleted
    } else if !has(INBOX) && has("SENT") {
        MailStatus::Read
    } else if !has(INBOX) {
        MailStatus::Archived
    } else if marked(&own.processed) {
        MailStatus::Processed
    } else if marked(&own.backlog) {
        MailStatus::Backlog
    } else if has(UNREAD) {
        MailStatus::Unread
    } else {
        MailStatus::Read
    }
}

/// Whether a mail was received and isn't spam.
pub(super) fn arrived(labels: &BTreeSet<String>) -> bool {
    let has = |label: &str| labels.contains(label);
    has(INBOX) || !["SENT", "DRAFT", "SPAM"].into_iter().any(has)
}

pub(super) struct Change {
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

impl Change {
    /// The change that puts any mail into this state.
    pub fn to(to: MailStatus, own: &OwnLabels) -> Self {
        let [inbox, unread, trash] = [INBOX, UNREAD, TRASH].map(|label| Some(label.to_owned()));
        let (processed, backlog) = (own.processed.clone(), own.backlog.clone());
        let (add, mut remove) = match to {
            MailStatus::Deleted => (vec![trash.clone()], vec![inbox]),
            MailStatus::Archived => (vec![], vec![inbox]),
            MailStatus::Processed => (vec![inbox, processed], vec![]),
            MailStatus::Backlog => (vec![inbox, backlog], vec![processed]),
            MailStatus::Unread => (vec![inbox, unread], vec![processed, backlog]),
            MailStatus::Read => (vec![inbox], vec![unread, processed, backlog]),
        };
        if to != MailStatus::Deleted {
            remove.push(trash);
        }
        let known = |labels: Vec<Option<String>>| labels.into_iter().flatten().collect();
        Self {
            add: known(add),
            remove: known(remove),
        }
    }

    pub fn made(&self, labels: &BTreeSet<String>) -> BTreeSet<String> {
        let mut after = labels.clone();
        after.extend(self.add.iter().cloned());
        after.retain(|label| !self.remove.contains(label));
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(labels: &[&str]) -> BTreeSet<String> {
        labels.iter().map(|&label| label.to_owned()).collect()
    }

    #[test]
    fn every_state_is_reached_from_every_other() {
        use MailStatus::{Archived, Backlog, Deleted, Processed, Read, Unread};
        let own = OwnLabels {
            processed: Some("P".into()),
            backlog: Some("B".into()),
        };
        let states = [
            set(&["INBOX", "UNREAD"]),
            set(&["INBOX"]),
            set(&[]),
            set(&["UNREAD", "P"]),
            set(&["INBOX", "B", "UNREAD"]),
            set(&["INBOX", "B", "P"]),
            set(&["TRASH", "INBOX"]),
        ];
        for labels in &states {
            for to in [Unread, Read, Archived, Backlog, Processed, Deleted] {
                let after = Change::to(to, &own).made(labels);
                assert_eq!(status(&after, &own), to, "{labels:?}");
            }
        }
    }
}
