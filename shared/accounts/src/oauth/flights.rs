//! Access tokens in memory, with at most one refresh for each person at a time.

use alfred_core::ports::Account;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tokens by person. They are never stored.
#[derive(Default)]
pub(super) struct Flights {
    tokens: Mutex<HashMap<Account, Cached>>,
    flights: Mutex<HashMap<Account, Arc<tokio::sync::Mutex<()>>>>,
}

struct Cached {
    /// The consent to which the token belongs.
    grant: String,
    token: SecretString,
    until: Timestamp,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flights {
    /// The cached token of this consent, if still valid.
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

    /// Drops a token that the provider refused.
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

    /// The lock that is held while this person's token is fetched.
    pub fn of(&self, account: &Account) -> Arc<tokio::sync::Mutex<()>> {
        let mut flights = lock(&self.flights);
        flights.entry(account.clone()).or_default().clone()
    }
}
