//! Sets the states of mails
//! (<https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/batchModify>).

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailStatus};
use serde_json::{Value, json};
use std::collections::HashMap;

use super::Gmail;
use super::known::{Envelope, OwnLabels, Synced};
use super::status::{Change, arrived, status};
use super::sync::{BACKLOG, PROCESSED};
use super::wire::Label;
use crate::Result;
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

/// Ids in one call, which costs 50 units.
const MOST: usize = 1_000;

type Set = Result<Option<MailStatus>>;

impl Gmail<'_> {
    pub(super) async fn set_statuses(&self, ids: &[MailId], to: MailStatus) -> Result<Vec<Set>> {
        let synced = self.synced().await?;
        let (found, stopped) = self.resolved(&synced, ids).await?;
        if let Some(error) = stopped {
            return Err(error);
        }
        let mut set: HashMap<MailId, Set> = HashMap::new();
        let mut open: Vec<Envelope> = Vec::new();
        for envelope in found {
            let before = status(&envelope.labels, &synced.labels);
            let id = envelope.summary.id.clone();
            if arrived(&envelope.labels) && set.insert(id, Ok(Some(before))).is_none() {
                open.push(envelope);
            }
        }
        let mut parts: Vec<&[Envelope]> = open.chunks(MOST).collect();
        while let Some(part) = parts.pop() {
            match self.batch(&synced, part, to).await {
                Ok(()) => {}
                // Google refuses a batch without naming the bad mail.
                Err(AccountError::Refused { .. }) if part.len() > 1 => parts.extend(part.chunks(1)),
                Err(error) => {
                    let ids = part.iter().map(|envelope| envelope.summary.id.clone());
                    set.extend(ids.map(|id| (id, Err(error.clone()))));
                }
            }
        }
        let of = |id: &MailId| set.get(id).cloned().unwrap_or(Ok(None));
        Ok(ids.iter().map(of).collect())
    }

    async fn batch(&self, synced: &Synced, batch: &[Envelope], to: MailStatus) -> Result<()> {
        // One of our labels may have been deleted since it was read.
        for attempt in 0.. {
            let own = self.labels_for(to, synced, attempt > 0).await?;
            let change = Change::to(to, &own);
            let lacks = |envelope: &&Envelope| !change.clone().of(&envelope.labels).is_empty();
            let open: Vec<&Envelope> = batch.iter().filter(lacks).collect();
            if open.is_empty() {
                break;
            }
            match self.batch_modify(&open, &change).await {
                Ok(()) => {
                    // The next sync may not see the change in the history yet.
                    self.known(|known| {
                        for mail in open {
                            if let Some(mail) = known.envelopes.get_mut(&mail.summary.id) {
                                mail.labels = change.made(&mail.labels);
                            }
                        }
                    });
                    break;
                }
                Err(CallError::Status { code: 400, .. }) if attempt == 0 => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn batch_modify(&self, mails: &[&Envelope], change: &Change) -> Result<(), CallError> {
        let ids: Vec<&MailId> = mails.iter().map(|mail| &mail.summary.id).collect();
        let body = json!({"ids": ids, "addLabelIds": change.add, "removeLabelIds": change.remove});
        let url = self.url("messages/batchModify");
        let ask = Ask::post(AccountService::Mail, url, body).repeatable();
        self.call::<Value>(&ask).await.map(drop)
    }

    /// The ids of our labels. Creates the one that this state needs.
    async fn labels_for(&self, to: MailStatus, synced: &Synced, anew: bool) -> Result<OwnLabels> {
        let mut own = if anew {
            self.own_labels().await?
        } else {
            synced.labels.clone()
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
        self.known(|known| known.labels = own.clone());
        Ok(own)
    }

    /// Creates a label. If another process just did, finds that one.
    async fn label(&self, name: &str) -> Result<Option<String>> {
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
}
