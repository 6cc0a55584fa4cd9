//! The store with its large bodies, as the environment names both.

use alfred_core::config::{AUDIT_TABLE, BLOBS_BUCKET, STATE_TABLE};
use alfred_core::ports::{Clock, Spilling};
use alfred_core::{Config, ConfigError};
use aws_config::SdkConfig;
use std::sync::Arc;

use crate::{DynamoStore, S3Blobs, blobs, store};

/// The tables and the bucket of this deployment, as one store.
///
/// # Errors
/// `Missing` with the variable's name.
pub fn store_from_env(
    sdk: &SdkConfig,
    clock: Arc<dyn Clock>,
) -> Result<Spilling<DynamoStore, S3Blobs>, ConfigError> {
    let required = |name| Config::required(|name| std::env::var(name).ok(), name);
    let tables = store(sdk, required(STATE_TABLE)?, required(AUDIT_TABLE)?, clock);
    Ok(Spilling::new(tables, blobs(sdk, required(BLOBS_BUCKET)?)))
}
