//! Read access to a deployment on AWS, configured by the same variables as its functions.

use alfred_audit::whole::Scope;
use alfred_core::config::STATE_TABLE;
use alfred_core::ports::{Clock, Store, SystemClock};
use alfred_core::{Config, Progress};
use jiff::SignedDuration;
use std::sync::Arc;

use super::waiting;
use crate::api::{Audit, Report};
use crate::cli::Cli;
use crate::server::audit::report;

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
pub async fn audit(cli: &Cli, asked: &Audit) -> anyhow::Result<Option<Report>> {
    let Some(store) = store().await? else {
        return Ok(None);
    };
    let scope = Scope {
        store: &*store,
        vault: &alfred_aws::vault_from_env().await?,
        team: &cli.team.as_str().into(),
        now: SystemClock.now(),
        keep: SignedDuration::from_hours(24 * Config::default().audit_days),
    };
    let checking = Progress::default();
    let report = report(&scope, asked, &checking, |id| Ok(id.into()));
    let report = waiting::shown(report, async || checking.words()).await?;
    Ok(Some(report))
}
