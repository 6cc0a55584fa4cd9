//! `Blobs` on S3, through `object_store`.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use object_store::aws::{AmazonS3, AmazonS3Builder, AwsCredential};
use object_store::path::Path;
use object_store::{CredentialProvider, Error, ObjectStoreExt, RetryConfig};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// By itself `object_store` repeats for three minutes, longer than a function lives.
const REPEATS: usize = 3;
const REPEAT_FOR: Duration = Duration::from_secs(15);

/// Bodies in a bucket, at `SCOPE/SHA256`. The client is made with the first
/// call: most requests have no large body, and its TLS roots take milliseconds.
/// Needs `s3:GetObject`, `s3:PutObject`, and `s3:ListBucket`, without which S3
/// says "denied" of what is missing.
#[derive(Debug)]
pub struct S3Blobs {
    builder: AmazonS3Builder,
    client: OnceCell<AmazonS3>,
}

/// The blobs of this bucket. With an endpoint (an emulator's) the bucket is
/// part of the path, and plain HTTP is allowed on the machine itself.
#[must_use]
pub fn blobs(sdk: &SdkConfig, bucket: impl Into<String>) -> S3Blobs {
    let retry = RetryConfig {
        max_retries: REPEATS,
        retry_timeout: REPEAT_FOR,
        ..RetryConfig::default()
    };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_retry(retry);
    if let Some(region) = sdk.region() {
        builder = builder.with_region(region.as_ref());
    }
    if let Some(url) = sdk.endpoint_url() {
        builder = builder
            .with_endpoint(url)
            .with_virtual_hosted_style_request(false)
            .with_allow_http(is_loopback(url));
    }
    if let Some(provider) = sdk.credentials_provider() {
        builder = builder.with_credentials(Arc::new(FromSdk(provider)));
    }
    S3Blobs {
        builder,
        client: OnceCell::new(),
    }
}

impl S3Blobs {
    async fn client(&self) -> Result<&AmazonS3, BlobError> {
        let make = || async {
            // reqwest takes the process's provider and panics without one; the main's choice stays.
            if rustls::crypto::CryptoProvider::get_default().is_none() {
                let ours = rustls::crypto::ring::default_provider();
                // Fails only if another thread was first with the same.
                drop(ours.install_default());
            }
            self.builder.clone().build().map_err(unavailable)
        };
        self.client.get_or_try_init(make).await
    }
}

#[async_trait]
impl Blobs for S3Blobs {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        let digest = sha256_hex(bytes);
        let client = self.client().await?;
        let body = bytes.to_vec().into();
        let stored = client.put(&path(scope, &digest), body).await;
        stored.map_err(unavailable)?;
        Ok(digest)
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        let missing = || BlobError::Missing {
            digest: digest.to_owned(),
        };
        let client = self.client().await?;
        let found = match client.get(&path(scope, digest)).await {
            Err(Error::NotFound { .. }) => return Err(missing()),
            other => other.map_err(unavailable)?,
        };
        let bytes = found.bytes().await.map_err(unavailable)?;
        if sha256_hex(&bytes) == digest {
            Ok(bytes.into())
        } else {
            Err(missing())
        }
    }
}

/// `object_store` encodes what S3 has no room for, such as `*`.
fn path(scope: &str, digest: &str) -> Path {
    scope.split('/').chain([digest]).collect()
}

fn is_loopback(url: &str) -> bool {
    let authority = url.split("://").last().unwrap_or(url);
    let authority = authority.split('/').next().unwrap_or(authority);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn unavailable(error: Error) -> BlobError {
    BlobError::Unavailable {
        detail: error.to_string(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_the_machine() {
        assert!(is_loopback("http://127.0.0.1:4566"));
        assert!(is_loopback("http://localhost/"));
        assert!(is_loopback("http://[::1]:4566"));
        assert!(!is_loopback("http://127.evil.example"));
        assert!(!is_loopback("http://emulator:4566"));
        assert!(!is_loopback("http://localhost.example"));
    }

    #[test]
    fn the_scope_is_the_folder() {
        assert_eq!(path("T1/U1", "ab").as_ref(), "T1/U1/ab");
        assert_eq!(path("../U1", "ab").as_ref().matches("..").count(), 0);
    }
}
