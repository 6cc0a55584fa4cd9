//! One secret of Secrets Manager a person: $0.40 a month each.

use alfred_core::ports::{Account, Clock, Credentials, Provider, Secrets, credential_name};
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

use super::{Result, Sessions};
use crate::secrets::{SecretsManager, secrets};

/// Credentials in Secrets Manager, under `alfred/TEAM/USER/PROVIDER`.
pub struct ManagedCredentials {
    sessions: Sessions,
    clock: Arc<dyn Clock>,
}

impl ManagedCredentials {
    /// The clock waits while a deleted name becomes free.
    pub fn new(sessions: Sessions, clock: Arc<dyn Clock>) -> Self {
        Self { sessions, clock }
    }

    async fn of(&self, account: &Account) -> Result<SecretsManager> {
        let sdk = self.sessions.of(account).await?;
        Ok(secrets(&sdk, self.clock.clone()))
    }
}

#[async_trait]
impl Credentials for ManagedCredentials {
    async fn get(&self, account: &Account, provider: Provider) -> Result<Option<SecretString>> {
        let name = credential_name(account, provider)?;
        self.of(account).await?.get(&name).await
    }

    async fn put(&self, account: &Account, provider: Provider, value: &SecretString) -> Result<()> {
        let name = credential_name(account, provider)?;
        self.of(account).await?.put(&name, value).await
    }

    async fn delete(&self, account: &Account, provider: Provider) -> Result<()> {
        let name = credential_name(account, provider)?;
        self.of(account).await?.delete(&name).await
    }
}
