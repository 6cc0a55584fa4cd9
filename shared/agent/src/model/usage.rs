//! A person's daily usage: model turns, tokens, cost and effects that reached others.

use alfred_core::UserContext;
use alfred_core::config::DailyBudget;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::model::step::ROW_VERSION;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRow {
    pub v: u8,
    pub day: Option<Date>,
    pub model_calls: u64,
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
        let zone = TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC);
        let day = Some(now.to_zoned(zone).date());
        if self.spend.day == day {
            return self.spend;
        }
        UsageRow {
            v: ROW_VERSION,
            day,
            ..UsageRow::default()
        }
    }
}

impl UsageRow {
    pub fn exhausts(&self, budget: &DailyBudget) -> bool {
        self.model_calls >= budget.model_calls
            || self.tokens >= budget.tokens
            || self.cost_micros >= budget.cost_micros
    }
}
