//! What is locked where not even Alfred can rewrite it: the daily digests of the audit.

use async_trait::async_trait;
use thiserror::Error;

/// Why bytes couldn't be locked or read.
#[derive(Debug, Error)]
pub enum VaultError {
    /// Other bytes are locked under this name, and stay.
    #[error("{name} is locked with another content")]
    Taken {
        /// The name.
        name: String,
    },
    /// The other side didn't answer or refused.
    #[error("the vault is unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
}

/// Written once, never overwritten. Nothing in it can be deleted through this port.
#[async_trait]
pub trait Vault: Send + Sync {
    /// Locks the bytes under a name: parts of ASCII letters, digits, `-`, `_` and `.`, between
    /// slashes. The same bytes again are fine; they are durable when this returns.
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError>;
    /// What is locked under a name.
    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError>;
}
