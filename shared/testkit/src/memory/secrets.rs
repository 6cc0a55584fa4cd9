//! Secrets in memory.

use alfred_core::ports::{SecretError, Secrets};
use async_trait::async_trait;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub struct MemorySecrets(Mutex<BTreeMap<String, SecretString>>);

#[async_trait]
impl Secrets for MemorySecrets {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        SecretError::check_name(name)?;
        Ok(self.0.lock().unwrap().get(name).cloned())
    }

    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError> {
        SecretError::check_name(name)?;
        let mut secrets = self.0.lock().unwrap();
        secrets.insert(name.to_owned(), value.clone());
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), SecretError> {
        SecretError::check_name(name)?;
        self.0.lock().unwrap().remove(name);
        Ok(())
    }
}
