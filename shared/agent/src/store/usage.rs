//! A person's daily usage. It is read with the person and written with the run's end, so counting
//! costs no extra request.

use alfred_core::config::DailyBudget;
use alfred_core::ports::{Item, Key, Store, Write};
use alfred_core::{Config, Failure, Result, keys};
use jiff::Timestamp;

use crate::model::{Run, UsageRow, UsageSnapshot};
use crate::store::row::{body, read, stored};

/// Scheduled runs don't use up the person's budget for requests.
fn key(run: &Run) -> Key {
    match run.job {
        None => keys::spend(&run.team, &run.user),
        Some(_) => keys::scheduled_spend(&run.team, &run.user),
    }
}

pub fn budget<'a>(config: &'a Config, run: &Run) -> &'a DailyBudget {
    match run.job {
        None => &config.daily_budget,
        Some(_) => &config.scheduled_budget,
    }
}

pub async fn load(store: &dyn Store, run: &Run) -> Result<UsageSnapshot> {
    match stored(store, &key(run)).await? {
        Some(item) => parse(item),
        None => Ok(UsageSnapshot::default()),
    }
}

/// A corrupt row counts as zero, which costs at most one more daily budget.
pub fn parse(item: Item) -> Result<UsageSnapshot> {
    let spend = match read(item.body) {
        Ok(spend) => spend,
        Err(Failure::Bug { detail }) => {
            tracing::error!(store.key = ?item.key, error = detail, "what a person used today can't be read; counting from nothing");
            UsageRow::default()
        }
        Err(other) => return Err(other),
    };
    let version = item.version;
    Ok(UsageSnapshot { version, spend })
}

pub fn write(run: &Run, seen: &UsageSnapshot, spend: &UsageRow) -> Result<Write> {
    Ok(Write::over(key(run), seen.version, body(spend)?))
}

/// Adds a run's usage to the row as `seen`.
pub fn spend(run: &Run, seen: &UsageSnapshot, now: Timestamp) -> Result<Write> {
    let mut used = seen.today(run.input.user(), now);
    used.model_calls += u64::from(run.progress.iterations);
    used.tokens += run.progress.usage.input_tokens + run.progress.usage.output_tokens;
    used.cost_micros += run.progress.usage.cost_micros.unwrap_or(0);
    write(run, seen, &used)
}
