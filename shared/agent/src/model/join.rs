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

/// The row in which the teams of a request report. A repeated report counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    pub v: u8,
    pub children: Vec<Child>,
    pub used: Usage,
    pub shown: Option<Posted>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub run: RunId,
    /// Its budget, reserved until it reports.
    pub part: Budget,
    pub success: Option<bool>,
}

impl Join {
    pub fn expect(&mut self, run: RunId, part: Budget) {
        let success = None;
        self.children.push(Child { run, part, success });
    }

    pub fn report(&mut self, run: &RunId, success: bool, used: &Usage) {
        let mut open = self.children.iter_mut().filter(|it| it.success.is_none());
        if let Some(child) = open.find(|child| child.run == *run) {
            child.success = Some(success);
            self.used = self.used.plus(used);
        }
    }

    /// The success of a child run; `None` if it hasn't reported.
    pub fn success(&self, run: &RunId) -> Option<bool> {
        let child = self.children.iter().find(|child| child.run == *run);
        child.and_then(|child| child.success)
    }

    pub fn is_complete(&self) -> bool {
        self.children.iter().all(|child| child.success.is_some())
    }

    /// The budget left after the child runs' usage and reserved budgets.
    pub fn left_of(&self, budget: Budget) -> Budget {
        let open = self.children.iter().filter(|it| it.success.is_none());
        let parts = open.map(|child| child.part);
        parts.fold(budget.behind(&self.used), Budget::without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_report_counts_once() {
        let budget = |tokens, cost| Budget {
            tokens,
            cost_micros: Some(cost),
        };
        let all = budget(1_000, 400);
        let used = Usage {
            input_tokens: 40,
            cost_micros: Some(5),
            ..Usage::default()
        };
        let mut join = Join::default();
        join.expect("a".into(), budget(100, 40));
        join.expect("b".into(), budget(100, 40));
        assert_eq!(join.left_of(all), budget(800, 320));
        for _ in 0..2 {
            join.report(&"a".into(), true, &used);
            assert!(!join.is_complete());
            assert_eq!(join.left_of(all), budget(860, 355));
        }
        join.report(&"b".into(), false, &used);
        assert!(join.is_complete());
        assert_eq!(join.left_of(all), budget(920, 390));
        assert_eq!(join.success(&"b".into()), Some(false));
    }
}
