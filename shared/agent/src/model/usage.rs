//! A person's daily usage: model turns, tokens, cost and effects that reached others.

use alfred_core::UserContext;
use alfred_core::config::DailyBudget;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::model::version::ROW_VERSION;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRow {
    pub v: u8,
    pub day: Option<Date>,
    pub model_calls: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// Millionths of a US dollar, of calls with known prices.
    pub cost_micros: u64,
    pub outward_effects: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSnapshot {
    pub spend: UsageRow,
    pub version: u64,
}

impl UsageSnapshot {
    /// Zero if the row is of another day.
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

    pub fn exhausts(&self, budget: &DailyBudget) -> bool {
        self.model_calls >= budget.model_calls
            || self.tokens >= budget.tokens
            || self.cost_micros >= budget.cost_micros
    }
}

fn day_of(user: &UserContext, now: Timestamp) -> Date {
    let zone = TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC);
    now.to_zoned(zone).date()
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
