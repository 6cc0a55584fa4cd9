//! A person's account at a provider: its row in the store, and its secret.

use alfred_core::keys;
use alfred_core::ports::{
    Account, AccountService, Clock, Commit, Connection, Credentials, Ids, Key, Provider,
    SecretError, Store, StoreError, SystemIds, Write,
};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::links::{ConsentError, unavailable};
use crate::stored::{body, stored};

pub struct AccountStore {
    pub provider: Provider,
    pub store: Arc<dyn Store>,
    pub credentials: Arc<dyn Credentials>,
    pub clock: Arc<dyn Clock>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Changes each time the account is connected. It is in the secret too: of two simultaneous connections,
    /// one row and one secret survive.
    pub grant: String,
    pub email: String,
    /// What was granted, in the provider's words.
    pub scopes: BTreeSet<String>,
    pub since: Timestamp,
    /// When the provider refused the access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// The version at which the row was read, or 0.
    #[serde(skip)]
    pub version: u64,
}

impl AccountRow {
    pub fn connection(&self, provider: Provider, services: Vec<AccountService>) -> Connection {
        Connection {
            provider,
            email: self.email.clone(),
            services,
            since: self.since,
            ended: self.ended.is_some(),
        }
    }
}

impl AccountStore {
    fn key(&self, account: &Account) -> Key {
        keys::connected(account, self.provider)
    }

    pub async fn row(&self, account: &Account) -> Result<Option<AccountRow>, StoreError> {
        let key = self.key(account);
        let row = stored(&*self.store, &key, "connected account");
        let (row, version): (Option<AccountRow>, u64) = row.await?;
        Ok(row.map(|row| AccountRow { version, ..row }))
    }

    /// The row of an account that is connected now, and the row of the connection that it replaces. `Another`
    /// if that one has another address.
    pub async fn new_row(
        &self,
        account: &Account,
        email: String,
        scopes: BTreeSet<String>,
    ) -> Result<(AccountRow, Option<AccountRow>), ConsentError> {
        let known = self.row(account).await.map_err(unavailable)?;
        let version = known.as_ref().map_or(0, |row| row.version);
        let known = known.filter(|row| row.ended.is_none());
        if let Some(row) = known.as_ref().filter(|row| row.email != email) {
            return Err(ConsentError::Another(row.email.clone()));
        }
        let row = AccountRow {
            grant: SystemIds.uuid().simple().to_string(),
            email,
            scopes,
            since: self.clock.now(),
            ended: None,
            version,
        };
        Ok((row, known))
    }

    /// The account's secret. No error repeats a part of it.
    pub async fn secret<T: DeserializeOwned>(
        &self,
        account: &Account,
    ) -> Result<Option<T>, SecretError> {
        let secret = self.credentials.get(account, self.provider).await?;
        let read = |secret: SecretString| {
            let read = serde_json::from_str(secret.expose_secret());
            read.map_err(|_| SecretError::Unavailable {
                detail: "the secret of an account can't be read".into(),
            })
        };
        secret.map(read).transpose()
    }

    pub async fn put_secret(
        &self,
        account: &Account,
        secret: &impl Serialize,
    ) -> Result<(), SecretError> {
        let secret = serde_json::to_string(secret).map_err(|_| SecretError::Unavailable {
            detail: "the secret of an account can't be written".into(),
        })?;
        let secret = SecretString::from(secret);
        self.credentials.put(account, self.provider, &secret).await
    }

    /// Stores a secret and then its row, together with another write.
    pub async fn put(
        &self,
        account: &Account,
        row: &AccountRow,
        secret: &impl Serialize,
        also: Option<Write>,
    ) -> Result<(), ConsentError> {
        let put = self.put_secret(account, secret).await;
        put.map_err(unavailable)?;
        let body = body(row).map_err(unavailable)?;
        let write = Write::over(self.key(account), row.version, body);
        let writes = also.into_iter().chain([write]).collect();
        self.commit(writes).await.map_err(unavailable)
    }

    /// Records that the provider refused the access. False if the account was connected again meanwhile.
    pub async fn end(&self, account: &Account, row: &AccountRow) -> Result<bool, StoreError> {
        let ended = AccountRow {
            ended: Some(self.clock.now()),
            ..row.clone()
        };
        let write = Write::replace(self.key(account), row.version, body(&ended)?);
        match self.commit(vec![write]).await {
            Ok(()) => {
                tracing::info!("a connected account's access has ended");
                Ok(true)
            }
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes the row. The secret stays.
    pub async fn delete(&self, account: &Account) -> Result<Option<AccountRow>, StoreError> {
        let row = self.row(account).await?;
        if row.is_some() {
            let write = Write::delete(self.key(account), None);
            self.commit(vec![write]).await?;
        }
        Ok(row)
    }

    pub async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.store.commit(&Commit::new(&SystemIds, writes)).await
    }
}
