//! Stored rows of a mailbox: its history position and envelopes.

use alfred_core::id::MailId;
use alfred_core::keys;
use alfred_core::ports::{
    AccountError, Body, Commit, MAX_ITEM_BYTES, MailSummary, StoreError, SystemIds, Write,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::{Gmail, KEPT, not_stored};

/// Rows read at a time.
const AT_ONCE: usize = 16;
/// Rows and bytes in one commit.
const ROWS: usize = 100;
const BYTES: usize = 3_500_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    /// The mailbox's address: another account may be connected later.
    pub email: String,
    /// The history id up to which changes are applied.
    pub history: u64,
    /// Envelopes of another epoch are invalid. A new epoch begins when history is missing.
    pub epoch: u64,
    pub labels: OwnLabels,
}

/// The ids of our labels that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OwnLabels {
    pub processed: Option<String>,
    pub backlog: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Envelope {
    pub epoch: u64,
    /// The history id of its last change.
    pub history: u64,
    pub labels: BTreeSet<String>,
    /// Its own status is unused: `labels` decides.
    pub summary: MailSummary,
}

fn body(row: &impl Serialize) -> Result<Body, AccountError> {
    Body::new(row).map_err(|error| AccountError::NotReached {
        detail: error.to_string(),
        retry_after: None,
    })
}

impl Gmail<'_> {
    /// The stored state and its version. A missing row has version 0.
    pub(super) async fn known(&self) -> Result<(Option<Known>, u64), AccountError> {
        let key = keys::gmail_mailbox(self.account);
        let item = self.google.store.get(&key).await.map_err(not_stored)?;
        let Some(item) = item else {
            return Ok((None, 0));
        };
        let version = item.version;
        let known = item.decode("mailbox").map_err(not_stored)?;
        Ok((Some(known), version))
    }

    /// Stores the state, unless another process was first.
    pub(super) async fn keep_known(&self, known: &Known, version: u64) -> Result<(), AccountError> {
        let key = keys::gmail_mailbox(self.account);
        let write = Write::over(key, version, body(known)?);
        match self.commit(vec![write]).await {
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other.map_err(not_stored),
        }
    }

    /// The stored envelopes of these mails, with versions.
    pub(super) async fn envelopes(
        &self,
        ids: &[MailId],
    ) -> Result<Vec<Option<(Envelope, u64)>>, AccountError> {
        let keys: Vec<_> = ids
            .iter()
            .map(|id| keys::gmail_mail(self.account, id))
            .collect();
        let store = &self.google.store;
        let read = keys.into_iter().map(|key| async move {
            let Some(item) = store.get(&key).await? else {
                return Ok(None);
            };
            let version = item.version;
            Ok(Some((item.decode("envelope")?, version)))
        });
        let read: Vec<_> = read.map(Box::pin).collect();
        let found = stream::iter(read).buffered(AT_ONCE).try_collect();
        found.await.map_err(not_stored)
    }

    /// Stores envelopes. One that is too large for the store is fetched each time.
    pub(super) async fn keep<'e>(
        &self,
        envelopes: impl IntoIterator<Item = &'e Envelope>,
    ) -> Result<(), AccountError> {
        let mut writes = Vec::new();
        for envelope in envelopes {
            let key = keys::gmail_mail(self.account, &envelope.summary.id);
            let body = body(envelope)?;
            if body.byte_len() <= MAX_ITEM_BYTES {
                writes.push(Write::put(key, None, body));
            }
        }
        self.commit_all(writes).await.map_err(not_stored)
    }

    /// Splits writes into commits that fit.
    pub(super) async fn commit_all(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for write in writes {
            let size = match &write.op {
                alfred_core::ports::Op::Put { body, .. } => body.byte_len(),
                _ => 0,
            };
            if batch.len() == ROWS || bytes + size > BYTES && !batch.is_empty() {
                self.commit(std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
            bytes += size;
            batch.push(write);
        }
        match batch.is_empty() {
            true => Ok(()),
            false => self.commit(batch).await,
        }
    }

    pub(super) async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let now = self.google.clock.now();
        let writes = writes.into_iter().map(|write| write.kept(now, KEPT));
        let commit = Commit::new(&SystemIds, writes.collect());
        self.google.store.commit(&commit).await
    }
}
