//! Consent links: each works once, for ten minutes.

use alfred_core::keys;
use alfred_core::ports::{
    Account, AccountService, Commit, ConnectError, Provider, StoreError, Write, random_secret,
};
use jiff::SignedDuration;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::connections::{Connections, not_now, unavailable};
use super::consent::ConsentError;
use super::state::ConnectState;

const LINK: SignedDuration = SignedDuration::from_mins(10);
/// How long a used link is remembered.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

#[derive(Serialize, Deserialize)]
pub(super) struct Link {
    pub verifier: String,
    pub wanted: Vec<AccountService>,
    /// The redirect URI that was sent to the provider.
    pub redirect_uri: String,
    used: bool,
}

impl Connections {
    pub(super) async fn read(&self, state: &str) -> Result<ConnectState, ConsentError> {
        let secret = self.endpoint.client.secret.get().await?;
        let state = ConnectState::verify(state, secret);
        let state = state.filter(|state| state.provider == self.provider());
        let state = state.ok_or(ConsentError::Forged)?;
        match self.clock.now() < state.expires_at {
            true => Ok(state),
            false => Err(ConsentError::Late),
        }
    }

    /// Creates a person's link. Returns its signed state and its PKCE verifier.
    pub(super) async fn link(
        &self,
        account: &Account,
        provider: Provider,
        wanted: &[AccountService],
        picks: bool,
    ) -> Result<(String, SecretString), ConnectError> {
        let now = self.clock.now();
        let (nonce, verifier) = (random_secret(), random_secret());
        let link = Link {
            verifier: verifier.clone(),
            wanted: wanted.to_vec(),
            redirect_uri: self.endpoint.client.redirect_uri.clone(),
            used: false,
        };
        let until = now.saturating_add(LINK).map_err(not_now)?;
        let mut state = ConnectState::new(account, provider, nonce.clone(), until);
        state.picks = picks;
        let secret = self.endpoint.client.secret.get().await;
        let secret = secret.map_err(|error| not_now(format!("{error:?}")))?;
        let state = state.sign(secret);
        let state = state.ok_or_else(|| not_now("a state that can't be signed"))?;
        let body = serde_json::to_value(&link).map_err(not_now)?;
        let write = Write::create(keys::connecting(account, &nonce), body).kept(now, REMEMBERED);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(not_now)?;
        Ok((state, verifier.into()))
    }

    pub(super) async fn use_up(&self, state: &ConnectState) -> Result<Link, ConsentError> {
        let key = keys::connecting(&state.account(), &state.nonce);
        let item = self.store.get(&key).await.map_err(unavailable)?;
        let item = item.ok_or(ConsentError::Late)?;
        let version = item.version;
        let link: Link = item.decode("link").map_err(unavailable)?;
        if link.used {
            return Err(ConsentError::Used);
        }
        let used = Link { used: true, ..link };
        let body = serde_json::to_value(&used).map_err(unavailable)?;
        let write = Write::replace(key, version, body).kept(self.clock.now(), REMEMBERED);
        let commit = Commit::new(&*self.ids, vec![write]);
        match self.store.commit(&commit).await {
            Ok(()) => Ok(used),
            Err(StoreError::Conflict { .. }) => Err(ConsentError::Used),
            Err(error) => Err(unavailable(error)),
        }
    }
}
