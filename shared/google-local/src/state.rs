//! What the stand-in knows.

use alfred_core::ports::Clock;
use alfred_loopback::Faults;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;

use crate::account::Account;
use crate::exchange::Observer;
use crate::faults::Fault;
use crate::oauth::{Client, OAuth};
use crate::quota::{Quotas, Used};

/// How it is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where its state is kept; in memory alone without.
    pub file: Option<PathBuf>,
    /// The app that people consent to.
    pub client: Client,
    /// What may be used in a minute.
    pub quotas: Quotas,
    /// How long `files.list` of Drive doesn't show a new file.
    pub search_lag: Duration,
}

/// Why its file can't be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It can't be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It isn't what was written.
    #[error("{path} is damaged: {error}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        error: serde_json::Error,
    },
}

/// A stand-in of Google. Cheap to clone.
#[derive(Clone)]
pub struct GoogleLocal(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub clock: Arc<dyn Clock>,
    pub options: Options,
    pub faults: Faults<Fault>,
    pub observer: Mutex<Option<Observer>>,
    pub state: Mutex<State>,
    pub used: Mutex<Used>,
}

/// What is kept over restarts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub accounts: BTreeMap<String, Account>,
    pub oauth: OAuth,
    /// Counts up, for ids and versions.
    pub sequence: u64,
}

impl State {
    /// A number that was never given before.
    pub fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GoogleLocal {
    /// Opens it.
    ///
    /// # Errors
    /// When its file can't be read, or isn't what was written.
    pub fn open(options: Options, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let state = match &options.file {
            None => State::default(),
            Some(path) => match std::fs::read(path) {
                Ok(bytes) => {
                    serde_json::from_slice(&bytes).map_err(|error| OpenError::Damaged {
                        path: path.clone(),
                        error,
                    })?
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => State::default(),
                Err(error) => {
                    return Err(OpenError::Unreadable {
                        path: path.clone(),
                        error,
                    });
                }
            },
        };
        Ok(Self(Arc::new(Inner {
            clock,
            options,
            faults: Faults::default(),
            observer: Mutex::default(),
            state: Mutex::new(state),
            used: Mutex::default(),
        })))
    }

    /// Adds an account, or replaces the one of its address.
    pub fn put_account(&self, account: Account) {
        let mut state = lock(&self.0.state);
        state.accounts.insert(account.email.clone(), account);
        self.save(&state);
    }

    /// Whether somebody of this address has an account.
    pub fn has_account(&self, email: &str) -> bool {
        lock(&self.0.state).accounts.contains_key(email)
    }

    /// Looks at an account, or changes it behind the API's back.
    pub fn with_account<T>(&self, email: &str, work: impl FnOnce(&mut Account) -> T) -> Option<T> {
        let mut state = lock(&self.0.state);
        let done = state.accounts.get_mut(email).map(work);
        self.save(&state);
        done
    }

    /// Units or requests that were used of each service, since it was opened.
    pub fn units(&self) -> BTreeMap<String, u64> {
        lock(&self.0.used).units.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Keeps the state, written beside its file and moved there.
    pub(crate) fn save(&self, state: &State) {
        let Some(path) = &self.0.options.file else {
            return;
        };
        let beside = path.with_extension("new");
        let written = serde_json::to_vec(state)
            .map_err(io::Error::from)
            .and_then(|bytes| std::fs::write(&beside, bytes))
            .and_then(|()| std::fs::rename(&beside, path));
        if let Err(error) = written {
            tracing::error!(%error, path = %path.display(), "the local Google's state isn't kept");
        }
    }
}
