//! An item of the table a person, encrypted under one key of KMS: a dollar a month for all of them. Team, user and
//! provider are its encryption context, so one person's can't be read as another's
//! (<https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html>).

use alfred_core::keys;
use alfred_core::ports::{
    Account, Commit, Credentials, Ids, Key, Provider, SecretError, Store, StoreError, Write,
    credential_name,
};
use async_trait::async_trait;
use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

use super::{Result, Sessions};
use crate::secrets::failed;

/// The most bytes that a key of KMS encrypts itself
/// (<https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html>).
const MOST: usize = 4_096;

pub struct EncryptedCredentials {
    sessions: Sessions,
    key: String,
    store: Arc<dyn Store>,
    ids: Arc<dyn Ids>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    /// Hex.
    encrypted: String,
}

impl EncryptedCredentials {
    /// Under this key, by id or ARN.
    pub fn new(sessions: Sessions, key: String, store: Arc<dyn Store>, ids: Arc<dyn Ids>) -> Self {
        Self {
            sessions,
            key,
            store,
            ids,
        }
    }

    async fn kms(&self, account: &Account) -> Result<Client> {
        Ok(Client::new(&self.sessions.of(account).await?))
    }

    async fn commit(&self, write: Write) -> Result<()> {
        let commit = Commit::new(&*self.ids, vec![write]);
        self.store.commit(&commit).await.map_err(unavailable)
    }
}

#[async_trait]
impl Credentials for EncryptedCredentials {
    async fn get(&self, account: &Account, provider: Provider) -> Result<Option<SecretString>> {
        let key = place(account, provider)?;
        let Some(item) = self.store.get(&key).await.map_err(unavailable)? else {
            return Ok(None);
        };
        let row: Row = item.decode("encrypted secret").map_err(unavailable)?;
        let encrypted = hex::decode(&row.encrypted)
            .map_err(|_| broken("an encrypted secret that isn't hex"))?;
        let call = self.kms(account).await?.decrypt().key_id(&self.key);
        let call = call.ciphertext_blob(Blob::new(encrypted));
        let call = call.set_encryption_context(Some(context(account, provider)));
        let answer = call.send().await;
        let decrypted = answer.map_err(|error| failed("decrypting", provider.as_str(), &error))?;
        let text = decrypted.plaintext.map(Blob::into_inner);
        let text = text.unwrap_or_default();
        let text = String::from_utf8(text).map_err(|_| broken("a secret that isn't text"))?;
        Ok(Some(text.into()))
    }

    async fn put(&self, account: &Account, provider: Provider, value: &SecretString) -> Result<()> {
        let key = place(account, provider)?;
        let value = value.expose_secret();
        if value.len() > MOST {
            return Err(broken("a secret of more than 4,096 bytes"));
        }
        let call = self.kms(account).await?.encrypt().key_id(&self.key);
        let call = call.plaintext(Blob::new(value));
        let call = call.set_encryption_context(Some(context(account, provider)));
        let answer = call.send().await;
        let encrypted = answer.map_err(|error| failed("encrypting", provider.as_str(), &error))?;
        let encrypted = encrypted.ciphertext_blob.map(Blob::into_inner);
        let encrypted = hex::encode(encrypted.unwrap_or_default());
        let row = Row { encrypted };
        let body = serde_json::to_value(&row).map_err(|error| broken(&error.to_string()))?;
        self.commit(Write::put(key, None, body)).await
    }

    async fn delete(&self, account: &Account, provider: Provider) -> Result<()> {
        let key = place(account, provider)?;
        self.commit(Write::delete(key, None)).await
    }
}

fn place(account: &Account, provider: Provider) -> Result<Key> {
    // The same ids are refused as where they stand in a name.
    credential_name(account, provider)?;
    Ok(keys::credential(account, provider))
}

fn context(account: &Account, provider: Provider) -> HashMap<String, String> {
    let pairs = [
        ("team", account.team.as_str()),
        ("user", account.user.as_str()),
        ("provider", provider.as_str()),
    ];
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    pairs.into_iter().map(owned).collect()
}

fn unavailable(error: StoreError) -> SecretError {
    match error {
        StoreError::Refused { reason } => SecretError::Denied { detail: reason },
        error => broken(&error.to_string()),
    }
}

fn broken(detail: &str) -> SecretError {
    let detail = detail.to_owned();
    SecretError::Unavailable { detail }
}
