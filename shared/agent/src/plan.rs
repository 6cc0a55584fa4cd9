//! Which teams work for a request, in which order, and how they report back.

use alfred_core::ports::Key;
use alfred_core::{RunId, TeamId, keys};
use serde::{Deserialize, Serialize};

/// The teams of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Their parts.
    pub tasks: Vec<PlannedTask>,
}

/// How a part of a plan has ended so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It hasn't.
    Open,
    /// With something that others can go on with.
    Made,
    /// With nothing but a reason.
    Failed,
}

/// One team's part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    /// The team.
    pub team: String,
    /// What it is asked to do.
    pub task: String,
    /// Guidance for it.
    #[serde(default)]
    pub instructions: String,
    /// Parts (by index) whose output it needs; none: it starts at once.
    #[serde(default)]
    pub after: Vec<usize>,
    /// Its run, once it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

impl Plan {
    /// The parts that may start now, given how those that finished ended: all those they need have made something.
    #[must_use]
    pub fn startable(&self, ended: &[Ended]) -> Vec<usize> {
        let made = |at: &usize| ended.get(*at) == Some(&Ended::Made);
        (0..self.tasks.len())
            .filter(|at| {
                let task = &self.tasks[*at];
                task.run.is_none() && task.after.iter().all(made)
            })
            .collect()
    }

    /// The parts that never start, since one they need has failed or won't start itself; each with that one.
    #[must_use]
    pub fn lost(&self, ended: &[Ended]) -> Vec<(usize, usize)> {
        let mut lost: Vec<(usize, usize)> = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let is_lost = |needed: &&usize| lost.iter().any(|(at, _)| at == *needed);
            let fails = |needed: &&usize| ended.get(**needed) == Some(&Ended::Failed);
            let needed = task.after.iter().find(|at| fails(at) || is_lost(at));
            lost.extend(needed.filter(|_| task.run.is_none()).map(|of| (at, *of)));
        }
        lost
    }

    /// Whether every part has finished, or never starts.
    #[must_use]
    pub fn complete(&self, ended: &[Ended]) -> bool {
        let lost = self.lost(ended);
        let is_lost = |at: usize| lost.iter().any(|(of, _)| *of == at);
        let over = |at: usize| ended.get(at).is_some_and(|ended| *ended != Ended::Open);
        (0..self.tasks.len()).all(|at| over(at) || is_lost(at))
    }

    /// Drops what can't be: references to itself, to later or missing parts. Teams then start in order.
    pub fn straighten(&mut self) {
        for (at, task) in self.tasks.iter_mut().enumerate() {
            task.after.retain(|needed| *needed < at);
            task.after.sort_unstable();
            task.after.dedup();
        }
    }
}

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
}

impl Join {
    /// Adds runs that were started.
    pub fn expect<'a>(&mut self, runs: impl Iterator<Item = &'a RunId>) {
        for run in runs {
            if !self.expected.contains(run) {
                self.expected.push(run.clone());
            }
        }
    }

    /// Notes that a run finished; `true` when it was the last of those started.
    pub fn report(&mut self, run: &RunId) -> bool {
        if !self.finished.contains(run) {
            self.finished.push(run.clone());
        }
        self.expected.iter().all(|id| self.finished.contains(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(after: &[usize], run: Option<&str>) -> PlannedTask {
        PlannedTask {
            team: "t".into(),
            task: "x".into(),
            instructions: String::new(),
            after: after.to_vec(),
            run: run.map(RunId::from),
        }
    }

    #[test]
    fn parts_start_when_what_they_need_is_done() {
        let mut plan = Plan {
            tasks: vec![task(&[], None), task(&[], None), task(&[0, 1], None)],
        };
        use Ended::{Failed, Made, Open};
        assert_eq!(plan.startable(&[Open, Open, Open]), [0, 1]);
        plan.tasks[0].run = Some("a".into());
        plan.tasks[1].run = Some("b".into());
        assert_eq!(plan.startable(&[Made, Open, Open]), [0_usize; 0]);
        assert_eq!(plan.startable(&[Made, Made, Open]), [2]);
        assert!(!plan.complete(&[Made, Made, Open]));
        assert_eq!(plan.startable(&[Made, Failed, Open]), [0_usize; 0]);
    }

    #[test]
    fn what_needs_a_part_that_failed_is_lost_and_ends_the_plan() {
        use Ended::{Failed, Made, Open};
        let plan = Plan {
            tasks: vec![
                task(&[], Some("a")),
                task(&[], Some("b")),
                task(&[0], None),
                task(&[1, 2], None),
            ],
        };
        let ended = [Failed, Made, Open, Open];
        assert_eq!(plan.lost(&ended), [(2, 0), (3, 2)]);
        assert!(plan.complete(&ended));
        let later = [Failed, Open, Open, Open];
        assert!(!plan.complete(&later), "one still works");
    }

    #[test]
    fn circular_plans_are_straightened() {
        let mut plan = Plan {
            tasks: vec![task(&[1, 0, 7], None), task(&[0, 0], None)],
        };
        plan.straighten();
        assert_eq!(plan.tasks[0].after, [0_usize; 0]);
        assert_eq!(plan.tasks[1].after, [0]);
    }

    #[test]
    fn a_repeated_report_counts_once() {
        let mut join = Join::default();
        join.expect([RunId::from("a"), RunId::from("b")].iter());
        assert!(!join.report(&"a".into()));
        assert!(!join.report(&"a".into()));
        assert!(join.report(&"b".into()));
    }
}
