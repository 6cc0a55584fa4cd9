//! Links with which a person connects an account: each works once, for ten minutes.

use alfred_core::keys;
use alfred_core::ports::{Account, Key, Provider, StoreError, Write, random_secret};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::account_store::AccountStore;
use crate::stored::body;

const LINK: SignedDuration = SignedDuration::from_mins(10);
/// How long a link is remembered, to tell a late or used one from a forged one.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    #[error("the state isn't ours")]
    Forged,
    /// Older than ten minutes.
    #[error("the link is too old")]
    Late,
    #[error("the link was used before")]
    Used,
    /// The provider refused the code.
    #[error("the code isn't good")]
    Code,
    /// The grant lacks a refresh token or the account's address.
    #[error("an incomplete grant")]
    Incomplete,
    /// Another account, with this address, is already connected.
    #[error("another account is connected")]
    Another(String),
    /// It grants less than the existing connection, which stays.
    #[error("narrower than what is connected")]
    Narrower,
    /// The provider refused the deployment's client. The text is for the log.
    #[error("the client isn't accepted: {0}")]
    Client(String),
    /// A dependency didn't answer. The text is for the log.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

type Result<T, E = ConsentError> = std::result::Result<T, E>;

pub fn unavailable(error: impl std::fmt::Display) -> ConsentError {
    ConsentError::Unavailable(error.to_string())
}

#[derive(Serialize, Deserialize)]
struct Row<T> {
    provider: Provider,
    until: Timestamp,
    used: bool,
    content: T,
}

pub struct Link<T> {
    pub account: Account,
    pub content: T,
    until: Timestamp,
    key: Key,
    version: u64,
}

/// The owner and the nonce of a state parameter. It needs no signature: only who has the link knows the nonce,
/// whose row exists before the link is given out.
fn parts(provider: Provider, state: &str) -> Option<(Account, &str)> {
    let mut parts = state.splitn(4, '.');
    let (name, team, user) = (parts.next()?, parts.next()?, parts.next()?);
    let (team, user) = (team.into(), user.into());
    let account = Account { team, user };
    let nonce = parts.next()?;
    // Only what a link can have becomes a key, since the store refuses empty and long ones.
    let is_nonce = nonce.len() == 64 && nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ours = name == provider.as_str() && state.len() <= 256 && is_nonce;
    is_ours.then_some((account, nonce))
}

impl AccountStore {
    /// Whether a state parameter is of this provider's links.
    pub fn is_state(&self, state: &str) -> bool {
        parts(self.provider, state).is_some()
    }

    /// Creates a link. Returns its state parameter.
    pub async fn create_link<T: Serialize>(
        &self,
        account: &Account,
        content: T,
    ) -> Result<String, StoreError> {
        let now = self.clock.now();
        let nonce = random_secret();
        let row = Row {
            provider: self.provider,
            until: now.saturating_add(LINK).unwrap_or(now),
            used: false,
            content,
        };
        let write = Write::create(keys::connecting(account, &nonce), body(&row)?);
        self.commit(vec![write.kept(now, REMEMBERED)]).await?;
        let Account { team, user } = account;
        Ok(format!("{}.{team}.{user}.{nonce}", self.provider.as_str()))
    }

    /// Reads a link without using it up. Fails with `Forged`, `Late` or `Used`.
    pub async fn open_link<T: DeserializeOwned>(&self, state: &str) -> Result<Link<T>> {
        let (account, nonce) = parts(self.provider, state).ok_or(ConsentError::Forged)?;
        let key = keys::connecting(&account, nonce);
        let item = self.store.get(&key).await.map_err(unavailable)?;
        let item = item.ok_or(ConsentError::Forged)?;
        let version = item.version;
        // Other rows are in the same place, and links of other providers.
        let row: Row<T> = item.decode("link").map_err(|_| ConsentError::Forged)?;
        if row.provider != self.provider {
            return Err(ConsentError::Forged);
        }
        if row.used {
            return Err(ConsentError::Used);
        }
        if self.clock.now() >= row.until {
            return Err(ConsentError::Late);
        }
        Ok(Link {
            account,
            content: row.content,
            until: row.until,
            key,
            version,
        })
    }

    /// The write of a link's changed content, or that it is used. It fails if the link changed meanwhile.
    pub fn changed_link<T: Serialize>(
        &self,
        link: &Link<T>,
        used: bool,
    ) -> Result<Write, StoreError> {
        let row = Row {
            provider: self.provider,
            until: link.until,
            used,
            content: &link.content,
        };
        let write = Write::replace(link.key.clone(), link.version, body(&row)?);
        Ok(write.kept(self.clock.now(), REMEMBERED))
    }

    pub async fn use_up<T: Serialize + DeserializeOwned>(&self, state: &str) -> Result<Link<T>> {
        let link = self.open_link(state).await?;
        let used = self.changed_link(&link, true).map_err(unavailable)?;
        match self.commit(vec![used]).await {
            Ok(()) => Ok(link),
            Err(StoreError::Conflict { .. }) => Err(ConsentError::Used),
            Err(error) => Err(unavailable(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_state_of_a_link_becomes_a_key() {
        let nonce = random_secret();
        for (state, is_ours) in [
            (format!("google.T1.U1.{nonce}"), true),
            (format!("microsoft.T1.U1.{nonce}"), false),
            ("google.T1.U1.".into(), false),
            ("google.T1.U1.sign-ins".into(), false),
            (format!("google.T1.U1.{}", nonce.repeat(17)), false),
            (format!("google.{}.U1.{nonce}", "T".repeat(256)), false),
        ] {
            let parts = parts(Provider::Google, &state);
            assert_eq!(parts.is_some(), is_ours, "{state}");
        }
    }
}
