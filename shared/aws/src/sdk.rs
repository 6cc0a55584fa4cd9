//! How every client is set up: region, endpoint, credentials, TLS, time limits.

use alfred_core::ConfigError;
use alfred_core::config::{self, AWS_ENDPOINT_URL};
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_http_client::Builder as HttpClient;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::sdk_config::SharedHttpClient;
use std::time::Duration;

const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
const REGION: &str = "AWS_REGION";
const DEFAULT_REGION: &str = "AWS_DEFAULT_REGION";
/// An emulator serves every region; requests still have to be signed for one.
const EMULATOR_REGION: &str = "us-east-1";

/// A connection within a region takes milliseconds; a lost SYN is repeated after one second.
const CONNECT: Duration = Duration::from_millis(1_500);
/// The longest answer to wait for: a transaction of 4 MB takes under a second.
const ATTEMPT: Duration = Duration::from_secs(5);

/// Settings for the clients from the process environment, as [`from_lookup`].
pub async fn from_env() -> Result<SdkConfig, ConfigError> {
    from_lookup(config::variable).await
}

/// Settings for the clients: `AWS_REGION` (or `AWS_DEFAULT_REGION`), `AWS_ENDPOINT_URL`, and credentials from
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which Lambda always sets: no file is read and
/// no metadata service asked. Without a key the SDK's chain is used if feature `chain` is on. Nothing is sent here.
/// Errors name the variable that is missing or makes no sense.
pub async fn from_lookup(
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<SdkConfig, ConfigError> {
    let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
    let endpoint = set(AWS_ENDPOINT_URL);
    if let Some(url) = &endpoint
        && !url.starts_with("http://")
        && !url.starts_with("https://")
    {
        let reason = format!("\"{url}\" is no URL such as http://127.0.0.1:4566");
        return Err(ConfigError::invalid(AWS_ENDPOINT_URL, reason));
    }
    let region = set(REGION).or_else(|| set(DEFAULT_REGION));
    let region = region.or_else(|| endpoint.as_ref().map(|_| EMULATOR_REGION.to_owned()));
    let base = match set(ACCESS_KEY) {
        Some(key) => {
            let secret = set(SECRET_KEY).ok_or(ConfigError::Missing { name: SECRET_KEY })?;
            let mut credentials = Credentials::builder()
                .access_key_id(key)
                .secret_access_key(secret)
                .provider_name("Environment");
            credentials.set_session_token(set(SESSION_TOKEN));
            with_credentials(credentials.build())
        }
        None => from_chain(region.clone()).await?,
    };
    let region = region.map(Region::new).or_else(|| base.region().cloned());
    let region = region.ok_or(ConfigError::Missing { name: REGION })?;
    let mut builder = base.into_builder().region(region);
    builder.set_endpoint_url(endpoint.clone());
    builder.set_http_client(Some(http_client(endpoint.as_deref())));
    builder.set_timeout_config(Some(timeouts()));
    Ok(builder.build())
}

fn with_credentials(credentials: Credentials) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}

#[cfg(feature = "chain")]
async fn from_chain(region: Option<String>) -> Result<SdkConfig, ConfigError> {
    let loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http_client(None))
        .timeout_config(timeouts());
    Ok(match region {
        Some(region) => loader.region(Region::new(region)).load().await,
        None => loader.load().await,
    })
}

#[cfg(not(feature = "chain"))]
async fn from_chain(_: Option<String>) -> Result<SdkConfig, ConfigError> {
    Err(ConfigError::Missing { name: ACCESS_KEY })
}

/// One client for all services, so that they share its roots. Plain HTTP needs
/// none, and reading them is the dearest part of a cold start.
fn http_client(endpoint: Option<&str>) -> SharedHttpClient {
    match endpoint {
        Some(url) if url.starts_with("http://") => HttpClient::new().build_http(),
        _ => HttpClient::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https(),
    }
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT)
        .operation_attempt_timeout(ATTEMPT)
        .build()
}
