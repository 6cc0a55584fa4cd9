//! What the stand-in knows.

use alfred_core::ports::Clock;
use alfred_loopback::Faults;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::exchange::Fault;
use crate::mail::Mailbox;
use crate::oauth::{Client, OAuth};

/// How it is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The app that people consent to.
    pub client: Client,
    /// Requests of a mailbox in ten minutes.
    pub requests: u64,
}

impl Default for Options {
    /// Microsoft's own (<https://learn.microsoft.com/graph/throttling-limits#outlook-service-limits>).
    fn default() -> Self {
        Self {
            client: Client::default(),
            requests: 10_000,
        }
    }
}

/// A stand-in of Microsoft Graph. Cheap to clone.
#[derive(Clone)]
pub struct GraphLocal(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub clock: Arc<dyn Clock>,
    pub options: Options,
    pub faults: Faults<Fault>,
    pub state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// By address.
    pub mailboxes: BTreeMap<String, Mailbox>,
    pub oauth: OAuth,
    /// Requests by mailbox: the ten minutes that are counted, and how many in them.
    pub used: BTreeMap<String, (i64, u64)>,
    /// Requests of a mailbox that are at work.
    pub at_work: BTreeMap<String, usize>,
}

impl GraphLocal {
    /// One in which nobody has a mailbox.
    pub fn new(options: Options, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            clock,
            options,
            faults: Faults::default(),
            state: Mutex::default(),
        }))
    }

    /// Adds an empty mailbox of this address, or replaces the one that is there.
    pub fn put_mailbox(&self, email: &str, name: &str) {
        let mailbox = Mailbox::new(email, name);
        self.lock().mailboxes.insert(email.to_owned(), mailbox);
    }

    /// Looks at a mailbox, or changes it behind the API's back; `None` where there is none of this address.
    pub fn with_mailbox<T>(&self, email: &str, work: impl FnOnce(&mut Mailbox) -> T) -> Option<T> {
        self.lock().mailboxes.get_mut(email).map(work)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }
}
