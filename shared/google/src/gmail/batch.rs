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
use alfred_accounts::outbox::not_now;

/// Ids in one call, which costs 50 units.
const MOST: usize = 1_000;
/// Unknown mails in one call. Fetching them leaves units of the minute for the change itself.
const MOST_UNKNOWN: usize = 250;
/// Refused batches that are split. Finding one bad mail of 1,000 takes ten.
const MOST_SPLITS: usize = 20;

type Set = Result<Option<MailStatus>>;

impl Gmail<'_> {
    pub(super) async fn set_all(&self, ids: &[MailId], to: MailStatus) -> Result<Vec<Set>> {
        let synced = self.synced().await?;
        let mut unknown = 0;
        let fitting = self.known(|known| {
            let fits = |id: &&MailId| {
                unknown += usize::from(!known.envelopes.contains_key(*id));
                unknown <= MOST_UNKNOWN
            };
            ids.iter().take_while(fits).count()
        });
        let (now, later) = ids.split_at(fitting);
        let (found, stopped) = self.resolved(&synced, now, |_| true).await?;
        let mut set: HashMap<MailId, Set> = HashMap::new();
        let mut open: Vec<Envelope> = Vec::new();
        for envelope in found {
            let before = status(&envelope.labels, &synced.labels);
            let id = envelope.summary.id.clone();
            if arrived(&envelope.labels) && set.insert(id, Ok(Some(before))).is_none() {
                open.push(envelope);
            }
        }
        for id in later {
            let limit = || Err(not_now("Gmail's limit of a minute"));
            set.entry(id.clone()).or_insert_with(limit);
        }
        let mut parts: Vec<&[Envelope]> = open.chunks(MOST).collect();
        let mut splits = 0;
        while let Some(part) = parts.pop() {
            match self.batch(&synced, part, to).await {
                Ok(()) => {}
                // Google refuses a batch without naming the bad mail.
                Err(CallError::Status { .. }) if part.len() > 1 && splits < MOST_SPLITS => {
                    splits += 1;
                    parts.extend(part.chunks(part.len().div_ceil(2)));
                }
                Err(error) => {
                    let error = AccountError::from(error);
                    let ids = part.iter().map(|envelope| envelope.summary.id.clone());
                    set.extend(ids.map(|id| (id, Err(error.clone()))));
                }
            }
        }
        let rest = stopped.map_or(Ok(None), Err);
        let of = |id: &MailId| set.get(id).unwrap_or(&rest).clone();
        Ok(ids.iter().map(of).collect())
    }

    async fn batch(
        &self,
        synced: &Synced,
        batch: &[Envelope],
        to: MailStatus,
    ) -> Result<(), CallError> {
        // One of our labels may have been deleted since it was read.
        for attempt in 0.. {
            let own = self.labels_for(to, synced, attempt > 0).await;
            let own = own.map_err(CallError::Account)?;
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
                Err(error) => return Err(error),
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
