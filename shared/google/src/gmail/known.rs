//! The mailboxes that this process knows, kept up to date by their history. Fetching an envelope costs 20 of the
//! 6,000 units that a person has in a minute; learning what changed in a whole mailbox costs 2.

use alfred_core::id::MailId;
use alfred_core::ports::{Account, MailSummary};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use super::Gmail;
use super::status::status;
use super::wire::{Changed, History, Labels, Profile, Record};
use crate::{Result, found};

pub(super) const PROCESSED: &str = "Alfred/Processed";
pub(super) const BACKLOG: &str = "Alfred/Backlog";
/// Most envelopes in memory, over all mailboxes: about 15 MB.
const MOST: usize = 20_000;
/// Most pages of history, of 500 changes each. After that fetching anew is cheaper.
const PAGES: usize = 20;

pub(crate) type Mailboxes = Mutex<HashMap<Account, Known>>;

#[derive(Default)]
pub(crate) struct Known {
    /// The mailbox's address: another account may be connected later.
    email: String,
    /// The history id up to which changes are applied.
    history: u64,
    labels: OwnLabels,
    pub envelopes: HashMap<MailId, Envelope>,
}

/// A mailbox as of the last sync.
pub(super) struct Synced {
    history: u64,
    pub labels: OwnLabels,
}

/// The ids of our labels that exist.
#[derive(Clone, Default)]
pub(crate) struct OwnLabels {
    pub processed: Option<String>,
    pub backlog: Option<String>,
}

#[derive(Clone)]
pub(crate) struct Envelope {
    pub labels: BTreeSet<String>,
    /// Its own status is unused: `labels` decides.
    pub summary: MailSummary,
}

impl Envelope {
    pub fn summary(self, own: &OwnLabels) -> MailSummary {
        MailSummary {
            status: status(&self.labels, own),
            ..self.summary
        }
    }
}

impl Gmail<'_> {
    pub(super) fn known<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        let mailboxes = self.google.mailboxes.lock();
        let mut mailboxes = mailboxes.unwrap_or_else(PoisonError::into_inner);
        let sizes = mailboxes.values().map(|known| known.envelopes.len());
        if sizes.sum::<usize>() > MOST {
            mailboxes.clear();
        }
        work(mailboxes.entry(self.account.clone()).or_default())
    }

    /// Remembers an envelope that was fetched after this sync. After a later sync it may lack its changes.
    pub(super) fn remember(&self, synced: &Synced, envelope: &Envelope) {
        self.known(|known| {
            if known.history == synced.history {
                let id = envelope.summary.id.clone();
                known.envelopes.insert(id, envelope.clone());
            }
        });
    }

    /// Applies the changes of the mailbox since the last sync.
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
        }
        Ok(Synced { history, labels })
    }

    pub(super) async fn own_labels(&self) -> Result<OwnLabels> {
        let listed: Labels = self.call(&self.get("labels")).await?;
        let named = |name: &str| {
            let mut labels = listed.labels.iter();
            let found = labels.find(|label| label.name.eq_ignore_ascii_case(name));
            found.map(|label| label.id.clone())
        };
        let (processed, backlog) = (named(PROCESSED), named(BACKLOG));
        let labels = OwnLabels { processed, backlog };
        self.known(|known| known.labels = labels.clone());
        Ok(labels)
    }

    /// All changes since this history id, oldest first, and the newest id. `None` if the history is gone or too long.
    async fn records(&self, since: u64) -> Result<Option<(Vec<Record>, u64)>> {
        let (mut records, mut token) = (Vec::new(), None::<String>);
        for _ in 0..PAGES {
            let ask = self
                .get("history")
                .query("startHistoryId", since)
                .query("maxResults", 500)
                .query_some("pageToken", token);
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

    /// An envelope may have been fetched after a change. Applied in order, all changes have the same result.
    fn apply(&mut self, records: Vec<Record>, history: u64) {
        for record in records {
            // Another call of this process may have applied it.
            if number(&record.id) <= self.history {
                continue;
            }
            for Changed { message, label_ids } in record.labels_added {
                self.relabel(message.id, |labels| labels.extend(label_ids));
            }
            for Changed { message, label_ids } in record.labels_removed {
                let removed = |label: &String| !label_ids.contains(label);
                self.relabel(message.id, |labels| labels.retain(removed));
            }
            for deleted in record.messages_deleted {
                self.envelopes.remove(&MailId::from(deleted.message.id));
            }
        }
        self.history = self.history.max(history);
    }

    fn relabel(&mut self, id: String, change: impl FnOnce(&mut BTreeSet<String>)) {
        if let Some(envelope) = self.envelopes.get_mut(&MailId::from(id)) {
            change(&mut envelope.labels);
        }
    }
}

fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}
