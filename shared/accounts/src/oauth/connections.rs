//! Consents from link to end, stored as a row and a secret. The refresh token is only in the secret.

use alfred_core::ports::{
    Account, AccountService, Clock, Connect, ConnectError, Connection, Credentials, Disconnected,
    Provider, ProviderPorts, Store, random_secret,
};
use alfred_http::LazyClient;
use async_trait::async_trait;
use std::sync::Arc;

use super::client::{OAuthClient, TokenEndpoint};
use super::consent::{Arriving, Connected, Consent, ConsentRequest};
use super::flights::Flights;
use super::provider::OAuthProvider;
use super::secret::ConsentSecret;
use super::token_http::TokenError;
use crate::account_store::{AccountRow, AccountStore};
use crate::links::{ConsentError, Link, unavailable};

pub struct Connections {
    pub(super) endpoint: TokenEndpoint,
    pub(super) accounts: AccountStore,
    pub(super) flights: Flights,
}

fn not_now(error: impl std::fmt::Display) -> ConnectError {
    ConnectError::Unavailable {
        detail: error.to_string(),
    }
}

impl Connections {
    /// `None` if the settings register no client.
    pub fn from_settings(
        provider: impl Into<OAuthProvider>,
        lookup: impl Fn(&str) -> Option<String>,
        outside: &ProviderPorts,
        clock: &Arc<dyn Clock>,
    ) -> Option<Arc<Self>> {
        let provider = provider.into();
        let client =
            OAuthClient::from_settings(&provider, lookup, outside.secrets.clone(), clock.clone())?;
        let (store, credentials) = (outside.store.clone(), outside.credentials.clone());
        let connections = Self::new(client, provider, store, credentials, clock.clone());
        Some(Arc::new(connections))
    }

    /// Connects to nothing before the first call.
    pub fn new(
        client: OAuthClient,
        provider: impl Into<OAuthProvider>,
        store: Arc<dyn Store>,
        credentials: Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let provider = provider.into();
        Self {
            accounts: AccountStore {
                provider: provider.provider,
                store,
                credentials,
                clock,
            },
            endpoint: TokenEndpoint {
                client,
                provider,
                http: LazyClient::default(),
            },
            flights: Flights::default(),
        }
    }

    pub fn provider(&self) -> Provider {
        self.accounts.provider
    }

    /// Checks a state parameter without using the link up. Fails with `Forged`, `Late` or `Used`.
    pub async fn arriving(&self, state: &str) -> Result<Arriving, ConsentError> {
        let link: Link<ConsentRequest> = self.accounts.open_link(state).await?;
        Ok(Arriving {
            account: link.account,
            provider: self.provider(),
        })
    }

    /// Exchanges an authorization code and uses the link up, whatever the outcome. Stores nothing else.
    pub async fn redeem(&self, state: &str, code: &str) -> Result<Consent, ConsentError> {
        let link: Link<ConsentRequest> = self.accounts.use_up(state).await?;
        let exchanged = self.endpoint.exchange(code, &link.content).await?;
        let (Some(email), Some(refresh)) = (exchanged.email, exchanged.refresh) else {
            return Err(ConsentError::Incomplete);
        };
        Ok(Consent {
            account: link.account,
            email,
            refresh,
            scopes: exchanged.scopes,
            wanted: link.content.wanted,
        })
    }

    /// Uses the link up after the person declined at the provider.
    pub async fn decline(&self, state: &str) -> Result<(), ConsentError> {
        self.accounts
            .use_up::<ConsentRequest>(state)
            .await
            .map(drop)
    }

    /// Stores a consent. `Another` and `Narrower` leave the existing connection unchanged.
    pub async fn keep(&self, consent: Consent) -> Result<Connected, ConsentError> {
        let account = &consent.account;
        let new = self
            .accounts
            .new_row(account, consent.email, consent.scopes);
        let (row, known) = new.await?;
        // A narrower consent replaces the existing one only if that was withdrawn at the provider.
        let covers = |known: AccountRow| self.endpoint.provider.cover(&row.scopes, &known.scopes);
        if !known.is_none_or(covers) && self.still_good(account).await? {
            return Err(ConsentError::Narrower);
        }
        let kept = ConsentSecret::new(&row.grant, &consent.refresh, row.since);
        self.accounts.put(account, &row, &kept, None).await?;
        let connection = self.connection(&row);
        let mut missing = consent.wanted;
        missing.retain(|service| !connection.services.contains(service));
        Ok(Connected {
            connection,
            missing,
        })
    }

    async fn still_good(&self, account: &Account) -> Result<bool, ConsentError> {
        let kept = self.accounts.secret(account).await.map_err(unavailable)?;
        let Some(kept): Option<ConsentSecret> = kept else {
            return Ok(false);
        };
        match self.endpoint.refresh(&kept.refresh_token()).await {
            Ok(_) => Ok(true),
            Err(TokenError::Invalid) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn connection(&self, row: &AccountRow) -> Connection {
        let services = self.endpoint.provider.services(&row.scopes);
        row.connection(self.provider(), services)
    }

    async fn connected(&self, account: &Account) -> Result<Option<Connection>, ConnectError> {
        let row = self.accounts.row(account).await.map_err(not_now)?;
        Ok(row.map(|row| self.connection(&row)))
    }
}

#[async_trait]
impl Connect for Connections {
    fn providers(&self) -> &[Provider] {
        std::slice::from_ref(&self.accounts.provider)
    }

    async fn begin(
        &self,
        account: &Account,
        _: Provider,
        services: &[AccountService],
    ) -> Result<String, ConnectError> {
        let mut services = services.to_vec();
        if !self.endpoint.provider.adds_up
            && let Some(connected) = self.connected(account).await?
        {
            services.extend(connected.services);
            services.sort_unstable();
            services.dedup();
        }
        // Without the secret the consent couldn't be completed.
        let secret = self.endpoint.secret().await;
        secret.map_err(|error| match error {
            TokenError::Client(detail) => {
                tracing::error!(detail, "the client at the provider has no secret");
                ConnectError::NotSetUp(self.provider())
            }
            error => not_now(format!("{error:?}")),
        })?;
        let verifier = random_secret();
        let asked = ConsentRequest {
            verifier: verifier.clone(),
            wanted: services.clone(),
            redirect_uri: self.endpoint.client.redirect_uri.clone(),
        };
        let state = self.accounts.create_link(account, asked).await;
        let state = state.map_err(not_now)?;
        let url = self
            .endpoint
            .consent_url(&services, &state, &verifier.into());
        url.map_err(not_now)
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        Ok(self.connected(account).await?.into_iter().collect())
    }

    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        // No token is refreshed meanwhile, whose successor would be stored after this.
        let _alone = self.flights.turns.of(account).await;
        let kept = self.accounts.secret(account).await;
        let row = self.accounts.delete(account).await.map_err(not_now)?;
        self.flights.forget(account);
        let deleted = self.accounts.credentials.delete(account, provider).await;
        let revoked = self.revoke(kept).await;
        let Some(row) = row else {
            return deleted.map(|()| None).map_err(not_now);
        };
        if let Err(error) = &deleted {
            tracing::warn!(%error, "a disconnected account's credential remains");
        }
        Ok(Some(Disconnected {
            connection: self.connection(&row),
            revoked,
            erased: deleted.is_ok(),
        }))
    }
}
