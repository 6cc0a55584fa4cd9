use alfred_core::ports::{SearchError, Secrets};
use secrecy::SecretString;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A provider's key. A named one is read at the first search, since most requests need none.
pub enum ApiKey {
    Known(SecretString),
    Named(Arc<dyn Secrets>, String, OnceCell<SecretString>),
}

impl ApiKey {
    pub fn named(secrets: Arc<dyn Secrets>, name: impl Into<String>) -> Self {
        Self::Named(secrets, name.into(), OnceCell::new())
    }

    pub(super) async fn get(&self) -> Result<&SecretString, SearchError> {
        let (secrets, name, read) = match self {
            Self::Known(key) => return Ok(key),
            Self::Named(secrets, name, read) => (secrets, name, read),
        };
        read.get_or_try_init(async || {
            let found = secrets.get(name).await;
            let found = found.map_err(|error| SearchError::Down {
                detail: error.to_string(),
            })?;
            found.ok_or_else(|| SearchError::KeyRefused {
                detail: format!("there is no secret {name}"),
            })
        })
        .await
    }
}
