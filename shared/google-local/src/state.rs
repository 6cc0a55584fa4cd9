use alfred_core::ports::Clock;
use alfred_loopback::Faults;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;

use crate::account::Account;
use crate::error::ApiError;
use crate::exchange::Observer;
use crate::oauth::{Client, OAuth};
use crate::quota::{Quotas, Used};

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where the state is stored; without one, only in memory.
    pub file: Option<PathBuf>,
    /// The app that people consent to.
    pub client: Client,
    pub quotas: Quotas,
    /// How long `files.list` of Drive doesn't show a new file.
    pub search_lag: Duration,
}

#[derive(Debug, Error)]
#[error("{path} can't be read: {error}")]
pub struct OpenError {
    path: PathBuf,
    error: io::Error,
}

/// A stand-in of Google. Cheap to clone.
#[derive(Clone)]
pub struct GoogleLocal(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub clock: Arc<dyn Clock>,
    pub options: Options,
    pub faults: Faults<ApiError>,
    pub observer: Mutex<Option<Observer>>,
    pub state: Mutex<State>,
    pub used: Mutex<Used>,
}

/// Survives restarts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub accounts: BTreeMap<String, Account>,
    pub oauth: OAuth,
    /// Counts up, for ids.
    pub sequence: u64,
}

impl State {
    fn read(path: &Path) -> io::Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    pub fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GoogleLocal {
    pub fn open(options: Options, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let state = match &options.file {
            Some(path) => State::read(path).map_err(|error| OpenError {
                path: path.clone(),
                error,
            })?,
            None => State::default(),
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

    /// Adds or replaces the account of its address.
    pub fn put_account(&self, account: Account) {
        let mut state = lock(&self.0.state);
        state.accounts.insert(account.email.clone(), account);
        self.save(&state);
    }

    pub fn has_account(&self, email: &str) -> bool {
        lock(&self.0.state).accounts.contains_key(email)
    }

    /// Reads or changes an account without the API.
    pub fn with_account<T>(&self, email: &str, work: impl FnOnce(&mut Account) -> T) -> Option<T> {
        let mut state = lock(&self.0.state);
        let done = state.accounts.get_mut(email).map(work);
        self.save(&state);
        done
    }

    /// The units or requests of each API since the start.
    pub fn units(&self) -> BTreeMap<String, u64> {
        lock(&self.0.used).units.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Writes the state to a new file, and moves it over the old one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::Document;
    use crate::drive::{Content, File};
    use alfred_core::ports::SystemClock;
    use serde_json::json;

    #[test]
    fn accounts_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let options = Options {
                file: Some(folder.path().join("google.json")),
                ..Options::default()
            };
            GoogleLocal::open(options, Arc::new(SystemClock)).unwrap()
        };
        let mut account = Account::new("Ana@example.com", "Ana");
        let lunch = json!({"id": "lunch", "summary": "Lunch", "recurrence": ["RRULE:FREQ=DAILY"]});
        account.calendar.put(lunch).unwrap();
        let (raw, at) = (b"Subject: Hi\r\n\r\n", Timestamp::UNIX_EPOCH);
        let mail = account.mailbox.deliver(raw, &["Plans"], at);
        open().put_account(account);
        let again = open().with_account("ana@example.com", |account| {
            let labels = account.mailbox.labels_of(&mail);
            (account.calendar.kept()[0]["summary"].clone(), labels)
        });
        let labels = std::collections::BTreeSet::from(["Plans".to_owned()]);
        assert_eq!(again, Some((json!("Lunch"), Some(labels))));
    }

    #[test]
    fn state_with_the_old_field_open_is_read() {
        let document = Content::Document(Document::default());
        let file = File::new("Plan", document, Timestamp::UNIX_EPOCH);
        let file = serde_json::to_string(&file).unwrap();
        serde_json::from_str::<File>(&file.replace("by_app", "open")).unwrap();
    }
}
