//! Commands on a deployment on AWS, configured by the same variables as its functions.

use alfred_accounts::oauth::{Connections, Several};
use alfred_audit::whole::Scope;
use alfred_aws::QueueUrls;
use alfred_core::config::{STATE_TABLE, variable};
use alfred_core::ports::{Account, Clock, Connect, Ids, Store, SystemClock, SystemIds};
use alfred_core::{Config, Progress};
use alfred_operations::aws::AwsErasure;
use alfred_operations::forget::Forget;
use alfred_operations::sqs::SqsDeadLetters;
use jiff::SignedDuration;
use std::sync::Arc;

use super::waiting;
use crate::api::{Audit, Dlq, Report};
use crate::cli::Cli;
use crate::exit::Usage;
use crate::server::audit::report;
use crate::server::dlq::carry_out;
use crate::terminal::made;

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
pub async fn forget(cli: &Cli, user: &str) -> anyhow::Result<Option<String>> {
    if variable(STATE_TABLE).is_none() {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let outside = alfred_aws::outside_from_env().await?;
    let google = alfred_google::Endpoints::from_settings(variable);
    let google = Connections::from_settings(google, variable, &outside, &clock);
    let google = google.map(|google| google as Arc<dyn Connect>);
    let forget = Forget {
        store: &outside.store,
        clock: &clock,
        ids: &(Arc::new(SystemIds) as Arc<dyn Ids>),
        config: &Config::read(variable).map_err(Usage::error)?,
        connect: &Several::new(google.into_iter().collect()),
        erasure: &AwsErasure::from_env(&sdk)?,
    };
    let account = Account::of(&cli.team.as_str().into(), &user.into());
    let forgotten = forget.forget(&account).await?;
    Ok(Some(made(cli.json, &forgotten, || forgotten.to_string())?))
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

/// `None` if the environment names no deployment.
pub async fn dlq(asked: &Dlq) -> anyhow::Result<Option<String>> {
    let urls = QueueUrls::from_env();
    if urls == QueueUrls::default() {
        return Ok(None);
    }
    let queues = SqsDeadLetters::new(&alfred_aws::from_env().await?, urls);
    Ok(Some(carry_out(&queues, asked).await?))
}
