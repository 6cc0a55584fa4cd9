//! A deployment on AWS, to read in: named by the same variables as its functions have.

use alfred_core::Config;
use alfred_core::config::STATE_TABLE;
use alfred_core::ports::{Clock, Store, SystemClock};
use std::sync::Arc;

use crate::server::audit::Record;

/// The deployment's store, when the environment names one.
pub async fn store() -> anyhow::Result<Option<Arc<dyn Store>>> {
    if std::env::var(STATE_TABLE).is_err() {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    let store = alfred_aws::store_from_env(&sdk, Arc::new(SystemClock))?;
    Ok(Some(Arc::new(store)))
}

/// The audit of a workspace of the deployment, when the environment names one.
pub async fn audit(team: &str) -> anyhow::Result<Option<Record>> {
    let Some(store) = store().await? else {
        return Ok(None);
    };
    Ok(Some(Record {
        store,
        vault: Arc::new(alfred_aws::vault_from_env().await?),
        team: team.into(),
        now: SystemClock.now(),
        days: Config::default().audit_days,
    }))
}
