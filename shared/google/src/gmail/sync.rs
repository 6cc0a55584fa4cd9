//! Applies the changes of a mailbox since the last sync.

use alfred_core::id::MailId;
use std::collections::BTreeSet;

use super::Gmail;
use super::known::{Known, OwnLabels, Synced};
use super::wire::{Changed, History, Labels, Profile, Record};
use crate::{Result, found};

pub(super) const PROCESSED: &str = "Alfred/Processed";
pub(super) const BACKLOG: &str = "Alfred/Backlog";
/// Most pages of history, of 500 changes each. After that fetching anew is cheaper.
const PAGES: usize = 20;

impl Gmail<'_> {
    pub(super) async fn synced(&self) -> Result<Synced> {
        let profile = self.profile().await?;
        let latest = number(&profile.history_id);
        let since = self.known(|known| {
            if known.email != profile.email_address || known.history > latest {
                known.begin(&profile);
            }
            known.history
        });
        if since < latest {
            let records = self.records(since).await?;
            self.known(|known| match records {
                Some((records, history)) => known.apply(records, history),
                None => known.begin(&profile),
            });
        }
        let (history, mut labels) = self.known(|known| (known.history, known.labels.clone()));
        if labels.processed.is_none() || labels.backlog.is_none() {
            labels = self.own_labels().await?;
            self.known(|known| known.labels = labels.clone());
        }
        Ok(Synced { history, labels })
    }

    /// The ids of our labels that exist.
    pub(super) async fn own_labels(&self) -> Result<OwnLabels> {
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

    /// All changes since this history id, oldest first, and the newest id. `None` if the history is gone or too
    /// long.
    async fn records(&self, since: u64) -> Result<Option<(Vec<Record>, u64)>> {
        let (mut records, mut token) = (Vec::new(), None::<String>);
        for _ in 0..PAGES {
            let mut ask = self
                .get("history")
                .query("startHistoryId", since)
                .query("maxResults", 500);
            if let Some(token) = &token {
                ask = ask.query("pageToken", token);
            }
            let Some(page) = found(self.call::<History>(&ask).await, &[404])? else {
                return Ok(None);
            };
            records.extend(page.history);
            token = page.next_page_token;
            if token.is_none() {
                return Ok(Some((records, number(&page.history_id))));
            }
        }
        Ok(None)
    }
}

impl Known {
    /// Forgets all envelopes.
    fn begin(&mut self, profile: &Profile) {
        *self = Self {
            email: profile.email_address.clone(),
            history: number(&profile.history_id),
            ..Self::default()
        };
    }

    fn apply(&mut self, records: Vec<Record>, history: u64) {
        for record in records {
            let at = number(&record.id);
            // Another call of this process may have applied it.
            if at <= self.history {
                continue;
            }
            for Changed { message, label_ids } in record.labels_added {
                self.relabel(message.id, at, |labels| labels.extend(label_ids));
            }
            for Changed { message, label_ids } in record.labels_removed {
                let removed = |label: &String| !label_ids.contains(label);
                self.relabel(message.id, at, |labels| labels.retain(removed));
            }
            for deleted in record.messages_deleted {
                self.envelopes.remove(&MailId::from(deleted.message.id));
            }
        }
        self.history = self.history.max(history);
    }

    /// Changes the labels of an envelope that was fetched before this change.
    fn relabel(&mut self, id: String, at: u64, change: impl FnOnce(&mut BTreeSet<String>)) {
        let envelope = self.envelopes.get_mut(&MailId::from(id));
        if let Some(envelope) = envelope.filter(|envelope| at > envelope.history) {
            change(&mut envelope.labels);
        }
    }
}

pub(super) fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}
