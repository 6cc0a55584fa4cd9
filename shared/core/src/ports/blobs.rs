//! Bodies too large for an item, stored by their content.

use async_trait::async_trait;
use thiserror::Error;

/// Why a blob couldn't be stored or read.
#[derive(Debug, Error)]
pub enum BlobError {
    /// The other side didn't answer or refused.
    #[error("blobs unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
    /// Nothing is stored under this digest, or not what it says.
    #[error("blob {digest} is missing or damaged")]
    Missing {
        /// Its SHA-256.
        digest: String,
    },
}

/// Large bodies. Written before the commit that names them; writing twice is harmless.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Stores the bytes and gives their SHA-256. `scope` is `TEAM/USER`, so that a person can be forgotten.
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError>;
    /// Reads them back and checks the digest.
    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError>;
}
