use alfred_core::ports::{Key, Posted, Usage};
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};

use crate::model::budget::Budget;

pub(crate) const JOIN_RANGE: &str = "join";

pub fn join_key(team: &TeamId, run: &RunId) -> Key {
    let mut key = keys::run(team, run);
    key.range = JOIN_RANGE.into();
    key
}

/// The row in which a request's teams report. It holds sets, so that repeats count once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    pub v: u8,
    pub expected: Vec<RunId>,
    pub finished: Vec<RunId>,
    pub failed: Vec<RunId>,
    /// Budgets reserved for child runs that haven't reported.
    pub reserved: Vec<Reserved>,
    pub used: Usage,
    pub shown: Option<Posted>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    pub run: RunId,
    pub part: Budget,
}

impl Join {
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

    pub fn is_complete(&self) -> bool {
        self.expected.iter().all(|id| self.finished.contains(id))
    }

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
