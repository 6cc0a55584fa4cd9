//! Read access to a deployment on AWS, configured by the same variables as its functions.

use alfred_core::Config;
use alfred_core::config::STATE_TABLE;
use alfred_core::ports::{Clock, Store, SystemClock};
use std::sync::Arc;

use crate::server::audit::Record;

/// `None` if the environment names no deployment.
pub async fn store() -> anyhow::Result<Option<Arc<dyn Store>>> {
    if std::env::var(STATE_TABLE).is_err() {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    let store = alfred_aws::store_from_env(&sdk, Arc::new(SystemClock))?;
    Ok(Some(Arc::new(store)))
}

/// `None` if the environment names no deployment.
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
