//! `Blobs` on S3, through `object_store`.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs};
use async_trait::async_trait;
use aws_config::SdkConfig;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};

use crate::bucket::{Bucket, is_denied};

/// Bodies in a bucket, at `SCOPE/SHA256`. Needs `s3:GetObject`, `s3:PutObject`, and `s3:ListBucket`, without which S3
/// says "denied" of what is missing.
#[derive(Debug)]
pub struct S3Blobs(Bucket);

pub fn blobs(sdk: &SdkConfig, bucket: impl Into<String>) -> S3Blobs {
    S3Blobs(Bucket::new(sdk, bucket))
}

#[async_trait]
impl Blobs for S3Blobs {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        let digest = sha256_hex(bytes);
        let client = self.0.client().await.map_err(failed)?;
        let body = bytes.to_vec().into();
        let stored = client.put(&path(scope, &digest), body).await;
        stored.map_err(failed)?;
        Ok(digest)
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        let found = self.0.read(&path(scope, digest)).await.map_err(failed)?;
        let intact = found.filter(|bytes| sha256_hex(bytes) == digest);
        intact.ok_or_else(|| BlobError::Missing {
            digest: digest.to_owned(),
        })
    }
}

/// `object_store` encodes what S3 has no room for, such as `*`.
fn path(scope: &str, digest: &str) -> Path {
    scope.split('/').chain([digest]).collect()
}

/// S3's message names the right that is missing. Without `s3:ListBucket` that is what it says of a missing object.
pub fn failed(error: Error) -> BlobError {
    let detail = error.to_string();
    if is_denied(&error) {
        return BlobError::Denied { detail };
    }
    BlobError::Unavailable { detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_is_the_folder() {
        assert_eq!(path("T1/U1", "ab").as_ref(), "T1/U1/ab");
        assert_eq!(path("../U1", "ab").as_ref().matches("..").count(), 0);
    }
}
