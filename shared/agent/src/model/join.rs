//! The join row of a run: which of its teams finished, their budgets and total usage.

use alfred_core::ports::{Key, Posted, Usage};
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};

use crate::model::budget::Budget;

pub(crate) const JOIN_RANGE: &str = "join";

/// The key of a run's join row.
pub fn join_key(team: &TeamId, run: &RunId) -> Key {
    let mut key = keys::run(team, run);
    key.range = JOIN_RANGE.into();
    key
}

/// The row in which the teams of a request report. It holds sets, so that repeats count once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    pub v: u8,
    pub expected: Vec<RunId>,
    pub finished: Vec<RunId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<RunId>,
    /// Budgets reserved for child runs that haven't reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<Reserved>,
    /// Model usage of the child runs that reported.
    pub used: Usage,
    /// The Slack message that shows the progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Posted>,
}

/// The budget reserved for a child run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    pub run: RunId,
    pub part: Budget,
}

impl Join {
    /// Adds a started child run and reserves its budget.
    pub fn expect(&mut self, run: &RunId, part: Option<Budget>) {
        if self.expected.contains(run) {
            return;
        }
        self.expected.push(run.clone());
        self.reserved.extend(part.map(|part| Reserved {
            run: run.clone(),
            part,
        }));
    }

    /// Marks a child run as finished and releases its reserved budget.
    pub fn report(&mut self, run: &RunId, success: bool, used: &Usage) {
        if !self.finished.contains(run) {
            self.finished.push(run.clone());
            self.reserved.retain(|reserved| reserved.run != *run);
            self.used = self.used.plus(used);
            if !success {
                self.failed.push(run.clone());
            }
        }
    }

    /// Whether all started runs are finished.
    pub fn is_complete(&self) -> bool {
        self.expected.iter().all(|id| self.finished.contains(id))
    }

    /// The budget left after the child runs' usage and reserved budgets.
    pub fn left_of(&self, budget: Budget) -> Budget {
        let left = budget.behind(&self.used);
        let parts = self.reserved.iter().map(|reserved| reserved.part);
        parts.fold(left, Budget::without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_report_counts_once() {
        let part = Budget {
            tokens: 100,
            cost_micros: Some(40),
        };
        let all = Budget {
            tokens: 1_000,
            cost_micros: Some(400),
        };
        let used = Usage {
            input_tokens: 30,
            output_tokens: 10,
            cost_micros: Some(5),
            ..Usage::default()
        };
        let mut join = Join::default();
        join.expect(&"a".into(), Some(part));
        join.expect(&"b".into(), Some(part));
        let left = |tokens, cost| Budget {
            tokens,
            cost_micros: Some(cost),
        };
        assert_eq!(join.left_of(all), left(800, 320));
        for _ in 0..2 {
            join.report(&"a".into(), true, &used);
            assert!(!join.is_complete());
            assert_eq!(join.left_of(all), left(860, 355));
        }
        join.report(&"b".into(), false, &used);
        assert!(join.is_complete());
        assert_eq!(
            (join.left_of(all), join.failed),
            (left(920, 390), vec!["b".into()])
        );
    }
}
