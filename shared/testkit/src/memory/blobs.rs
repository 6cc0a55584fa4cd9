//! Blobs in memory.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub struct MemoryBlobs(Mutex<BTreeMap<(String, String), Vec<u8>>>);

#[async_trait]
impl Blobs for MemoryBlobs {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        let digest = sha256_hex(bytes);
        let name = (scope.to_owned(), digest.clone());
        self.0.lock().unwrap().insert(name, bytes.to_vec());
        Ok(digest)
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        let name = (scope.to_owned(), digest.to_owned());
        let found = self.0.lock().unwrap().get(&name).cloned();
        found.ok_or_else(|| BlobError::Missing {
            digest: digest.to_owned(),
        })
    }
}
