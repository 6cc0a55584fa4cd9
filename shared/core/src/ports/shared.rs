//! Implements ports for `Arc`, so that wrappers work with shared ports.

use async_trait::async_trait;
use std::sync::Arc;

use super::{BlobError, Blobs, Commit, Item, Key, Page, Query, Store, StoreError};

#[async_trait]
impl<S: Store + ?Sized> Store for Arc<S> {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        (**self).get(key).await
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        (**self).query(query).await
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        (**self).commit(commit).await
    }
}

#[async_trait]
impl<B: Blobs + ?Sized> Blobs for Arc<B> {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        (**self).put(scope, bytes).await
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        (**self).get(scope, digest).await
    }
}
