//! Sets the state of many mails in one call
//! (<https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/batchModify>).

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailStatus};
use serde_json::{Value, json};
use std::collections::HashMap;

use super::rows::{Envelope, Known};
use super::status::{Change, arrived, status};
use super::{Gmail, is_id};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

/// From this many mails on, a batch is cheaper: 50 quota units, against 5 for each mail.
const WORTH: usize = 11;
/// Ids in one call.
const MOST: usize = 1_000;

type Set = Result<Option<MailStatus>, AccountError>;

impl Gmail<'_> {
    pub(super) async fn set_statuses(
        &self,
        ids: &[MailId],
        to: MailStatus,
    ) -> Result<Vec<Set>, AccountError> {
        if ids.len() < WORTH {
            return Ok(self.one_by_one(ids, to).await);
        }
        let known = self.synced().await?;
        let named = ids.iter().filter(|id| is_id(id.as_str()));
        let named: Vec<MailId> = named.cloned().collect();
        let (found, stopped) = self.resolved(&known, |_| true, &named).await?;
        if let Some(error) = stopped {
            return Err(error);
        }
        let mut set: HashMap<MailId, Set> = HashMap::new();
        let mut open: Vec<Envelope> = Vec::new();
        for envelope in found {
            let before = status(&envelope.labels, &known.labels);
            let id = envelope.summary.id.clone();
            if arrived(&envelope.labels) && set.insert(id, Ok(Some(before))).is_none() {
                open.push(envelope);
            }
        }
        for batch in open.chunks(MOST) {
            for (id, other) in self.batch(&known, batch, to).await {
                set.insert(id, other);
            }
        }
        let of = |id: &MailId| set.get(id).cloned().unwrap_or(Ok(None));
        Ok(ids.iter().map(of).collect())
    }

    async fn one_by_one(&self, ids: &[MailId], to: MailStatus) -> Vec<Set> {
        let mut each = Vec::with_capacity(ids.len());
        for id in ids {
            each.push(self.set_status(id, to).await);
        }
        each
    }

    /// The outcomes of mails that didn't simply reach the state.
    async fn batch(&self, known: &Known, batch: &[Envelope], to: MailStatus) -> Vec<(MailId, Set)> {
        let id = |envelope: &Envelope| envelope.summary.id.clone();
        let all = |error: AccountError| {
            let each = batch.iter().map(id);
            each.map(|id| (id, Err(error.clone()))).collect()
        };
        // One of our labels may have been deleted since it was cached.
        for anew in [false, true] {
            let change = match self.labels_for(to, known, anew).await {
                Ok(own) => Change::to(to, &own),
                Err(error) => return all(error),
            };
            let lacks = |envelope: &&Envelope| !change.clone().of(&envelope.labels).is_empty();
            let open: Vec<&Envelope> = batch.iter().filter(lacks).collect();
            if open.is_empty() {
                return Vec::new();
            }
            match self.batch_modify(&open, &change).await {
                Ok(()) => {
                    let after = open.into_iter().map(|envelope| Envelope {
                        labels: change.made(&envelope.labels),
                        ..envelope.clone()
                    });
                    let kept = self.keep(&after.collect::<Vec<_>>()).await;
                    // The next sync also finds the change in the history.
                    return kept.err().map_or_else(Vec::new, all);
                }
                Err(CallError::Status { .. }) => {}
                Err(error) => return all(error.into()),
            }
        }
        // Google refuses the batch without naming the bad mail.
        let ids: Vec<MailId> = batch.iter().map(id).collect();
        let each = self.one_by_one(&ids, to).await;
        ids.into_iter().zip(each).collect()
    }

    async fn batch_modify(&self, mails: &[&Envelope], change: &Change) -> Result<(), CallError> {
        let ids: Vec<&MailId> = mails.iter().map(|mail| &mail.summary.id).collect();
        let body = json!({"ids": ids, "addLabelIds": change.add, "removeLabelIds": change.remove});
        let url = self.url("messages/batchModify");
        let ask = Ask::post(AccountService::Mail, url, body).repeatable();
        self.call::<Value>(&ask).await.map(drop)
    }
}
