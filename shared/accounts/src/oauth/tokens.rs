//! Access tokens for provider clients.

use crate::Result;
use alfred_core::ports::{Account, AccountError, AccountService};
use alfred_core::text;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use std::time::Duration;

use super::connections::Connections;
use super::flights::Cached;
use super::secret::ConsentSecret;
use super::token_http::TokenError;
use crate::account_store::AccountRow;
use crate::outbox::not_now;

/// A token is no longer used this long before its end.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);
/// Age at which a refresh token is replaced by its successor. Microsoft issues one with each access token and
/// accepts the old one for 90 days, so a failed replacement loses nothing
/// (<https://learn.microsoft.com/entra/identity-platform/refresh-tokens>).
const ROTATES: SignedDuration = SignedDuration::from_hours(24);
/// Attempts when a consent changes in between.
const LOOKS: usize = 3;

#[async_trait]
pub trait Tokens: Send + Sync {
    /// A token of this person for a service. `NotConnected`, `Expired` or `NotGranted` name the service;
    /// `NotReached` means that the provider is unavailable.
    async fn access(&self, account: &Account, service: AccountService) -> Result<SecretString>;

    /// Drops a token that the provider refused.
    async fn refused(&self, account: &Account, token: &SecretString);
}

#[async_trait]
impl Tokens for Connections {
    async fn access(&self, account: &Account, service: AccountService) -> Result<SecretString> {
        for _ in 0..LOOKS {
            // Read each time, so that a disconnection elsewhere takes effect at once.
            let row = self.usable(account, service).await?;
            let known = || {
                let now = self.accounts.clock.now();
                self.flights.token(account, &row.grant, now)
            };
            if let Some(token) = known() {
                return Ok(token);
            }
            let _alone = self.flights.turns.of(account).await;
            if let Some(token) = known() {
                return Ok(token);
            }
            if let Some(token) = self.fetch(account, service, &row).await? {
                return Ok(token);
            }
        }
        Err(not_now("the consent keeps changing"))
    }

    async fn refused(&self, account: &Account, token: &SecretString) {
        self.flights.drop_token(account, token);
    }
}

impl Connections {
    async fn usable(&self, account: &Account, service: AccountService) -> Result<AccountRow> {
        let row = self.accounts.row(account).await.map_err(not_now)?;
        let row = row.ok_or(AccountError::NotConnected(service))?;
        if row.ended.is_some() {
            return Err(AccountError::Expired(service));
        }
        let granted = self.endpoint.provider.services(&row.scopes);
        if granted.contains(&service) {
            Ok(row)
        } else {
            Err(AccountError::NotGranted(service))
        }
    }

    /// Fetches a token. `None` if the consent changed meanwhile.
    async fn fetch(
        &self,
        account: &Account,
        service: AccountService,
        row: &AccountRow,
    ) -> Result<Option<SecretString>> {
        let kept: Option<ConsentSecret> = self.accounts.secret(account).await.map_err(not_now)?;
        // The secret was deleted from outside, or belongs to another consent without a row, maybe of another account.
        let Some(kept) = kept.filter(|kept| kept.grant == row.grant) else {
            return self.end(account, service, row).await;
        };
        match self.endpoint.refresh(&kept.refresh_token()).await {
            Ok(fresh) => {
                let now = self.accounts.clock.now();
                if let Some(next) = &fresh.refresh
                    && let Err(error) = self.rotate(account, &kept, next).await
                {
                    tracing::warn!(%error, "a refresh token's successor isn't kept; the token still works");
                }
                let cached = Cached {
                    grant: row.grant.clone(),
                    token: fresh.access.clone(),
                    until: ends(now, fresh.expires_in),
                };
                self.flights.keep(account, cached);
                Ok(Some(fresh.access))
            }
            Err(TokenError::Invalid) => self.end(account, service, row).await,
            Err(TokenError::Client(detail)) => {
                tracing::error!(
                    detail,
                    "the provider doesn't accept the deployment's client"
                );
                Err(AccountError::refused(text::client_not_accepted(
                    self.provider(),
                )))
            }
            Err(TokenError::Away {
                detail,
                retry_after,
            }) => Err(AccountError::NotReached {
                detail,
                retry_after,
            }),
        }
    }

    /// Stores the successor of a refresh token, if due and if the consent is still the same.
    async fn rotate(
        &self,
        account: &Account,
        kept: &ConsentSecret,
        next: &SecretString,
    ) -> Result<()> {
        let accounts = &self.accounts;
        let now = accounts.clock.now();
        if !kept.is_older_than(now.saturating_sub(ROTATES).unwrap_or(now)) {
            return Ok(());
        }
        let known = accounts.row(account).await.map_err(not_now)?;
        if known.is_none_or(|known| known.grant != kept.grant) {
            return Ok(());
        }
        let next = ConsentSecret::new(&kept.grant, next, now);
        accounts.put_secret(account, &next).await.map_err(not_now)?;
        if accounts.row(account).await.map_err(not_now)?.is_none() {
            let deleted = accounts.credentials.delete(account, self.provider()).await;
            deleted.map_err(not_now)?;
        }
        Ok(())
    }

    /// Records that this consent has ended. `None` if another replaced it.
    async fn end(
        &self,
        account: &Account,
        service: AccountService,
        row: &AccountRow,
    ) -> Result<Option<SecretString>> {
        if !self.accounts.end(account, row).await.map_err(not_now)? {
            return Ok(None);
        }
        // The secret is kept: it opens nothing any more, and deleting it could hit a newly stored one.
        self.flights.forget(account);
        Err(AccountError::Expired(service))
    }
}

/// The time from which a token is no longer used.
fn ends(now: Timestamp, lasts: Duration) -> Timestamp {
    let lasts = SignedDuration::try_from(lasts).unwrap_or(MARGIN) - MARGIN;
    now.saturating_add(lasts).unwrap_or(now)
}
