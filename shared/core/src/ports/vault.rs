//! The port to write-once storage, for the daily audit digests. Not even Alfred can change its content.

use async_trait::async_trait;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum VaultError {
    /// Other content is locked under this name.
    #[error("{name} is locked with another content")]
    Taken { name: String },
    #[error("the vault is unavailable: {detail}")]
    Unavailable { detail: String },
    #[error("the vault refuses: {detail}")]
    Denied { detail: String },
}

/// Write-once storage. This port can't overwrite or delete anything.
#[async_trait]
pub trait Vault: Send + Sync {
    /// Locks content under a name: parts of ASCII letters, digits, `-`, `_` and `.`, separated by
    /// slashes. Locking the same content again succeeds. The content is durable when this returns.
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError>;
    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError>;
}
