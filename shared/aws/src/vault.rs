//! `Vault` on S3 with Object Lock, through `object_store`'s conditional put.

use alfred_core::ports::{Vault, VaultError};
use async_trait::async_trait;
use aws_config::SdkConfig;
use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode};

use crate::bucket::{Bucket, is_denied};

/// Objects that are put only where none is (`If-None-Match: *`). What keeps them from being deleted, or hidden by a
/// newer version, is the bucket's Object Lock and a role that may only put and get. Needs `s3:PutObject` and
/// `s3:GetObject`; without `s3:ListBucket` S3 says "denied" of what is missing.
#[derive(Debug)]
pub struct S3Vault(Bucket);

pub fn vault(sdk: &SdkConfig, bucket: impl Into<String>) -> S3Vault {
    S3Vault(Bucket::new(sdk, bucket).with_checksums())
}

#[async_trait]
impl Vault for S3Vault {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let client = self.0.client().await.map_err(failed)?;
        let body = bytes.to_vec().into();
        let (place, only_new) = (Path::from(name), PutMode::Create.into());
        match client.put_opts(&place, body, only_new).await {
            Ok(_) => Ok(()),
            // Maybe by this very call, whose first answer was lost.
            Err(Error::AlreadyExists { .. }) => match self.read(name).await? {
                Some(there) if there == bytes => Ok(()),
                _ => Err(VaultError::Taken {
                    name: name.to_owned(),
                }),
            },
            Err(error) => Err(failed(error)),
        }
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        self.0.read(&Path::from(name)).await.map_err(failed)
    }
}

fn failed(error: Error) -> VaultError {
    let detail = error.to_string();
    if is_denied(&error) {
        return VaultError::Denied { detail };
    }
    VaultError::Unavailable { detail }
}
