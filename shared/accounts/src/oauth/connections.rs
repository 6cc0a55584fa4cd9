//! Consents from link to end, stored as a row and a secret. The refresh token is only in the secret.

use alfred_core::keys;
use alfred_core::ports::{
    Account, AccountService, Clock, Commit, Connect, ConnectError, Connection, Credentials,
    Disconnected, Ids, Provider, ProviderPorts, Store, StoreError, SystemIds, Write,
};
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

use super::client::{OAuthClient, TokenEndpoint};
use super::consent::{Arriving, Connected, Consent, ConsentError};
use super::flights::Flights;
use super::provider::OAuthProvider;
use super::rows::{Kept, Row};
use super::token_http::TokenError;

pub struct Connections {
    pub(super) endpoint: TokenEndpoint,
    pub(super) store: Arc<dyn Store>,
    pub(super) credentials: Arc<dyn Credentials>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) flights: Flights,
}

pub(super) fn unavailable(error: impl std::fmt::Display) -> ConsentError {
    ConsentError::Unavailable(error.to_string())
}

pub(super) fn not_now(error: impl std::fmt::Display) -> ConnectError {
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
        let client = OAuthClient::from_settings(&provider, lookup, outside.secrets.clone())?;
        let (store, credentials) = (outside.store.clone(), outside.credentials.clone());
        let by = (clock.clone(), Arc::new(SystemIds) as _);
        Some(Arc::new(Self::new(
            client,
            provider,
            store,
            credentials,
            by,
        )))
    }

    /// Connects to nothing before the first call.
    pub fn new(
        client: OAuthClient,
        provider: impl Into<OAuthProvider>,
        store: Arc<dyn Store>,
        credentials: Arc<dyn Credentials>,
        (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>),
    ) -> Self {
        Self {
            endpoint: TokenEndpoint::new(client, provider.into()),
            store,
            credentials,
            clock,
            ids,
            flights: Flights::default(),
        }
    }

    pub fn provider(&self) -> Provider {
        self.endpoint.provider.provider
    }

    /// Checks a state parameter without using the link up. Fails with `Forged` or `Late`.
    pub async fn arriving(&self, state: &str) -> Result<Arriving, ConsentError> {
        let state = self.read(state).await?;
        Ok(Arriving {
            account: state.account(),
            provider: state.provider,
            picked: state.picks,
        })
    }

    /// Exchanges an authorization code and uses the link up, whatever the outcome. Stores nothing else.
    pub async fn redeem(&self, state: &str, code: &str) -> Result<Consent, ConsentError> {
        let state = self.read(state).await?;
        let link = self.use_up(&state).await?;
        let verifier = SecretString::from(link.verifier);
        let grant = (code, link.redirect_uri.as_str());
        let exchanged = self.endpoint.exchange(grant, &verifier).await?;
        let (Some(email), Some(refresh)) = (exchanged.email, exchanged.refresh) else {
            return Err(ConsentError::Incomplete);
        };
        Ok(Consent {
            account: state.account(),
            email,
            refresh,
            scopes: exchanged.scopes,
            wanted: link.wanted,
        })
    }

    /// Completes a file picker link and uses it up. The code's tokens are discarded: the existing consent
    /// gets access to the files.
    pub async fn picked(&self, state: &str, code: &str) -> Result<(), ConsentError> {
        let state = self.read(state).await?;
        let link = self.use_up(&state).await?;
        let grant = (code, link.redirect_uri.as_str());
        let exchanged = self.endpoint.exchange(grant, &link.verifier.into()).await;
        exchanged.map(drop).map_err(ConsentError::from)
    }

    /// Uses the link up after the person declined at the provider.
    pub async fn decline(&self, state: &str) -> Result<(), ConsentError> {
        let state = self.read(state).await?;
        self.use_up(&state).await.map(drop)
    }

    /// Stores a consent. `Another` and `Narrower` leave the existing connection unchanged.
    pub async fn keep(&self, consent: Consent) -> Result<Connected, ConsentError> {
        let (row, version) = self
            .row(&consent.account)
            .await
            .map_err(unavailable)?
            .unzip();
        if let Some(row) = row.filter(|row: &Row| row.ended.is_none()) {
            if row.email != consent.email {
                return Err(ConsentError::Another(row.email));
            }
            // It covers less than the existing consent, unless that was withdrawn at the provider.
            let narrower = !self.endpoint.provider.cover(&consent.scopes, &row.scopes);
            if narrower && self.still_good(&consent.account).await? {
                return Err(ConsentError::Narrower);
            }
        }
        let now = self.clock.now();
        let row = Row {
            grant: self.ids.uuid().simple().to_string(),
            email: consent.email,
            scopes: consent.scopes,
            since: now,
            ended: None,
        };
        let secret = Kept::sealed(&row.grant, &consent.refresh, now).map_err(unavailable)?;
        let put = self
            .credentials
            .put(&consent.account, self.provider(), &secret);
        put.await.map_err(unavailable)?;
        let body = serde_json::to_value(&row).map_err(unavailable)?;
        let key = keys::connected(&consent.account, self.provider());
        let write = Write::over(key, version.unwrap_or(0), body);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(unavailable)?;
        let connection = row.connection(&self.endpoint.provider);
        let mut missing = consent.wanted;
        missing.retain(|service| !connection.services.contains(service));
        Ok(Connected {
            connection,
            missing,
        })
    }

    async fn still_good(&self, account: &Account) -> Result<bool, ConsentError> {
        let secret = self.credentials.get(account, self.provider()).await;
        let Some(secret) = secret.map_err(unavailable)? else {
            return Ok(false);
        };
        let kept = Kept::opened(&secret).map_err(unavailable)?;
        match self.endpoint.refresh(&kept.refresh_token()).await {
            Ok(_) => Ok(true),
            Err(TokenError::Invalid) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The row of an account, with its version.
    pub(super) async fn row(&self, account: &Account) -> Result<Option<(Row, u64)>, StoreError> {
        let key = keys::connected(account, self.provider());
        let Some(item) = self.store.get(&key).await? else {
            return Ok(None);
        };
        let version = item.version;
        Ok(Some((item.decode("connected account")?, version)))
    }
}

#[async_trait]
impl Connect for Connections {
    fn providers(&self) -> &[Provider] {
        std::slice::from_ref(&self.endpoint.provider.provider)
    }

    async fn begin(
        &self,
        account: &Account,
        provider: Provider,
        services: &[AccountService],
    ) -> Result<String, ConnectError> {
        let mut services = services.to_vec();
        if !self.endpoint.provider.adds_up
            && let Some((row, _)) = self.row(account).await.map_err(not_now)?
        {
            services.extend(row.connection(&self.endpoint.provider).services);
            services.sort_unstable();
            services.dedup();
        }
        let (state, verifier) = self.link(account, provider, &services, false).await?;
        let url = self.endpoint.consent_url(&services, &state, &verifier);
        url.map_err(not_now)
    }

    async fn pick(&self, account: &Account, provider: Provider) -> Result<String, ConnectError> {
        if provider != Provider::Google {
            return Err(ConnectError::NotSetUp(provider));
        }
        let row = self.row(account).await.map_err(not_now)?;
        let email = row.map(|(row, _)| row.email).unwrap_or_default();
        let (state, verifier) = self.link(account, provider, &[], true).await?;
        let url = self.endpoint.picker_url(&email, &state, &verifier);
        url.map_err(not_now)
    }

    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError> {
        let row = self.row(account).await.map_err(not_now)?;
        Ok(row
            .iter()
            .map(|(row, _)| row.connection(&self.endpoint.provider))
            .collect())
    }

    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError> {
        // No token is refreshed meanwhile, whose successor would be stored after this.
        let flight = self.flights.of(account);
        let _alone = flight.lock().await;
        let row = self.row(account).await.map_err(not_now)?;
        let secret = self.credentials.get(account, provider).await;
        if row.is_some() {
            let write = Write::delete(keys::connected(account, provider), None);
            let commit = Commit::new(&*self.ids, vec![write]);
            self.store.commit(&commit).await.map_err(not_now)?;
        }
        self.flights.forget(account);
        let erased = self.erase(account).await;
        let revoked = self.revoke(secret).await;
        let Some((row, _)) = row else {
            return erased.map(|()| None);
        };
        if let Err(error) = &erased {
            tracing::warn!(%error, "a disconnected account's credential or mails remain");
        }
        Ok(Some(Disconnected {
            connection: row.connection(&self.endpoint.provider),
            revoked,
            erased: erased.is_ok(),
        }))
    }
}
