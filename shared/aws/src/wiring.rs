//! The ports of a deployment, as the environment names it. Nothing is sent here. Errors name the variable that is
//! missing or makes no sense.

use alfred_core::config::{
    ACCOUNTS_KEY, ACCOUNTS_ROLE, AUDIT_BUCKET, AUDIT_TABLE, BLOBS_BUCKET, STATE_TABLE, variable,
};
use alfred_core::ports::{
    Clock, Credentials, ProviderPorts, Spilling, Store, SystemClock, SystemIds,
};
use alfred_core::{Config, ConfigError};
use aws_config::SdkConfig;
use std::sync::Arc;

use crate::{
    DynamoStore, EncryptedCredentials, ManagedCredentials, QueueUrls, S3Blobs, S3Vault, Sessions,
    bedrock, blobs, from_env, queue, secrets, store, vault,
};

/// The tables, the bucket, the queues and the secrets.
pub async fn outside_from_env() -> Result<ProviderPorts, ConfigError> {
    outside(&from_env().await?)
}

/// The same with Bedrock's models, for the functions that ask one: the others don't link it.
pub async fn outside_with_models_from_env() -> Result<ProviderPorts, ConfigError> {
    let sdk = from_env().await?;
    Ok(ProviderPorts {
        models: Some(Arc::new(bedrock(&sdk))),
        ..outside(&sdk)?
    })
}

/// The tables and the bucket of large bodies, as one store.
pub fn store_from_env(
    sdk: &SdkConfig,
    clock: Arc<dyn Clock>,
) -> Result<Spilling<DynamoStore, S3Blobs>, ConfigError> {
    let tables = store(sdk, required(STATE_TABLE)?, required(AUDIT_TABLE)?, clock);
    Ok(Spilling::new(tables, blobs(sdk, required(BLOBS_BUCKET)?)))
}

/// The vault of the daily audit digests.
pub async fn vault_from_env() -> Result<S3Vault, ConfigError> {
    Ok(vault(&from_env().await?, required(AUDIT_BUCKET)?))
}

fn required(name: &'static str) -> Result<String, ConfigError> {
    Config::required(variable, name)
}

fn outside(sdk: &SdkConfig) -> Result<ProviderPorts, ConfigError> {
    let clock = Arc::new(SystemClock);
    let queue = Arc::new(queue(sdk, QueueUrls::from_env()));
    let store: Arc<dyn Store> = Arc::new(store_from_env(sdk, clock.clone())?);
    let sessions = Sessions::new(sdk, variable(ACCOUNTS_ROLE), clock.clone());
    let credentials: Arc<dyn Credentials> = match variable(ACCOUNTS_KEY) {
        Some(key) => {
            let ids = Arc::new(SystemIds);
            Arc::new(EncryptedCredentials::new(sessions, key, store.clone(), ids))
        }
        None => Arc::new(ManagedCredentials::new(sessions, clock.clone())),
    };
    Ok(ProviderPorts {
        credentials,
        store,
        queue: queue.clone(),
        redelivery: queue,
        secrets: Arc::new(secrets(sdk, clock)),
        models: None,
    })
}
