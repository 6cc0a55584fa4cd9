//! Everything a function behind a queue needs of AWS, as the environment names it.

use alfred_core::ConfigError;
use alfred_core::ports::{ProviderPorts, SystemClock};
use std::sync::Arc;

use crate::{QueueUrls, from_env, queue, secrets, store_from_env};

/// The tables, the bucket, the queues and the secrets of this deployment. Nothing is sent here.
///
/// # Errors
/// `ConfigError` naming the variable that is missing or makes no sense.
pub async fn outside_from_env() -> Result<ProviderPorts, ConfigError> {
    let clock = Arc::new(SystemClock);
    let sdk = from_env().await?;
    let queue = Arc::new(queue(&sdk, QueueUrls::from_env()));
    Ok(ProviderPorts {
        store: Arc::new(store_from_env(&sdk, clock.clone())?),
        queue: queue.clone(),
        redelivery: queue,
        secrets: Arc::new(secrets(&sdk, clock)),
    })
}
