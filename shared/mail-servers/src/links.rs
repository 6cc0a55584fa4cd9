//! Links to the form: personal, for one account, ten minutes and a few passwords.

use alfred_accounts::oauth::ConsentError;
use alfred_core::keys;
use alfred_core::ports::{Account, Commit, StoreError, Write, random_secret};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts::{ServerAccounts, unavailable};

const LINK: SignedDuration = SignedDuration::from_mins(10);
/// How long used links and a person's attempts are remembered.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// Passwords per link, against guessing.
const TRIES: u32 = 5;
/// Passwords of a person per day, under all links.
const TRIES_A_DAY: i64 = 20;
/// Prefix of this form's states.
const MARK: &str = "mail";

struct Today {
    tried: i64,
    /// Counts one more.
    count: Write,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Link {
    until: Timestamp,
    tried: u32,
    used: bool,
}

/// The state parameter: the owner and a random nonce. It needs no signature, since its row exists before the
/// link is given out.
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
    /// Creates a link.
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

    /// A link that can still be used, with its version.
    pub(crate) async fn open_link(&self, state: &State) -> Result<(Link, u64), ConsentError> {
        let key = keys::connecting(&state.account, &state.nonce);
        let item = self.store.get(&key).await.map_err(unavailable)?;
        let item = item.ok_or(ConsentError::Forged)?;
        let version = item.version;
        // Links of other kinds have rows in the same place.
        let link: Link = item.decode("link").map_err(|_| ConsentError::Forged)?;
        match link.used {
            true => Err(ConsentError::Used),
            false if self.clock.now() >= link.until => Err(ConsentError::Late),
            false => Ok((link, version)),
        }
    }

    /// Counts an attempt before it is made. False if there were too many.
    pub(crate) async fn may_try(&self, state: &State) -> Result<bool, ConsentError> {
        let (link, version) = self.open_link(state).await?;
        if link.tried >= TRIES {
            return Ok(false);
        }
        let tried = Link {
            tried: link.tried + 1,
            ..link
        };
        let today = self.tried_today(&state.account).await?;
        let writes = vec![self.replaced(state, version, &tried)?, today.count];
        let commit = Commit::new(&*self.ids, writes);
        self.store.commit(&commit).await.map_err(unavailable)?;
        Ok(today.tried < TRIES_A_DAY)
    }

    /// A person's attempts under all links in the 24 hours since the first of them.
    async fn tried_today(&self, account: &Account) -> Result<Today, ConsentError> {
        let key = keys::sign_ins(account);
        let item = self.store.get(&key).await.map_err(unavailable)?;
        let known = item.as_ref();
        let tried = known
            .and_then(|item| item.body["tried"].as_i64())
            .unwrap_or(0);
        let body = json!({"tried": tried.saturating_add(1)});
        let write = Write::over(key, known.map_or(0, |item| item.version), body);
        let count = match known.and_then(|item| item.expires_at) {
            Some(end) => write.expiring(end),
            None => write.kept(self.clock.now(), REMEMBERED),
        };
        Ok(Today { tried, count })
    }

    /// The write that marks a link as used. Fails if it was used meanwhile.
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
