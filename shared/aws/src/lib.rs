//! The ports on AWS: DynamoDB, SQS, Secrets Manager, S3, Bedrock. The only crate that
//! names AWS SDKs.
//!
//! A feature a service (`bedrock`, `dynamodb`, `sqs`, `secrets`, `s3`, all on by default),
//! so that a function links only what it uses: the receiver takes `sqs` alone.
//! `chain` adds the SDK's credential chain for a person's machine.
//!
//! ```no_run
//! # async fn wire() -> Result<(), Box<dyn std::error::Error>> {
//! use alfred_core::ports::SystemClock;
//! use std::sync::Arc;
//!
//! let sdk = alfred_aws::from_env().await?;
//! let clock = Arc::new(SystemClock);
//! let store = alfred_aws::store(&sdk, "state", "audit", clock.clone());
//! let blobs = alfred_aws::blobs(&sdk, "bodies");
//! let queue = alfred_aws::queue(&sdk, alfred_aws::QueueUrls::from_env());
//! let secrets = alfred_aws::secrets(&sdk, clock);
//! # Ok(())
//! # }
//! ```

#[cfg(all(
    feature = "accounts",
    feature = "dynamodb",
    feature = "s3",
    feature = "secrets",
    feature = "sqs"
))]
mod outside;
mod sdk;

#[cfg(feature = "bedrock")]
mod bedrock;
#[cfg(feature = "s3")]
mod blobs;
#[cfg(feature = "s3")]
mod bucket;
#[cfg(feature = "accounts")]
mod credentials;
#[cfg(feature = "sqs")]
mod queue;
#[cfg(feature = "secrets")]
mod secrets;
#[cfg(feature = "dynamodb")]
mod store;
#[cfg(feature = "s3")]
mod vault;
#[cfg(all(feature = "dynamodb", feature = "s3"))]
mod whole_store;

pub use aws_config::SdkConfig;
#[cfg(feature = "bedrock")]
pub use bedrock::{Bedrock, bedrock};
#[cfg(feature = "s3")]
pub use blobs::{S3Blobs, blobs};
#[cfg(feature = "accounts")]
pub use credentials::{EncryptedCredentials, ManagedCredentials, Sessions};
#[cfg(all(
    feature = "accounts",
    feature = "dynamodb",
    feature = "s3",
    feature = "secrets",
    feature = "sqs"
))]
pub use outside::outside_from_env;
#[cfg(all(
    feature = "accounts",
    feature = "bedrock",
    feature = "dynamodb",
    feature = "s3",
    feature = "secrets",
    feature = "sqs"
))]
pub use outside::outside_with_models_from_env;
#[cfg(feature = "sqs")]
pub use queue::{QueueUrls, SendLimits, SqsQueue, queue, queue_within};
pub use sdk::{from_env, from_lookup};
#[cfg(feature = "secrets")]
pub use secrets::{SecretsManager, secrets};
#[cfg(feature = "dynamodb")]
pub use store::{DynamoStore, store};
#[cfg(feature = "s3")]
pub use vault::{S3Vault, vault, vault_from_env};
#[cfg(all(feature = "dynamodb", feature = "s3"))]
pub use whole_store::store_from_env;
