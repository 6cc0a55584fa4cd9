//! Limits the passwords that are tried with the links to the form.

use alfred_accounts::links::{ConsentError, unavailable};
use alfred_core::keys;
use alfred_core::ports::{Account, Write};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts::ServerAccounts;

/// How long a person's attempts are remembered.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// Passwords per link, against guessing.
const TRIES: u32 = 5;
/// Passwords of a person per day, under all links.
const TRIES_A_DAY: i64 = 20;

/// The passwords that were tried with a link.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Tried {
    tried: u32,
}

impl ServerAccounts {
    /// Counts an attempt before it is made. False if there were too many.
    pub(crate) async fn may_try(&self, state: &str) -> Result<bool, ConsentError> {
        let mut link = self.accounts.open_link::<Tried>(state).await?;
        if link.content.tried >= TRIES {
            return Ok(false);
        }
        link.content.tried += 1;
        let counted = self.accounts.changed_link(&link, false);
        let (today, count) = self.tried_today(&link.account).await?;
        let writes = vec![counted.map_err(unavailable)?, count];
        self.accounts.commit(writes).await.map_err(unavailable)?;
        Ok(today < TRIES_A_DAY)
    }

    /// A person's attempts under all links in the 24 hours since the first of them, and the write that counts
    /// one more.
    async fn tried_today(&self, account: &Account) -> Result<(i64, Write), ConsentError> {
        let key = keys::sign_ins(account);
        let item = self.accounts.store.get(&key).await.map_err(unavailable)?;
        let known = item.as_ref();
        let tried = known.and_then(|item| item.body["tried"].as_i64());
        let tried = tried.unwrap_or(0);
        let body = json!({"tried": tried.saturating_add(1)});
        let write = Write::over(key, known.map_or(0, |item| item.version), body);
        let count = match known.and_then(|item| item.expires_at) {
            Some(end) => write.expiring(end),
            None => write.kept(self.accounts.clock.now(), REMEMBERED),
        };
        Ok((tried, count))
    }
}
