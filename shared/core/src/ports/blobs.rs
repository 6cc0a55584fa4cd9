//! Storage for bodies too large for an item, addressed by content.

use async_trait::async_trait;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum BlobError {
    #[error("blobs unavailable: {detail}")]
    Unavailable { detail: String },
    #[error("blobs refused: {detail}")]
    Denied { detail: String },
    /// Nothing is stored under this digest, or other content.
    #[error("blob {digest} is missing or damaged")]
    Missing { digest: String },
}

/// Storage for large bodies. They are written before the commit that refers to them; writing again is harmless.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Stores the bytes and returns their SHA-256. `scope` is `TEAM/USER`, so that a person's data can be deleted.
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError>;
    /// Reads the bytes and checks the digest.
    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError>;
}
