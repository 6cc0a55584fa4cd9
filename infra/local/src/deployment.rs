//! A deployment on AWS, to read in: named by the same variables as its functions have.

use alfred_core::config::STATE_TABLE;
use alfred_core::ports::{Store, SystemClock};
use std::sync::Arc;

/// The deployment's store, when the environment names one.
pub async fn store() -> anyhow::Result<Option<Arc<dyn Store>>> {
    if std::env::var(STATE_TABLE).is_err() {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    let store = alfred_aws::store_from_env(&sdk, Arc::new(SystemClock))?;
    Ok(Some(Arc::new(store)))
}
