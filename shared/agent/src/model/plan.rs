use alfred_core::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::budget::Budget;

/// The teams of a request. Empty while the plan is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub tasks: Vec<PlannedTask>,
    /// Of all runs of the request together.
    pub budget: Option<Budget>,
    pub look_at: Option<Timestamp>,
    pub out_of_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadEdge {
    #[error("there is no part {0}")]
    Missing(usize),
    #[error("a part can't need itself")]
    Itself,
    /// Directly or indirectly.
    #[error("it and part {0} need each other")]
    Circle(usize),
    #[error("part {0} stands later in the list; put what is needed first")]
    Later(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Open,
    Made,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    pub team: String,
    pub task: String,
    pub instructions: String,
    pub after: Vec<usize>,
    pub earlier: Vec<RunId>,
    pub rounds: Option<u32>,
    pub run: Option<RunId>,
}

impl Plan {
    /// The parts that may start, since all parts they need have succeeded.
    pub fn startable(&self, ended: &[Ended]) -> Vec<usize> {
        if self.out_of_time {
            return Vec::new();
        }
        let made = |at: &usize| ended.get(*at) == Some(&Ended::Made);
        let may_start = |at: &usize| {
            let task = &self.tasks[*at];
            task.run.is_none() && task.after.iter().all(made)
        };
        (0..self.tasks.len()).filter(may_start).collect()
    }

    /// The parts that can never start, each with the lost part that it needs.
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

    /// Whether every part has finished or can never start.
    pub fn complete(&self, ended: &[Ended]) -> bool {
        let lost = self.lost(ended);
        let is_lost = |at: usize| {
            let never = self.out_of_time && self.tasks[at].run.is_none();
            never || lost.iter().any(|(of, _)| *of == at)
        };
        let over = |at: usize| ended.get(at).is_some_and(|ended| *ended != Ended::Open);
        (0..self.tasks.len()).all(|at| over(at) || is_lost(at))
    }

    /// Invalid dependencies with their part. Parts may depend only on earlier ones.
    pub fn bad_edges(&self) -> Vec<(usize, BadEdge)> {
        let edges = |at: usize| self.tasks[at].after.iter().map(move |needed| (at, *needed));
        let all = (0..self.tasks.len()).flat_map(edges);
        let bad = all.filter_map(|(at, needed)| {
            let bad = match needed {
                _ if needed >= self.tasks.len() => BadEdge::Missing(needed),
                _ if needed == at => BadEdge::Itself,
                _ if needed < at => return None,
                _ if self.reaches(needed, at) => BadEdge::Circle(needed),
                _ => BadEdge::Later(needed),
            };
            Some((at, bad))
        });
        bad.collect()
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut open) = (vec![from], vec![from]);
        while let Some(task) = open.pop().and_then(|at| self.tasks.get(at)) {
            if task.after.contains(&to) {
                return true;
            }
            let new = task.after.iter().filter(|at| **at < self.tasks.len());
            let new: Vec<usize> = new.copied().filter(|at| !seen.contains(at)).collect();
            seen.extend(&new);
            open.extend(new);
        }
        false
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
            earlier: Vec::new(),
            rounds: None,
            run: run.map(RunId::from),
        }
    }

    #[test]
    fn parts_start_when_what_they_need_is_done() {
        let mut plan = Plan {
            tasks: vec![task(&[], None), task(&[], None), task(&[0, 1], None)],
            ..Plan::default()
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
        let mut plan = Plan {
            tasks: vec![
                task(&[], Some("a")),
                task(&[], Some("b")),
                task(&[0], None),
                task(&[1, 2], None),
            ],
            ..Plan::default()
        };
        let ended = [Failed, Made, Open, Open];
        assert_eq!(plan.lost(&ended), [(2, 0), (3, 2)]);
        assert!(plan.complete(&ended));
        let later = [Failed, Open, Open, Open];
        assert!(!plan.complete(&later), "one still works");
        plan.out_of_time = true;
        assert_eq!(plan.startable(&[Made, Made, Open, Open]), [0_usize; 0]);
        assert!(plan.complete(&[Made, Made, Open, Open]));
        assert!(!plan.complete(&[Made, Open, Open, Open]));
    }

    #[test]
    fn what_a_part_cannot_need_is_said() {
        use BadEdge::{Circle, Itself, Later, Missing};
        for (edges, bad) in [
            (&[&[][..], &[0], &[0, 1]][..], vec![]),
            (&[&[0, 7], &[0]], vec![(0, Itself), (0, Missing(7))]),
            (&[&[1], &[]], vec![(0, Later(1))]),
            (&[&[2], &[0], &[1]], vec![(0, Circle(2))]),
            (&[&[], &[2], &[2, 1]], vec![(1, Circle(2)), (2, Itself)]),
        ] {
            let tasks = edges.iter().map(|after| task(after, None)).collect();
            let plan = Plan {
                tasks,
                ..Plan::default()
            };
            assert_eq!(plan.bad_edges(), bad, "{edges:?}");
        }
    }
}
