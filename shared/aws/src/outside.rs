//! Everything a function behind a queue needs of AWS, as the environment names it.

use alfred_core::ConfigError;
use alfred_core::config::{ACCOUNTS_KEY, ACCOUNTS_ROLE};
use alfred_core::ports::{Credentials, ProviderPorts, Store, SystemClock, SystemIds};
use aws_config::SdkConfig;
use std::sync::Arc;

use crate::{
    EncryptedCredentials, ManagedCredentials, QueueUrls, Sessions, from_env, queue, secrets,
    store_from_env,
};

/// The tables, the bucket, the queues and the secrets of this deployment. Nothing is sent here.
///
/// # Errors
/// `ConfigError` naming the variable that is missing or makes no sense.
pub async fn outside_from_env() -> Result<ProviderPorts, ConfigError> {
    outside(&from_env().await?)
}

/// The same with Bedrock's models, for the functions that ask one: the others don't link it.
///
/// # Errors
/// As [`outside_from_env`].
#[cfg(feature = "bedrock")]
pub async fn outside_with_models_from_env() -> Result<ProviderPorts, ConfigError> {
    let sdk = from_env().await?;
    Ok(ProviderPorts {
        models: Some(Arc::new(crate::bedrock(&sdk))),
        ..outside(&sdk)?
    })
}

fn outside(sdk: &SdkConfig) -> Result<ProviderPorts, ConfigError> {
    let clock = Arc::new(SystemClock);
    let queue = Arc::new(queue(sdk, QueueUrls::from_env()));
    let store: Arc<dyn Store> = Arc::new(store_from_env(sdk, clock.clone())?);
    Ok(ProviderPorts {
        credentials: credentials(sdk, store.clone(), clock.clone()),
        store,
        queue: queue.clone(),
        redelivery: queue,
        secrets: Arc::new(secrets(sdk, clock)),
        models: None,
    })
}

/// People's own secrets, where the environment says that they are.
fn credentials(
    sdk: &SdkConfig,
    store: Arc<dyn Store>,
    clock: Arc<SystemClock>,
) -> Arc<dyn Credentials> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let sessions = Sessions::new(sdk, set(ACCOUNTS_ROLE), clock.clone());
    match set(ACCOUNTS_KEY) {
        Some(key) => Arc::new(EncryptedCredentials::new(
            sessions,
            key,
            store,
            Arc::new(SystemIds),
        )),
        None => Arc::new(ManagedCredentials::new(sessions, clock)),
    }
}
