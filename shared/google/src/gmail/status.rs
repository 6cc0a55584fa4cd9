//! Mail states as labels.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailStatus};
use serde_json::json;
use std::collections::BTreeSet;

use super::rows::{Envelope, Known, OwnLabels};
use super::sync::{BACKLOG, PROCESSED};
use super::wire::{Label, Message};
use super::{Gmail, is_id};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

const INBOX: &str = "INBOX";
const UNREAD: &str = "UNREAD";

/// Sent mail counts as read.
pub(super) fn status(labels: &BTreeSet<String>, own: &OwnLabels) -> MailStatus {
    let has = |label: &str| labels.contains(label);
    let marked = |label: &Option<String>| label.as_deref().is_some_and(has);
    if !has(INBOX) {
        return match has("SENT") {
            true => MailStatus::Read,
            false => MailStatus::Archived,
        };
    }
    if marked(&own.processed) {
        MailStatus::Processed
    } else if marked(&own.backlog) {
        MailStatus::Backlog
    } else if has(UNREAD) {
        MailStatus::Unread
    } else {
        MailStatus::Read
    }
}

/// Whether a mail was received and isn't in the bin or spam.
pub(super) fn arrived(labels: &BTreeSet<String>) -> bool {
    let has = |label: &str| labels.contains(label);
    has(INBOX) || !["SENT", "DRAFT", "TRASH", "SPAM"].into_iter().any(has)
}

/// Labels to add and to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

impl Change {
    /// The change that puts any mail into this state.
    pub fn to(to: MailStatus, own: &OwnLabels) -> Self {
        let (inbox, unread) = (Some(INBOX.to_owned()), Some(UNREAD.to_owned()));
        let (processed, backlog) = (own.processed.clone(), own.backlog.clone());
        let (add, remove) = match to {
            MailStatus::Archived => (vec![], vec![inbox]),
            MailStatus::Processed => (vec![inbox, processed], vec![]),
            MailStatus::Backlog => (vec![inbox, backlog], vec![processed]),
            MailStatus::Unread => (vec![inbox, unread], vec![processed, backlog]),
            MailStatus::Read => (vec![inbox], vec![unread, processed, backlog]),
        };
        let known = |labels: Vec<Option<String>>| labels.into_iter().flatten().collect();
        Self {
            add: known(add),
            remove: known(remove),
        }
    }

    /// Leaves out what these labels already have.
    pub fn of(mut self, labels: &BTreeSet<String>) -> Self {
        self.add.retain(|label| !labels.contains(label));
        self.remove.retain(|label| labels.contains(label));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }

    /// The labels after this change.
    pub fn made(&self, labels: &BTreeSet<String>) -> BTreeSet<String> {
        let mut after = labels.clone();
        after.extend(self.add.iter().cloned());
        after.retain(|label| !self.remove.contains(label));
        after
    }
}

impl Gmail<'_> {
    pub(super) async fn set_status(
        &self,
        id: &MailId,
        to: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        let known = self.synced().await?;
        let Some(envelope) = self.envelope(&known, id).await? else {
            return Ok(None);
        };
        if !arrived(&envelope.labels) {
            return Ok(None);
        }
        let before = status(&envelope.labels, &known.labels);
        // One of our labels may have been deleted since it was cached.
        for attempt in 0.. {
            let own = self.labels_for(to, &known, attempt > 0).await?;
            let change = Change::to(to, &own).of(&envelope.labels);
            if change.is_empty() {
                break;
            }
            match self.modify(id, &change).await {
                Ok(labels) => {
                    let changed = Envelope { labels, ..envelope };
                    self.keep([&changed]).await?;
                    break;
                }
                Err(CallError::Status { code: 404, .. }) => return Ok(None),
                Err(CallError::Status { code: 400, .. }) if attempt == 0 => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(before))
    }

    /// The stored or fetched envelope.
    async fn envelope(&self, known: &Known, id: &MailId) -> Result<Option<Envelope>, AccountError> {
        if !is_id(id.as_str()) {
            return Ok(None);
        }
        let kept = self.envelopes(std::slice::from_ref(id)).await?.pop();
        let kept = kept.flatten().map(|(envelope, _)| envelope);
        if let Some(envelope) = kept.filter(|envelope| envelope.epoch == known.epoch) {
            return Ok(Some(envelope));
        }
        let fetched = self.fetch(known.epoch, id).await?;
        self.keep(&fetched).await?;
        Ok(fetched)
    }

    /// The ids of our labels. Creates the one that this state needs.
    pub(super) async fn labels_for(
        &self,
        to: MailStatus,
        known: &Known,
        anew: bool,
    ) -> Result<OwnLabels, AccountError> {
        let mut own = match anew {
            true => self.own_labels().await?,
            false => known.labels.clone(),
        };
        match to {
            MailStatus::Processed if own.processed.is_none() => {
                own.processed = self.label(PROCESSED).await?;
            }
            MailStatus::Backlog if own.backlog.is_none() => {
                own.backlog = self.label(BACKLOG).await?;
            }
            _ => {}
        }
        if own != known.labels
            && let (Some(kept), version) = self.known().await?
        {
            let labels = own.clone();
            self.keep_known(&Known { labels, ..kept }, version).await?;
        }
        Ok(own)
    }

    /// Creates a label. If another process just did, finds that one.
    async fn label(&self, name: &str) -> Result<Option<String>, AccountError> {
        let body = json!({"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"});
        let ask = Ask::post(AccountService::Mail, self.url("labels"), body);
        match self.call::<Label>(&ask).await {
            Ok(label) => Ok(Some(label.id)),
            Err(CallError::Status { code: 409, .. }) => {
                let own = self.own_labels().await?;
                Ok(match name {
                    PROCESSED => own.processed,
                    _ => own.backlog,
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the labels after the change. Repeated once if no answer came, which is harmless.
    async fn modify(&self, id: &MailId, change: &Change) -> Result<BTreeSet<String>, CallError> {
        let body = json!({"addLabelIds": change.add, "removeLabelIds": change.remove});
        let url = self.url(&format!("messages/{id}/modify"));
        let ask = Ask::post(AccountService::Mail, url, body);
        let modified: Message = match self.call(&ask).await {
            Err(CallError::Account(AccountError::Unknown { .. })) => self.call(&ask).await?,
            other => other?,
        };
        Ok(modified.label_ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(labels: &[&str]) -> BTreeSet<String> {
        labels.iter().map(|&label| label.to_owned()).collect()
    }

    #[test]
    fn every_state_is_reached_from_every_other_by_what_differs() {
        use MailStatus::{Archived, Backlog, Processed, Read, Unread};
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
        ];
        for labels in &states {
            for to in [Unread, Read, Archived, Backlog, Processed] {
                let whole = Change::to(to, &own);
                let change = whole.clone().of(labels);
                assert_eq!(status(&change.made(labels), &own), to, "{labels:?}");
                assert_eq!(whole.made(labels), change.made(labels));
                let same = change.is_empty();
                assert!(!same || status(labels, &own) == to, "{labels:?} {to:?}");
            }
        }
    }
}
