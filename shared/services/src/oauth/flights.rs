//! Access tokens in this process's memory, and at most one refresh a person at a time.

use alfred_core::ports::Account;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tokens by person. They are never written down.
#[derive(Default)]
pub(super) struct Flights {
    tokens: Mutex<HashMap<Account, Cached>>,
    flights: Mutex<HashMap<Account, Arc<tokio::sync::Mutex<()>>>>,
}

struct Cached {
    /// The consent it is of.
    grant: String,
    token: SecretString,
    until: Timestamp,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flights {
    /// The token of this consent, while it is good.
    pub fn token(&self, account: &Account, grant: &str, now: Timestamp) -> Option<SecretString> {
        let tokens = lock(&self.tokens);
        let cached = tokens.get(account)?;
        (cached.grant == grant && now < cached.until).then(|| cached.token.clone())
    }

    pub fn keep(&self, account: &Account, grant: &str, token: SecretString, until: Timestamp) {
        let cached = Cached {
            grant: grant.to_owned(),
            token,
            until,
        };
        lock(&self.tokens).insert(account.clone(), cached);
    }

    /// The provider didn't take this token.
    pub fn drop_token(&self, account: &Account, token: &SecretString) {
        let mut tokens = lock(&self.tokens);
        let same = |cached: &Cached| cached.token.expose_secret() == token.expose_secret();
        if tokens.get(account).is_some_and(same) {
            tokens.remove(account);
        }
    }

    pub fn forget(&self, account: &Account) {
        lock(&self.tokens).remove(account);
        lock(&self.flights).remove(account);
    }

    /// What is held while this person's token is fetched.
    pub fn of(&self, account: &Account) -> Arc<tokio::sync::Mutex<()>> {
        let mut flights = lock(&self.flights);
        flights.entry(account.clone()).or_default().clone()
    }
}
