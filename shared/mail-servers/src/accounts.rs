//! Accounts by password, from link to end, stored as a row and a secret. The password is only in the secret.

use alfred_accounts::oauth::ConsentError;
use alfred_core::config::ALFRED_CONNECT_URL;
use alfred_core::ports::{
    Account, AccountService, Clock, Commit, Connect, ConnectError, Connection, Credentials,
    Disconnected, Ids, Provider, Store, StoreError, Write,
};
use alfred_core::{ConfigError, keys};
use async_trait::async_trait;
use std::sync::Arc;

use crate::allowed::Allowed;
use crate::check::{Clients, Untaken};
use crate::kept::{Kept, Row};
use crate::links::State;
use crate::named::Named;
use crate::opening::Ready;

/// People's accounts on mail servers that they choose.
pub struct ServerAccounts {
    pub(crate) allowed: Allowed,
    /// URL of the form.
    pub(crate) page: String,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) credentials: Arc<dyn Credentials>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) ready: Ready,
}

/// Why nothing was connected.
#[derive(Debug)]
pub enum NotConnected {
    Consent(ConsentError),
    /// A field that the person can correct.
    Field(Untaken),
    /// Too many passwords were tried.
    TooOften,
}

impl From<ConsentError> for NotConnected {
    fn from(error: ConsentError) -> Self {
        Self::Consent(error)
    }
}

impl From<Untaken> for NotConnected {
    fn from(untaken: Untaken) -> Self {
        Self::Field(untaken)
    }
}

pub(crate) fn unavailable(error: impl std::fmt::Display) -> ConsentError {
    ConsentError::Unavailable(error.to_string())
}

fn not_now(error: impl std::fmt::Display) -> ConnectError {
    ConnectError::Unavailable {
        detail: error.to_string(),
    }
}

impl ServerAccounts {
    /// `None` if the settings allow no servers. `Invalid` for a setting that names none.
    pub fn from_settings(
        lookup: impl Fn(&str) -> Option<String>,
        store: &Arc<dyn Store>,
        credentials: &Arc<dyn Credentials>,
        by: (Arc<dyn Clock>, Arc<dyn Ids>),
    ) -> Result<Option<Arc<Self>>, ConfigError> {
        let allowed = Allowed::from_settings(&lookup)?;
        let page = lookup(ALFRED_CONNECT_URL).unwrap_or_default();
        let new = |allowed| Self::new(allowed, &page, store.clone(), credentials.clone(), by);
        Ok(allowed.map(new).map(Arc::new))
    }

    /// `page` is the form's URL. Connects to nothing before the first call.
    pub fn new(
        allowed: Allowed,
        page: &str,
        store: Arc<dyn Store>,
        credentials: Arc<dyn Credentials>,
        (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>),
    ) -> Self {
        Self {
            allowed,
            page: page.to_owned(),
            store,
            credentials,
            clock,
            ids,
            ready: Ready::default(),
        }
    }

    /// Whether a state parameter belongs to this form.
    pub fn is_state(state: &str) -> bool {
        State::read(state).is_some()
    }

    /// The owner of a link, without using it up. Fails with `Forged`, `Late` or `Used`.
    pub async fn arriving(&self, state: &str) -> Result<Account, ConsentError> {
        let state = State::read(state).ok_or(ConsentError::Forged)?;
        self.open_link(&state).await?;
        Ok(state.account)
    }

    /// The account's address, if all fields are usable. Contacts no server. The error names the first
    /// unusable field.
    pub fn email(&self, named: &Named) -> Result<String, Untaken> {
        Ok(named.addresses(&self.allowed)?.email)
    }

    /// Signs in to each server and stores the account if all accept. Only then is the link used up.
    pub async fn connect(&self, state: &str, named: &Named) -> Result<Connection, NotConnected> {
        let state = State::read(state).ok_or(ConsentError::Forged)?;
        let at = named.addresses(&self.allowed)?;
        let known = self.row(&state.account).await.map_err(unavailable)?;
        let (row, version) = known.unzip();
        if let Some(row) = row.filter(|row: &Row| row.ended.is_none())
            && row.email != at.email
        {
            return Err(ConsentError::Another(row.email).into());
        }
        if !self.may_try(&state).await? {
            return Err(NotConnected::TooOften);
        }
        let grant = self.ids.uuid().simple().to_string();
        let kept = Kept::new(&grant, &at, &named.password);
        Clients::of(&kept, &self.allowed).await?.check().await?;
        let row = Row {
            grant,
            email: at.email,
            calendar: at.calendar.is_some(),
            since: self.clock.now(),
            ended: None,
        };
        let used_up = self.used_up(&state).await?;
        let secret = kept.sealed().map_err(unavailable)?;
        let put = self
            .credentials
            .put(&state.account, Provider::Servers, &secret);
        put.await.map_err(unavailable)?;
        let body = serde_json::to_value(&row).map_err(unavailable)?;
        let key = keys::connected(&state.account, Provider::Servers);
        let write = Write::over(key, version.unwrap_or(0), body);
        let commit = Commit::new(&*self.ids, vec![write, used_up]);
        self.store.commit(&commit).await.map_err(unavailable)?;
        Ok(row.connection())
    }

    /// The row of an account, with its version.
    pub(crate) async fn row(&self, account: &Account) -> Result<Option<(Row, u64)>, StoreError> {
        let key = keys::connected(account, Provider::Servers);
        let Some(item) = self.store.get(&key).await? else {
            return Ok(None);
        };
        let version = item.version;
        Ok(Some((item.decode("connected account")?, version)))
    }
}

#[async_trait]
impl Connect for ServerAccounts {
    fn providers(&self) -> &[Provider] {
        &[Provider::Servers]
    }

    async fn begin(
        &self,
        account: &Account,
        _: Provider,
        _: &[AccountService],
    ) -> Result<String, ConnectError> {
        self.link(account).await.map_err(not_now)
    }

    async fn pick(&self, _: &Account, provider: Provider) -> Result<String, ConnectError> {
        Err(ConnectError::NotSetUp(provider))
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        let row = self.row(account).await.map_err(not_now)?;
        Ok(row.iter().map(|(row, _)| row.connection()).collect())
    }

    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        let row = self.row(account).await.map_err(not_now)?;
        if row.is_some() {
            let write = Write::delete(keys::connected(account, provider), None);
            let commit = Commit::new(&*self.ids, vec![write]);
            self.store.commit(&commit).await.map_err(not_now)?;
        }
        self.ready.forget(account);
        let deleted = self.credentials.delete(account, provider).await;
        let Some((row, _)) = row else {
            return deleted.map(|()| None).map_err(not_now);
        };
        if let Err(error) = &deleted {
            tracing::warn!(%error, "a disconnected account's password remains");
        }
        Ok(Some(Disconnected {
            connection: row.connection(),
            revoked: false,
            erased: deleted.is_ok(),
        }))
    }
}
