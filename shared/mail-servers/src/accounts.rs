//! Accounts by password, from link to end, stored as a row and a secret. The password is only in the secret.

use alfred_accounts::account_store::{AccountRow, AccountStore};
use alfred_accounts::links::{ConsentError, unavailable};
use alfred_core::ConfigError;
use alfred_core::config::ALFRED_CONNECT_URL;
use alfred_core::ports::{
    Account, AccountService, Clock, Connect, ConnectError, Connection, Credentials, Disconnected,
    Provider, Store,
};
use async_trait::async_trait;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::allowed::Allowed;
use crate::check::{Clients, Untaken};
use crate::kept::Kept;
use crate::links::Tried;
use crate::named::Named;
use crate::opening::Ready;

/// People's accounts on mail servers that they choose.
pub struct ServerAccounts {
    pub(crate) allowed: Allowed,
    /// URL of the form.
    pub(crate) page: String,
    pub(crate) accounts: AccountStore,
    pub(crate) ready: Ready,
}

/// Why nothing was connected.
#[derive(Debug)]
pub enum NotConnected {
    Consent(ConsentError),
    /// A field that the person can correct.
    Field(Untaken),
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

/// The scope of an account with a calendar.
const CALENDAR: &str = "calendar";

fn connection(row: &AccountRow) -> Connection {
    let mut services = Provider::Servers.services().to_vec();
    let has_calendar = row.scopes.contains(CALENDAR);
    services.retain(|service| has_calendar || *service != AccountService::Calendar);
    row.connection(Provider::Servers, services)
}

fn not_now(error: impl std::fmt::Display) -> ConnectError {
    let detail = error.to_string();
    ConnectError::Unavailable { detail }
}

impl ServerAccounts {
    /// `None` if the settings allow no servers. `Invalid` for a setting that names none.
    pub fn from_settings(
        lookup: impl Fn(&str) -> Option<String>,
        store: &Arc<dyn Store>,
        credentials: &Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
    ) -> Result<Option<Arc<Self>>, ConfigError> {
        let allowed = Allowed::from_settings(&lookup)?;
        let page = lookup(ALFRED_CONNECT_URL).unwrap_or_default();
        let new = |allowed| Self::new(allowed, &page, store.clone(), credentials.clone(), clock);
        Ok(allowed.map(new).map(Arc::new))
    }

    /// `page` is the form's URL. Connects to nothing before the first call.
    pub fn new(
        allowed: Allowed,
        page: &str,
        store: Arc<dyn Store>,
        credentials: Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            allowed,
            page: page.to_owned(),
            accounts: AccountStore {
                provider: Provider::Servers,
                store,
                credentials,
                clock,
            },
            ready: Ready::default(),
        }
    }

    /// Whether a state parameter belongs to this form.
    pub fn is_state(&self, state: &str) -> bool {
        self.accounts.is_state(state)
    }

    /// The owner of a link, without using it up. Fails with `Forged`, `Late` or `Used`.
    pub async fn arriving(&self, state: &str) -> Result<Account, ConsentError> {
        Ok(self.accounts.open_link::<Tried>(state).await?.account)
    }

    /// The account's address, if all fields are usable. Contacts no server. The error names the first
    /// unusable field.
    pub fn email(&self, named: &Named) -> Result<String, Untaken> {
        Ok(named.addresses(&self.allowed)?.email)
    }

    /// Signs in to each server and stores the account if all accept. Only then is the link used up.
    pub async fn connect(&self, state: &str, named: &Named) -> Result<Connection, NotConnected> {
        let account = self.arriving(state).await?;
        let at = named.addresses(&self.allowed)?;
        let scopes = at.calendar.iter().map(|_| CALENDAR.to_owned());
        let scopes: BTreeSet<String> = scopes.collect();
        let new = self.accounts.new_row(&account, at.email.clone(), scopes);
        let (row, _) = new.await?;
        if !self.may_try(state).await? {
            return Err(NotConnected::TooOften);
        }
        let kept = Kept::new(&row.grant, &at, &named.password);
        Clients::of(&kept, &self.allowed).await?.check().await?;
        let link = self.accounts.open_link::<Tried>(state).await?;
        let used = self.accounts.changed_link(&link, true);
        let used = Some(used.map_err(unavailable)?);
        self.accounts.put(&account, &row, &kept, used).await?;
        Ok(connection(&row))
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
        let state = self.accounts.create_link(account, Tried::default()).await;
        Ok(format!("{}?state={}", self.page, state.map_err(not_now)?))
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        let row = self.accounts.row(account).await.map_err(not_now)?;
        Ok(row.iter().map(connection).collect())
    }

    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        let row = self.accounts.delete(account).await.map_err(not_now)?;
        self.ready.forget(account);
        let deleted = self.accounts.credentials.delete(account, provider).await;
        let Some(row) = row else {
            return deleted.map(|()| None).map_err(not_now);
        };
        if let Err(error) = &deleted {
            tracing::warn!(%error, "a disconnected account's password remains");
        }
        Ok(Some(Disconnected {
            connection: connection(&row),
            revoked: false,
            erased: deleted.is_ok(),
        }))
    }
}
