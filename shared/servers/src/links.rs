//! Links to the form: each a person's own, for ten minutes and a few passwords, and for one account.

use alfred_core::keys;
use alfred_core::ports::{Account, Commit, StoreError, Write, random_secret};
use alfred_services::oauth::ConsentError;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::accounts::{ServerAccounts, unavailable};

/// How long a link works.
const LINK: SignedDuration = SignedDuration::from_mins(10);
/// How long it is known that a link was used, and how often a person tried.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// Passwords that are tried under a link: nobody finds out one by guessing.
const TRIES: u32 = 5;
/// Passwords that are tried of a person in a day, under however many links.
const TRIES_A_DAY: i64 = 20;
/// Before what else a state may be.
const MARK: &str = "mail";

/// A link's own row.
#[derive(Serialize, Deserialize)]
pub(crate) struct Link {
    until: Timestamp,
    tried: u32,
    used: bool,
}

/// What stands in a link: whose it is, and what nobody can guess. It needs no signature, since its row was written
/// before it was given.
pub(crate) struct State {
    pub account: Account,
    nonce: String,
}

impl State {
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '.');
        let (mark, team, user) = (parts.next()?, parts.next()?, parts.next()?);
        let nonce = parts.next()?.to_owned();
        let account = Account {
            team: team.into(),
            user: user.into(),
        };
        (mark == MARK).then_some(Self { account, nonce })
    }

    fn written(&self) -> String {
        let Account { team, user } = &self.account;
        format!("{MARK}.{team}.{user}.{}", self.nonce)
    }
}

impl ServerAccounts {
    /// A link of somebody's own.
    pub(crate) async fn link(&self, account: &Account) -> Result<String, StoreError> {
        let now = self.clock.now();
        let state = State {
            account: account.clone(),
            nonce: random_secret(),
        };
        let link = Link {
            until: now.saturating_add(LINK).unwrap_or(now),
            tried: 0,
            used: false,
        };
        let body = serde_json::to_value(&link).map_err(refused)?;
        let key = keys::connecting(account, &state.nonce);
        let write = Write::create(key, body).kept(now, REMEMBERED);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await?;
        Ok(format!("{}?state={}", self.page, state.written()))
    }

    /// A link that may still be used, with its version.
    pub(crate) async fn open_link(&self, state: &State) -> Result<(Link, u64), ConsentError> {
        let key = keys::connecting(&state.account, &state.nonce);
        let item = self.store.get(&key).await.map_err(unavailable)?;
        let item = item.ok_or(ConsentError::Forged)?;
        let version = item.version;
        // Rows of other links lie beside it.
        let link: Link = item.decode("link").map_err(|_| ConsentError::Forged)?;
        match link.used {
            true => Err(ConsentError::Used),
            false if self.clock.now() >= link.until => Err(ConsentError::Late),
            false => Ok((link, version)),
        }
    }

    /// Counts a password that is about to be tried; `false` where there were enough.
    pub(crate) async fn may_try(&self, state: &State) -> Result<bool, ConsentError> {
        let (link, version) = self.open_link(state).await?;
        if link.tried >= TRIES {
            return Ok(false);
        }
        let tried = Link {
            tried: link.tried + 1,
            ..link
        };
        let write = self.replaced(state, version, &tried)?;
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(unavailable)?;
        let day = self.clock.now().saturating_add(REMEMBERED).ok();
        let key = keys::sign_ins(&state.account);
        let counted = self.store.add(&key, "tried", 1, Some(TRIES_A_DAY), day);
        match counted.await {
            Ok(_) => Ok(true),
            Err(StoreError::Ceiling { .. }) => Ok(false),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Says that a link was used, if it wasn't meanwhile.
    pub(crate) async fn used_up(&self, state: &State) -> Result<Write, ConsentError> {
        let (link, version) = self.open_link(state).await?;
        self.replaced(state, version, &Link { used: true, ..link })
    }

    fn replaced(&self, state: &State, version: u64, link: &Link) -> Result<Write, ConsentError> {
        let key = keys::connecting(&state.account, &state.nonce);
        let body = serde_json::to_value(link).map_err(unavailable)?;
        Ok(Write::replace(key, version, body).kept(self.clock.now(), REMEMBERED))
    }
}

fn refused(error: serde_json::Error) -> StoreError {
    StoreError::Refused {
        reason: error.to_string(),
    }
}
