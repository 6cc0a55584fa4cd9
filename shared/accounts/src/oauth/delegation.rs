//! Google's domain-wide delegation: an administrator lets one service account act for everybody in a
//! Workspace (<https://developers.google.com/identity/protocols/oauth2/service-account#delegatingauthority>).
//! There is no consent, and the key opens every mailbox of the domain, so it is off unless configured. A
//! person can opt out.

use alfred_core::config::GOOGLE_SERVICE_ACCOUNT;
use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Commit, Connect, ConnectError, Connection, Ids,
    Provider, Secrets, Store, StoreError, Write,
};
use alfred_core::{User, keys, text};
use async_trait::async_trait;
use jiff::SignedDuration;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use std::sync::Arc;

use super::client::ClientSecret;
use super::flights::Flights;
use super::forget::forget_mails;
use super::provider::OAuthProvider;
use super::service_account::ServiceAccount;
use super::token_http::{TokenError, TokenHttp};
use super::tokens::{Tokens, away, ends};

/// Google accepts at most an hour.
const ASSERTION: SignedDuration = SignedDuration::from_mins(10);
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

pub struct Delegation {
    key: ClientSecret,
    google: OAuthProvider,
    http: TokenHttp,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    flights: Flights,
}

impl Delegation {
    /// The setting is the key's JSON, or the name of the secret that holds it. `None` without the setting.
    pub fn from_settings(
        lookup: impl Fn(&str) -> Option<String>,
        secrets: Arc<dyn Secrets>,
        store: Arc<dyn Store>,
        google: impl Into<OAuthProvider>,
        (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>),
    ) -> Option<Self> {
        let named = lookup(GOOGLE_SERVICE_ACCOUNT)?;
        let key = match named.trim_start().starts_with('{') {
            true => ClientSecret::Known(named.into()),
            false => ClientSecret::named(secrets, named),
        };
        Some(Self {
            key,
            google: google.into(),
            http: TokenHttp::default(),
            store,
            clock,
            ids,
            flights: Flights::default(),
        })
    }

    /// The person whose Slack address is the account. `None` if they aren't registered, have no address, or
    /// opted out.
    async fn theirs(&self, account: &Account) -> Result<Option<User>, StoreError> {
        let user = keys::user(&account.team, &account.user);
        let no = keys::declined(account, Provider::Google);
        let (row, no) = futures_util::try_join!(self.store.get(&user), self.store.get(&no))?;
        let (Some(row), None) = (row, no) else {
            return Ok(None);
        };
        let user: User = row.decode("user")?;
        Ok(Some(user).filter(|user| user.is_active && !user.email.is_empty()))
    }

    async fn fetch(&self, account: &Account, email: &str) -> Result<SecretString, TokenError> {
        let key = ServiceAccount::read(self.key.get().await?)?;
        let now = self.clock.now();
        let scopes = self.google.scopes(Provider::Google.services());
        let scopes: Vec<&str> = scopes.into_iter().collect();
        let until = now.saturating_add(ASSERTION).unwrap_or(now);
        let assertion = key.signed(&json!({
            "iss": key.client_email,
            "sub": email,
            "scope": scopes.join(" "),
            "aud": self.google.token,
            "iat": now.as_second(),
            "exp": until.as_second(),
        }))?;
        let fields = [
            ("grant_type", GRANT),
            ("assertion", assertion.expose_secret()),
        ];
        let answer = self.http.token(&self.google.token, &fields).await?;
        let lasts = std::time::Duration::from_secs(answer.expires_in);
        let token = SecretString::from(answer.access_token);
        self.flights
            .keep(account, email, token.clone(), ends(now, lasts));
        Ok(token)
    }
}

#[async_trait]
impl Tokens for Delegation {
    async fn access(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError> {
        // Read each time, so that removal or opting out takes effect at once.
        let user = self.theirs(account).await.map_err(away)?;
        let email = user.ok_or(AccountError::NotConnected(service))?.email;
        let known = || self.flights.token(account, &email, self.clock.now());
        if let Some(token) = known() {
            return Ok(token);
        }
        let flight = self.flights.of(account);
        let _alone = flight.lock().await;
        if let Some(token) = known() {
            return Ok(token);
        }
        self.fetch(account, &email)
            .await
            .map_err(|error| match error {
                // The domain has nobody with this address.
                TokenError::Invalid => AccountError::NotConnected(service),
                TokenError::Client(detail) => {
                    tracing::error!(detail, "the service account isn't let in");
                    AccountError::refused(text::client_not_accepted(Provider::Google))
                }
                TokenError::Away(detail) => away(detail),
            })
    }

    async fn refused(&self, account: &Account, token: &SecretString) {
        self.flights.drop_token(account, token);
    }
}

fn not_now(error: impl std::fmt::Display) -> ConnectError {
    ConnectError::Unavailable {
        detail: error.to_string(),
    }
}

#[async_trait]
impl Connect for Delegation {
    fn providers(&self) -> &[Provider] {
        &[Provider::Google]
    }

    /// Needs no consent. It reverses an earlier opt-out.
    async fn begin(
        &self,
        account: &Account,
        provider: Provider,
        _: &[AccountService],
    ) -> Result<String, ConnectError> {
        let write = Write::delete(keys::declined(account, provider), None);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(not_now)?;
        Err(ConnectError::ByAdministrator(provider))
    }

    async fn pick(&self, _: &Account, provider: Provider) -> Result<String, ConnectError> {
        Err(ConnectError::ByAdministrator(provider))
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        let user = self.theirs(account).await.map_err(not_now)?;
        let connection = user.map(|user| Connection {
            provider: Provider::Google,
            email: user.email,
            services: Provider::Google.services().to_vec(),
            since: user.created_at,
            ended: false,
            delegated: true,
        });
        Ok(connection.into_iter().collect())
    }

    /// Opts the person out. The administrator's key could still open the account.
    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Connection>, ConnectError> {
        let Some(connection) = self.connections(account).await?.pop() else {
            return Ok(None);
        };
        let since = json!({"since": self.clock.now()});
        let write = Write::put(keys::declined(account, provider), None, since);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(not_now)?;
        self.flights.forget(account);
        forget_mails(&*self.store, &*self.ids, account)
            .await
            .map_err(not_now)?;
        Ok(Some(connection))
    }
}
