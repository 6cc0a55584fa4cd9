//! The row beside a run in which its teams report back: who finished, what each may use, what all used.

use alfred_core::ports::{Key, Posted, Usage};
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;

/// Range key of the row in which a run's teams report back.
pub(crate) const JOIN_RANGE: &str = "join";

/// The row in which a run's teams report back.
pub(crate) fn join_key(team: &TeamId, run: &RunId) -> Key {
    let mut key = keys::run(team, run);
    key.range = JOIN_RANGE.into();
    key
}

/// The row in which the teams of a request report back: sets, so that a repeat counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// Schema version.
    pub v: u8,
    /// The runs that were started.
    pub expected: Vec<RunId>,
    /// Those that finished.
    pub finished: Vec<RunId>,
    /// Of those the ones that made nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<RunId>,
    /// What is set aside for each of those that were started, until it reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<Reserved>,
    /// What those used of models that reported.
    pub used: Usage,
    /// The message that shows how far they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Posted>,
}

/// A run's part of the budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The run.
    pub run: RunId,
    /// Its part.
    pub part: Budget,
}

impl Join {
    /// Adds a run that was started, with what it may use.
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

    /// Notes that a run finished, and gives back what it didn't use; `true` when it was the last of those started.
    pub fn report(&mut self, run: &RunId, success: bool, used: &Usage) -> bool {
        if !self.finished.contains(run) {
            self.finished.push(run.clone());
            self.reserved.retain(|reserved| reserved.run != *run);
            self.used = self.used.plus(used);
            if !success {
                self.failed.push(run.clone());
            }
        }
        self.expected.iter().all(|id| self.finished.contains(id))
    }

    /// What is left of a budget behind what was used by these runs and is set aside for them.
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
        assert!(!join.report(&"a".into(), true, &used));
        assert_eq!(join.left_of(all), left(860, 355));
        assert!(!join.report(&"a".into(), true, &used));
        assert_eq!(join.left_of(all), left(860, 355));
        assert!(join.report(&"b".into(), false, &used));
        assert_eq!(
            (join.left_of(all), join.failed),
            (left(920, 390), vec!["b".into()])
        );
    }
}
