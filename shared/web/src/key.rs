use alfred_core::ports::{SearchError, Secrets};
use secrecy::SecretString;
use std::sync::Arc;
use tokio::sync::OnceCell;

use super::answer::down;

/// A provider's key.
pub struct ApiKey {
    secrets: Arc<dyn Secrets>,
    name: String,
    key: OnceCell<SecretString>,
}

impl ApiKey {
    /// Without a known key, the first search reads the secret of this name, since most requests need none.
    pub fn new(secrets: Arc<dyn Secrets>, name: String, known: Option<SecretString>) -> Self {
        let key = OnceCell::new_with(known);
        Self { secrets, name, key }
    }

    pub(super) async fn get(&self) -> Result<&SecretString, SearchError> {
        let read = async || {
            let found = self.secrets.get(&self.name).await;
            let found = found.map_err(|error| down(error.to_string()))?;
            found.ok_or_else(|| SearchError::KeyRefused {
                detail: format!("there is no secret {}", self.name),
            })
        };
        self.key.get_or_try_init(read).await
    }
}
