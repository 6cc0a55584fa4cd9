//! The mailboxes that this process knows. Fetching an envelope costs 20 of the 6,000 units that a person has in a
//! minute; learning what changed in a whole mailbox costs 2.

use alfred_core::id::MailId;
use alfred_core::ports::{Account, MailSummary};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use super::Gmail;
use super::status::status;

/// Most envelopes in memory, over all mailboxes: about 15 MB.
const MOST: usize = 20_000;

pub(crate) type Mailboxes = Mutex<HashMap<Account, Known>>;

#[derive(Default)]
pub(crate) struct Known {
    /// The mailbox's address: another account may be connected later.
    pub email: String,
    /// The history id up to which changes are applied.
    pub history: u64,
    pub labels: OwnLabels,
    pub envelopes: HashMap<MailId, Envelope>,
}

/// A mailbox as of the last sync.
pub(super) struct Synced {
    pub history: u64,
    pub labels: OwnLabels,
}

/// The ids of our labels that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnLabels {
    pub processed: Option<String>,
    pub backlog: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    /// The history id of its last change.
    pub history: u64,
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
        if mailboxes
            .values()
            .map(|known| known.envelopes.len())
            .sum::<usize>()
            > MOST
        {
            mailboxes.clear();
        }
        work(mailboxes.entry(self.account.clone()).or_default())
    }

    /// Remembers envelopes that were fetched after this sync. After a later sync they may lack its changes.
    pub(super) fn keep(&self, synced: &Synced, fetched: Vec<Envelope>) {
        self.known(|known| {
            if known.history == synced.history {
                let fetched = fetched.into_iter();
                let named = fetched.map(|envelope| (envelope.summary.id.clone(), envelope));
                known.envelopes.extend(named);
            }
        });
    }
}
