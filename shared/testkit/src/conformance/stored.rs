//! The calls of `vault.txt`, `secrets.txt`, `credentials.txt` and `blobs.txt`.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{
    Account, BlobError, Blobs, Credentials, Provider, SecretError, Secrets, Vault, VaultError,
};
use async_trait::async_trait;
use futures_util::future::join_all;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

use super::{Calls, Side, bytes, deduped, pass, quoted, shown};

pub async fn vault<P: Vault + 'static>(open: impl AsyncFn() -> Side<P>) {
    let open = async || Stored::new(open().await, |vault| Port::Vault(vault));
    pass("vault.txt", include_str!("vault.txt"), open).await;
}

pub async fn secrets<P: Secrets + 'static>(open: impl AsyncFn() -> Side<P>) {
    let open = async || Stored::new(open().await, |secrets| Port::Secrets(secrets));
    pass("secrets.txt", include_str!("secrets.txt"), open).await;
}

pub async fn credentials<P: Credentials + 'static>(open: impl AsyncFn() -> Side<P>) {
    let open = async || Stored::new(open().await, |credentials| Port::Credentials(credentials));
    pass("credentials.txt", include_str!("credentials.txt"), open).await;
}

pub async fn blobs<P: Blobs + 'static>(open: impl AsyncFn() -> Side<P>) {
    let open = async || Stored::new(open().await, |blobs| Port::Blobs(blobs));
    pass("blobs.txt", include_str!("blobs.txt"), open).await;
}

enum Port {
    Vault(Arc<dyn Vault>),
    Secrets(Arc<dyn Secrets>),
    /// A name is the team and the user, with a slash between them.
    Credentials(Arc<dyn Credentials>),
    /// A name is a scope.
    Blobs(Arc<dyn Blobs>),
}

struct Stored {
    port: Port,
    _keeps: Box<dyn Send + Sync>,
}

impl Stored {
    fn new<P>(side: Side<P>, port: fn(Arc<P>) -> Port) -> Self {
        Self {
            port: port(side.port),
            _keeps: side.keeps,
        }
    }

    async fn store(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        match &self.port {
            Port::Vault(vault) => vault.lock(name, bytes).await.map_err(of_vault)?,
            Port::Secrets(secrets) => secrets.put(name, &secret(bytes)).await.map_err(of_secret)?,
            Port::Credentials(it) => {
                let (account, secret) = (account(name), secret(bytes));
                let put = it.put(&account, Provider::Google, &secret);
                put.await.map_err(of_secret)?;
            }
            Port::Blobs(blobs) => {
                assert_eq!(blobs.put(name, bytes).await.unwrap(), sha256_hex(bytes));
            }
        }
        Ok(())
    }

    /// Stores bytes, which must be there at once.
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.store(name, bytes).await?;
        let read = self.get(name, &sha256_hex(bytes)).await?;
        assert!(read.is_some_and(|read| read == bytes), "it isn't there");
        Ok(())
    }

    /// Reads what is stored. The digest counts for blobs alone.
    async fn get(&self, name: &str, digest: &str) -> Result<Option<Vec<u8>>, String> {
        let secret = match &self.port {
            Port::Vault(vault) => return vault.read(name).await.map_err(of_vault),
            Port::Secrets(secrets) => secrets.get(name).await,
            Port::Credentials(it) => it.get(&account(name), Provider::Google).await,
            Port::Blobs(blobs) => match blobs.get(name, digest).await {
                Err(BlobError::Missing { digest: named }) if named == digest => return Ok(None),
                got => return got.map(Some).map_err(|error| error.to_string()),
            },
        };
        let secret = secret.map_err(of_secret)?;
        Ok(secret.map(|secret| secret.expose_secret().into()))
    }

    async fn delete(&self, name: &str) -> Result<(), String> {
        let deleted = match &self.port {
            Port::Secrets(secrets) => secrets.delete(name).await,
            Port::Credentials(it) => it.delete(&account(name), Provider::Google).await,
            Port::Vault(_) | Port::Blobs(_) => panic!("nothing is deleted here"),
        };
        deleted.map_err(of_secret)
    }

    async fn read(&self, name: &str, digest: &str) -> String {
        match self.get(name, digest).await {
            Ok(Some(bytes)) => shown(&bytes),
            Ok(None) => "none".into(),
            Err(error) => error,
        }
    }
}

#[async_trait]
impl Calls for Stored {
    async fn call(&mut self, words: &[&str]) -> String {
        match words {
            ["put" | "lock", name, value] => {
                let put = self.put(name, &bytes(value)).await;
                put.err().unwrap_or_default()
            }
            ["get", name] => self.read(name, "").await,
            ["get", scope, "of", value] => self.read(scope, &sha256_hex(&bytes(value))).await,
            ["get", scope, "digest", digest] => self.read(scope, digest).await,
            ["delete", name] => self.delete(name).await.err().unwrap_or_default(),
            ["at", "once", name, values @ ..] => {
                let puts = values.iter().map(|value| self.put(name, value.as_bytes()));
                let ended = join_all(puts).await;
                let errors: Vec<String> = ended.into_iter().filter_map(Result::err).collect();
                let done = format!("{} of {}", values.len() - errors.len(), values.len());
                if errors.is_empty() {
                    done
                } else {
                    format!("{done}, the others: {}", deduped(errors, ", "))
                }
            }
            ["each", "call", name] => {
                let (get, put) = (self.get(name, "").await, self.store(name, b"x").await);
                let delete = self.delete(name).await;
                let errors = vec![get.unwrap_err(), put.unwrap_err(), delete.unwrap_err()];
                deduped(errors, ", ")
            }
            _ => panic!("no call {words:?}"),
        }
    }
}

fn account(name: &str) -> Account {
    let (team, user) = name.split_once('/').unwrap();
    Account::of(&team.into(), &user.into())
}

fn secret(bytes: &[u8]) -> SecretString {
    SecretString::from(std::str::from_utf8(bytes).unwrap())
}

fn of_vault(error: VaultError) -> String {
    match error {
        VaultError::Taken { name } => format!("taken {name}"),
        other => other.to_string(),
    }
}

fn of_secret(error: SecretError) -> String {
    match error {
        SecretError::Name { name } => format!("bad name {}", quoted(&name)),
        other => other.to_string(),
    }
}
