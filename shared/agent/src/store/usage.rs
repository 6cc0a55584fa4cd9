//! A person's daily usage: model turns, tokens, cost and effects that reached others. It is read
//! with the person and written with the run's end, so counting costs no extra request.

use alfred_core::config::DailyBudget;
use alfred_core::ports::{Item, Key, Store, Write};
use alfred_core::{Config, Failure, UserContext, keys};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::model::run::Run;
use crate::store::row::{ROW_VERSION, body, read, stored};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRow {
    pub v: u8,
    /// The day in the person's time zone.
    pub day: Option<Date>,
    pub model_calls: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// Millionths of a US dollar; only calls with known prices.
    pub cost_micros: u64,
    pub outward_effects: u64,
}

/// The usage row as read, with its version; 0 if there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSnapshot {
    pub spend: UsageRow,
    pub version: u64,
}

impl UsageSnapshot {
    /// The usage of today; zero if the row is of another day.
    pub fn today(&self, user: &UserContext, now: Timestamp) -> UsageRow {
        self.spend.on(day_of(user, now))
    }
}

impl UsageRow {
    /// The usage of this day; zero if the row is of another day.
    fn on(self, day: Date) -> Self {
        if self.day == Some(day) {
            return self;
        }
        Self {
            v: ROW_VERSION,
            day: Some(day),
            ..Self::default()
        }
    }

    /// Whether no further request may start.
    pub fn exhausts(&self, budget: &DailyBudget) -> bool {
        self.model_calls >= budget.model_calls
            || self.tokens >= budget.tokens
            || self.cost_micros >= budget.cost_micros
    }
}

/// The current day in a person's time zone.
fn day_of(user: &UserContext, now: Timestamp) -> Date {
    let zone = TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC);
    now.to_zoned(zone).date()
}

/// The key of the usage row. Scheduled runs have their own, so that they don't use up the person's
/// budget for requests.
fn key(run: &Run) -> Key {
    match run.job {
        None => keys::spend(&run.team, &run.user),
        Some(_) => keys::scheduled_spend(&run.team, &run.user),
    }
}

/// The daily budget of runs of this kind.
pub fn budget<'a>(config: &'a Config, run: &Run) -> &'a DailyBudget {
    match run.job {
        None => &config.daily_budget,
        Some(_) => &config.scheduled_budget,
    }
}

/// Loads the usage row of a run. Fails if the store fails or a newer release wrote the row.
pub async fn load(store: &dyn Store, run: &Run) -> Result<UsageSnapshot, Failure> {
    match stored(store, &key(run)).await? {
        Some(item) => parse(item),
        None => Ok(UsageSnapshot::default()),
    }
}

/// Parses a usage row. A corrupt row counts as zero, which costs at most one more daily budget, while
/// refusing would block the person. Fails if a newer release wrote it.
pub fn parse(item: Item) -> Result<UsageSnapshot, Failure> {
    let spend = match read(item.body) {
        Ok(spend) => spend,
        Err(Failure::Bug { detail }) => {
            tracing::error!(store.key = ?item.key, error = detail, "what a person used today can't be read; counting from nothing");
            UsageRow::default()
        }
        Err(other) => return Err(other),
    };
    Ok(UsageSnapshot {
        version: item.version,
        spend,
    })
}

/// The write that replaces the version seen.
pub fn write(run: &Run, seen: &UsageSnapshot, spend: &UsageRow) -> Result<Write, Failure> {
    Ok(Write::over(key(run), seen.version, body(spend)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_day_starts_from_nothing() {
        let monday: Date = "2026-11-23".parse().unwrap();
        let used = UsageRow {
            day: Some(monday),
            tokens: 7,
            ..UsageRow::default()
        };
        assert_eq!(used.on(monday).tokens, 7);
        assert_eq!(used.on(monday.tomorrow().unwrap()).tokens, 0);
    }
}
