//! A bucket, through `object_store`.

use alfred_core::config::is_loopback;
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use object_store::aws::{AmazonS3, AmazonS3Builder, AwsCredential, Checksum};
use object_store::path::Path;
use object_store::{CredentialProvider, Error, ObjectStoreExt, RetryConfig};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// By itself `object_store` repeats for three minutes, longer than a function lives.
const REPEATS: usize = 3;
const REPEAT_FOR: Duration = Duration::from_secs(15);

/// A bucket. The client is made with the first call: most requests need none, and its TLS roots take milliseconds.
#[derive(Debug)]
pub struct Bucket {
    builder: AmazonS3Builder,
    client: OnceCell<AmazonS3>,
}

impl Bucket {
    /// With an endpoint (an emulator's) the bucket is part of the path, and
    /// plain HTTP is allowed on the machine itself.
    pub fn new(sdk: &SdkConfig, bucket: impl Into<String>) -> Self {
        let retry = RetryConfig {
            max_retries: REPEATS,
            retry_timeout: REPEAT_FOR,
            ..RetryConfig::default()
        };
        let builder = AmazonS3Builder::new().with_bucket_name(bucket);
        let mut builder = builder.with_retry(retry);
        if let Some(region) = sdk.region() {
            builder = builder.with_region(region.as_ref());
        }
        if let Some(url) = sdk.endpoint_url() {
            builder = builder.with_endpoint(url).with_allow_http(is_loopback(url));
            builder = builder.with_virtual_hosted_style_request(false);
        }
        if let Some(provider) = sdk.credentials_provider() {
            builder = builder.with_credentials(Arc::new(FromSdk(provider)));
        }
        let client = OnceCell::new();
        Self { builder, client }
    }

    /// With a SHA-256 sent beside each body, without which S3 locks no object.
    pub fn with_checksums(mut self) -> Self {
        self.builder = self.builder.with_checksum_algorithm(Checksum::SHA256);
        self
    }

    pub async fn client(&self) -> Result<&AmazonS3, Error> {
        let make = || async {
            // reqwest takes the process's provider and panics without one; the main's choice stays.
            if rustls::crypto::CryptoProvider::get_default().is_none() {
                let ours = rustls::crypto::ring::default_provider();
                // Fails only if another thread was first with the same.
                drop(ours.install_default());
            }
            self.builder.clone().build()
        };
        self.client.get_or_try_init(make).await
    }

    /// An object's bytes. `None` if there is none.
    pub(crate) async fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        match self.client().await?.get(path).await {
            Ok(found) => Ok(Some(found.bytes().await?.into())),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether there is no such object, in a bucket that is there.
fn is_missing(error: &Error) -> bool {
    let code = "<Code>NoSuchBucket</Code>";
    matches!(error, Error::NotFound { source, .. } if !source.to_string().contains(code))
}

/// A right is missing. Other refusals, such as a clock that is wrong, pass.
pub(crate) fn is_denied(error: &Error) -> bool {
    let code = "<Code>AccessDenied</Code>";
    matches!(error, Error::PermissionDenied { source, .. } if source.to_string().contains(code))
}

#[derive(Debug)]
struct FromSdk(SharedCredentialsProvider);

#[async_trait]
impl CredentialProvider for FromSdk {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let found = self.0.provide_credentials().await;
        let found = found.map_err(|source| Error::Generic {
            store: "S3",
            source: Box::new(source),
        })?;
        Ok(Arc::new(AwsCredential {
            key_id: found.access_key_id().to_owned(),
            secret_key: found.secret_access_key().to_owned(),
            token: found.session_token().map(str::to_owned),
        }))
    }
}
