//! What a person used today, in one row beside theirs: model turns, tokens,
//! dollars, effects that reached others. A run reads it with its person and
//! writes it back with its end, so counting costs no further call.

use alfred_core::config::DailyBudget;
use alfred_core::ports::{Item, Key, Store, Write};
use alfred_core::{Config, Failure, UserContext, keys};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::row::{ROW_VERSION, body, read, stored};
use crate::run::Run;

/// What a person used on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRow {
    /// Schema version.
    pub v: u8,
    /// The day, in the person's zone.
    pub day: Option<Date>,
    /// Model turns.
    pub model_calls: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// Millionths of a US dollar, where prices are known.
    pub cost_micros: u64,
    /// Effects that reached others.
    pub outward_effects: u64,
}

/// The row as somebody read it, with its version; 0 where there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSnapshot {
    /// What it held.
    pub spend: UsageRow,
    /// Its version.
    pub version: u64,
}

impl UsageSnapshot {
    /// What counts of it now: what was used on another day doesn't.
    pub fn today(&self, user: &UserContext, now: Timestamp) -> UsageRow {
        self.spend.on(day_of(user, now))
    }
}

impl UsageRow {
    /// The same on this day: what was used on another one doesn't count.
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

    /// Whether no further request may begin.
    pub fn exhausts(&self, budget: &DailyBudget) -> bool {
        self.model_calls >= budget.model_calls
            || self.tokens >= budget.tokens
            || self.cost_micros >= budget.cost_micros
    }
}

/// The day at a person's place.
fn day_of(user: &UserContext, now: Timestamp) -> Date {
    let zone = TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC);
    now.to_zoned(zone).date()
}

/// The row in which a run counts: what runs by itself takes nothing from what its person has for asking.
fn key(run: &Run) -> Key {
    match run.job {
        None => keys::spend(&run.team, &run.user),
        Some(_) => keys::scheduled_spend(&run.team, &run.user),
    }
}

/// What a run's person may use in a day by runs of its kind.
pub fn budget<'a>(config: &'a Config, run: &Run) -> &'a DailyBudget {
    match run.job {
        None => &config.daily_budget,
        Some(_) => &config.scheduled_budget,
    }
}

/// The row in which a run counts.
///
/// # Errors
/// When the store doesn't answer, or a newer release wrote the row.
pub async fn load(store: &dyn Store, run: &Run) -> Result<UsageSnapshot, Failure> {
    match stored(store, &key(run)).await? {
        Some(item) => parse(item),
        None => Ok(UsageSnapshot::default()),
    }
}

/// The row as an item holds it. One that can't be read counts as nothing used: at most one
/// more day's budget, where a refusal would last.
///
/// # Errors
/// When a newer release wrote it.
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

/// The write that stores it over the version that was seen.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
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
