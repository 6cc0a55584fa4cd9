//! The ports on AWS: DynamoDB, SQS, Secrets Manager, S3, Bedrock. The only crate that names AWS SDKs.
//!
//! Without the feature `full`, which is on by default, there is SQS alone, for the receiver. `chain` adds the SDK's
//! credential chain for a person's machine.

mod error;
mod queue;
mod sdk;

#[cfg(feature = "full")]
mod bedrock;
#[cfg(feature = "full")]
mod blobs;
#[cfg(feature = "full")]
mod bucket;
#[cfg(feature = "full")]
mod credentials;
#[cfg(feature = "full")]
mod secrets;
#[cfg(feature = "full")]
mod store;
#[cfg(feature = "full")]
mod vault;
#[cfg(feature = "full")]
mod wiring;

pub use aws_config::SdkConfig;
pub use queue::{
    QueueUrls, SendLimits, SqsQueue, dead_letters, failed as queue_failed, queue, queue_within,
};
pub use sdk::{from_env, from_lookup};

#[cfg(feature = "full")]
pub use {
    bedrock::{Bedrock, bedrock},
    blobs::{S3Blobs, blobs, failed as blob_failed},
    bucket::Bucket,
    credentials::{EncryptedCredentials, ManagedCredentials, Sessions},
    secrets::{SecretsManager, secrets},
    store::{DynamoStore, store},
    vault::{S3Vault, vault},
    wiring::{outside_from_env, outside_with_models_from_env, store_from_env, vault_from_env},
};
