//! Sets the states of mails
//! (<https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/batchModify>).

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailStatus};
use serde_json::{Value, json};
use std::collections::HashMap;

use super::Gmail;
use super::known::{BACKLOG, Envelope, OwnLabels, PROCESSED, Synced};
use super::status::{Change, arrived, status};
use crate::Result;
use alfred_accounts::api::{CallError, CallResult};
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

    async fn batch(&self, synced: &Synced, batch: &[Envelope], to: MailStatus) -> CallResult<()> {
        match self.modify(batch, to, synced.labels.clone()).await {
            // One of our labels may have been deleted since it was read.
            Err(CallError::Status { code: 400, .. }) => {
                let own = self.own_labels().await?;
                self.modify(batch, to, own).await
            }
            done => done,
        }
    }

    async fn modify(&self, batch: &[Envelope], to: MailStatus, own: OwnLabels) -> CallResult<()> {
        let change = Change::to(to, &self.with_label(to, own).await?);
        let lacks = |mail: &&Envelope| change.made(&mail.labels) != mail.labels;
        let open: Vec<&Envelope> = batch.iter().filter(lacks).collect();
        if open.is_empty() {
            return Ok(());
        }
        let ids: Vec<&MailId> = open.iter().map(|mail| &mail.summary.id).collect();
        let body = json!({"ids": ids, "addLabelIds": change.add, "removeLabelIds": change.remove});
        let url = self.url("messages/batchModify");
        let ask = Ask::post(AccountService::Mail, url, body).repeatable();
        self.call::<Value>(&ask).await?;
        // The next sync may not see the change in the history yet.
        self.known(|known| {
            for mail in open {
                if let Some(mail) = known.envelopes.get_mut(&mail.summary.id) {
                    mail.labels = change.made(&mail.labels);
                }
            }
        });
        Ok(())
    }

    /// Creates the label that a state needs, unless it exists.
    async fn with_label(&self, to: MailStatus, own: OwnLabels) -> Result<OwnLabels> {
        let name = match to {
            MailStatus::Processed if own.processed.is_none() => PROCESSED,
            MailStatus::Backlog if own.backlog.is_none() => BACKLOG,
            _ => return Ok(own),
        };
        let body = json!({"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"});
        let ask = Ask::post(AccountService::Mail, self.url("labels"), body);
        match self.call::<Value>(&ask).await {
            // With 409 another process just created it.
            Ok(_) | Err(CallError::Status { code: 409, .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let own = self.own_labels().await?;
        let label = if name == PROCESSED {
            &own.processed
        } else {
            &own.backlog
        };
        if label.is_none() {
            return Err(not_now("a new label isn't listed yet"));
        }
        Ok(own)
    }
}
