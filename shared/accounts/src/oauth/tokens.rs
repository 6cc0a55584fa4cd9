//! Access tokens for provider clients.

use alfred_core::ports::{Account, AccountError, AccountService, Commit, StoreError, Write};
use alfred_core::{keys, text};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use std::time::Duration;

use super::connections::Connections;
use super::rows::{Kept, Row};
use super::token_http::TokenError;

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
    async fn access(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError>;

    /// Drops a token that the provider refused.
    async fn refused(&self, account: &Account, token: &SecretString);
}

#[async_trait]
impl Tokens for Connections {
    async fn access(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError> {
        for _ in 0..LOOKS {
            // Read each time, so that a disconnection elsewhere takes effect at once.
            let (row, version) = self.usable(account, service).await?;
            if let Some(token) = self.flights.token(account, &row.grant, self.clock.now()) {
                return Ok(token);
            }
            let flight = self.flights.of(account);
            let _alone = flight.lock().await;
            if let Some(token) = self.flights.token(account, &row.grant, self.clock.now()) {
                return Ok(token);
            }
            if let Some(token) = self.fetch(account, service, (&row, version)).await? {
                return Ok(token);
            }
        }
        Err(away("the consent keeps changing"))
    }

    async fn refused(&self, account: &Account, token: &SecretString) {
        self.flights.drop_token(account, token);
    }
}

impl Connections {
    async fn usable(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<(Row, u64), AccountError> {
        let row = self.row(account).await.map_err(away)?;
        let (row, version) = row.ok_or(AccountError::NotConnected(service))?;
        if row.ended.is_some() {
            return Err(AccountError::Expired(service));
        }
        let granted = self.endpoint.provider.services(&row.scopes);
        if granted.contains(&service) {
            Ok((row, version))
        } else {
            Err(AccountError::NotGranted(service))
        }
    }

    /// Fetches a token. `None` if the consent changed meanwhile.
    async fn fetch(
        &self,
        account: &Account,
        service: AccountService,
        (row, version): (&Row, u64),
    ) -> Result<Option<SecretString>, AccountError> {
        let secret = self.credentials.get(account, self.provider()).await;
        let secret = secret.map_err(away)?;
        let Some(secret) = secret else {
            // The secret was deleted from outside, so the consent is unusable.
            return self.end(account, service, (row, version)).await;
        };
        let kept = Kept::opened(&secret).map_err(away)?;
        if kept.grant != row.grant {
            // The secret belongs to another consent without a row, maybe of another account.
            return self.end(account, service, (row, version)).await;
        }
        match self.endpoint.refresh(&kept.refresh_token()).await {
            Ok(fresh) => {
                let now = self.clock.now();
                if let Some(next) = &fresh.refresh {
                    self.rotate(account, row, &kept, next).await;
                }
                let until = ends(now, fresh.expires_in);
                self.flights
                    .keep(account, &row.grant, fresh.access.clone(), until);
                Ok(Some(fresh.access))
            }
            Err(TokenError::Invalid) => self.end(account, service, (row, version)).await,
            Err(TokenError::Client(detail)) => {
                tracing::error!(
                    detail,
                    "the provider doesn't accept the deployment's client"
                );
                Err(AccountError::refused(text::client_not_accepted(
                    self.provider(),
                )))
            }
            Err(TokenError::Away(detail)) => Err(away(detail)),
        }
    }

    /// Stores the successor of a refresh token, if due.
    async fn rotate(&self, account: &Account, row: &Row, kept: &Kept, next: &SecretString) {
        let now = self.clock.now();
        let due = now.saturating_sub(ROTATES).unwrap_or(now);
        if kept.is_older_than(due)
            && let Err(error) = self.rotated(account, row, next).await
        {
            tracing::warn!(%error, "a refresh token's successor isn't kept; the token still works");
        }
    }

    /// Does nothing if the consent was replaced or deleted meanwhile.
    async fn rotated(
        &self,
        account: &Account,
        row: &Row,
        next: &SecretString,
    ) -> Result<(), AccountError> {
        let known = self.row(account).await.map_err(away)?;
        if known.is_none_or(|(known, _)| known.grant != row.grant) {
            return Ok(());
        }
        let secret = Kept::sealed(&row.grant, next, self.clock.now()).map_err(away)?;
        let put = self.credentials.put(account, self.provider(), &secret);
        put.await.map_err(away)?;
        if self.row(account).await.map_err(away)?.is_none() {
            let deleted = self.credentials.delete(account, self.provider()).await;
            deleted.map_err(away)?;
        }
        Ok(())
    }

    /// Records that this consent has ended, unless another replaced it.
    async fn end(
        &self,
        account: &Account,
        service: AccountService,
        (row, version): (&Row, u64),
    ) -> Result<Option<SecretString>, AccountError> {
        let ended = Row {
            ended: Some(self.clock.now()),
            ..row.clone()
        };
        match self.write(account, version, &ended).await {
            Ok(()) => {
                tracing::info!("a connected account's access has ended");
                // The secret is kept: it opens nothing any more, and deleting it could hit a newly stored
                // one.
                self.flights.forget(account);
                Err(AccountError::Expired(service))
            }
            Err(StoreError::Conflict { .. }) => Ok(None),
            Err(error) => Err(away(error)),
        }
    }

    async fn write(&self, account: &Account, version: u64, row: &Row) -> Result<(), StoreError> {
        let body = serde_json::to_value(row).map_err(|error| StoreError::Refused {
            reason: error.to_string(),
        })?;
        let key = keys::connected(account, self.provider());
        let write = Write::replace(key, version, body);
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await
    }
}

/// The time from which a token is no longer used.
fn ends(now: Timestamp, lasts: Duration) -> Timestamp {
    let lasts = SignedDuration::try_from(lasts).unwrap_or(MARGIN) - MARGIN;
    now.saturating_add(lasts).unwrap_or(now)
}

fn away(detail: impl std::fmt::Display) -> AccountError {
    AccountError::NotReached {
        detail: detail.to_string(),
        retry_after: None,
    }
}
