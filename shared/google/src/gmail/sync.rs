//! Applies the changes of a mailbox since the last sync.

use alfred_core::id::MailId;
use alfred_core::keys;
use alfred_core::ports::{AccountError, StoreError, Write};
use std::collections::BTreeMap;

use super::Gmail;
use super::not_stored;
use super::rows::{Envelope, Known, OwnLabels};
use super::wire::{Changed, History, Labels, Profile, Record};
use alfred_accounts::api::CallError;

pub(super) const PROCESSED: &str = "Alfred/Processed";
pub(super) const BACKLOG: &str = "Alfred/Backlog";
/// Most pages of history, of 500 changes each. After that a new epoch is cheaper.
const PAGES: usize = 20;
/// Attempts when another process writes the same envelope.
const LOOKS: usize = 3;

/// The changes of one mail, oldest first.
#[derive(Debug, Default)]
struct Changes(Vec<(u64, Change)>);

#[derive(Debug)]
enum Change {
    Added(Vec<String>),
    Removed(Vec<String>),
    Deleted,
}

impl Gmail<'_> {
    /// The mailbox state after applying all changes.
    pub(super) async fn synced(&self) -> Result<Known, AccountError> {
        let profile = self.profile().await?;
        let (before, version) = self.known().await?;
        let latest = number(&profile.history_id);
        let mut known = match before.clone() {
            Some(known) if known.email == profile.email_address && known.history == latest => known,
            Some(known) if known.email == profile.email_address && known.history < latest => {
                self.caught_up(known, &profile).await?
            }
            _ => begun(&profile, OwnLabels::default()),
        };
        if known.labels.processed.is_none() || known.labels.backlog.is_none() {
            known.labels = self.own_labels().await?;
        }
        if before.as_ref() != Some(&known) {
            self.keep_known(&known, version).await?;
        }
        Ok(known)
    }

    /// The ids of our labels that exist.
    pub(super) async fn own_labels(&self) -> Result<OwnLabels, AccountError> {
        let listed: Labels = self.call(&self.get("labels")).await?;
        let named = |name: &str| {
            let mut labels = listed.labels.iter();
            let found = labels.find(|label| label.name.eq_ignore_ascii_case(name));
            found.map(|label| label.id.clone())
        };
        Ok(OwnLabels {
            processed: named(PROCESSED),
            backlog: named(BACKLOG),
        })
    }

    async fn caught_up(&self, known: Known, profile: &Profile) -> Result<Known, AccountError> {
        let Some((changes, history)) = self.changes(known.history).await? else {
            return Ok(begun(profile, known.labels));
        };
        let worked_in = self.work_in(known.epoch, &changes).await?;
        Ok(match worked_in {
            true => Known { history, ..known },
            // The next sync tries again.
            false => known,
        })
    }

    /// All changes since this history id, and the newest id. `None` if the history is gone or too long.
    async fn changes(
        &self,
        since: u64,
    ) -> Result<Option<(BTreeMap<MailId, Changes>, u64)>, AccountError> {
        let mut changes: BTreeMap<MailId, Changes> = BTreeMap::new();
        let mut token: Option<String> = None;
        for _ in 0..PAGES {
            let mut ask = self
                .get("history")
                .query("startHistoryId", since)
                .query("maxResults", 500);
            if let Some(token) = &token {
                ask = ask.query("pageToken", token);
            }
            let page: History = match self.call(&ask).await {
                Ok(page) => page,
                Err(CallError::Status { code: 404, .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            for record in page.history {
                collect(record, &mut changes);
            }
            token = page.next_page_token;
            if token.is_none() {
                return Ok(Some((changes, number(&page.history_id))));
            }
        }
        Ok(None)
    }

    /// Applies changes to the stored envelopes. False if some couldn't be written.
    async fn work_in(
        &self,
        epoch: u64,
        changes: &BTreeMap<MailId, Changes>,
    ) -> Result<bool, AccountError> {
        let ids: Vec<MailId> = changes.keys().cloned().collect();
        for _ in 0..LOOKS {
            let mut writes = Vec::new();
            for (id, kept) in ids.iter().zip(self.envelopes(&ids).await?) {
                let changes = changes.get(id);
                if let Some(((envelope, version), changes)) = kept.zip(changes)
                    && envelope.epoch == epoch
                {
                    writes.extend(self.changed(envelope, version, changes));
                }
            }
            match self.commit_all(writes).await {
                Ok(()) => return Ok(true),
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(not_stored(error)),
            }
        }
        Ok(false)
    }

    /// The write of an envelope after its changes. `None` if nothing changed.
    fn changed(&self, mut envelope: Envelope, version: u64, changes: &Changes) -> Option<Write> {
        let key = keys::gmail_mail(self.account, &envelope.summary.id);
        let before = envelope.clone();
        for (at, change) in changes.0.iter().filter(|(at, _)| *at > before.history) {
            envelope.history = *at;
            match change {
                Change::Added(labels) => envelope.labels.extend(labels.iter().cloned()),
                Change::Removed(labels) => envelope.labels.retain(|label| !labels.contains(label)),
                Change::Deleted => return Some(Write::delete(key, None)),
            }
        }
        let condition = alfred_core::ports::Condition::Version(version);
        let body = serde_json::to_value(&envelope).ok()?;
        (envelope != before).then(|| Write::put(key, Some(condition), body))
    }
}

fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}

/// Starts a new epoch. The history id names it, so an epoch never repeats.
fn begun(profile: &Profile, labels: OwnLabels) -> Known {
    let history = number(&profile.history_id);
    Known {
        email: profile.email_address.clone(),
        history,
        epoch: history,
        labels,
    }
}

fn collect(record: Record, changes: &mut BTreeMap<MailId, Changes>) {
    let at = number(&record.id);
    let mut add = |changed: Vec<Changed>, change: fn(Vec<String>) -> Change| {
        for changed in changed {
            let of = changes.entry(changed.message.id.into()).or_default();
            of.0.push((at, change(changed.label_ids)));
        }
    };
    add(record.labels_added, Change::Added);
    add(record.labels_removed, Change::Removed);
    add(record.messages_deleted, |_| Change::Deleted);
}
