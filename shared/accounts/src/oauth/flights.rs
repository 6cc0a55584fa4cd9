//! Access tokens in memory, with at most one refresh for each person at a time.

use alfred_core::ports::Account;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::turns::Turns;

/// Tokens by person. They are never stored.
#[derive(Default)]
pub(super) struct Flights {
    tokens: Mutex<HashMap<Account, Cached>>,
    /// Held while a person's token is fetched.
    pub turns: Turns,
}

pub(super) struct Cached {
    /// The consent to which the token belongs.
    pub grant: String,
    pub token: SecretString,
    pub until: Timestamp,
}

impl Flights {
    fn tokens(&self) -> MutexGuard<'_, HashMap<Account, Cached>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cached token of this consent, if still valid.
    pub fn token(&self, account: &Account, grant: &str, now: Timestamp) -> Option<SecretString> {
        let tokens = self.tokens();
        let cached = tokens.get(account)?;
        (cached.grant == grant && now < cached.until).then(|| cached.token.clone())
    }

    pub fn keep(&self, account: &Account, token: Cached) {
        self.tokens().insert(account.clone(), token);
    }

    pub fn drop_token(&self, account: &Account, token: &SecretString) {
        let mut tokens = self.tokens();
        let same = |cached: &Cached| cached.token.expose_secret() == token.expose_secret();
        if tokens.get(account).is_some_and(same) {
            tokens.remove(account);
        }
    }

    pub fn forget(&self, account: &Account) {
        self.tokens().remove(account);
    }
}
