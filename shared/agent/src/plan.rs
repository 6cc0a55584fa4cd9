//! Which teams work for a request, and in which order.

use alfred_core::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::budget::Budget;

/// The teams of one request; without any while it is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Their parts.
    pub tasks: Vec<PlannedTask>,
    /// What the request may use of models, all its runs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// When it is looked whether its time is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_at: Option<Timestamp>,
    /// Its time is over: nothing of it starts any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

/// Why a part can't need what it says it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadEdge {
    /// There is no such part.
    #[error("there is no part {0}")]
    Missing(usize),
    /// It is the part itself.
    #[error("a part can't need itself")]
    Itself,
    /// That part needs this one, by itself or by way of others.
    #[error("it and part {0} need each other")]
    Circle(usize),
    /// That part stands behind it.
    #[error("part {0} stands later in the list; put what is needed first")]
    Later(usize),
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
    /// Teams' runs of earlier requests whose output it goes on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RunId>,
    /// Rounds of review that the person asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Its run, once it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

impl Plan {
    /// The parts that may start now, given how those that finished ended: all those they need have made something.
    pub fn startable(&self, ended: &[Ended]) -> Vec<usize> {
        if self.out_of_time {
            return Vec::new();
        }
        let made = |at: &usize| ended.get(*at) == Some(&Ended::Made);
        (0..self.tasks.len())
            .filter(|at| {
                let task = &self.tasks[*at];
                task.run.is_none() && task.after.iter().all(made)
            })
            .collect()
    }

    /// The parts that never start, since one they need has failed or won't start itself; each with that one.
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
    pub fn complete(&self, ended: &[Ended]) -> bool {
        let lost = self.lost(ended);
        let is_lost = |at: usize| {
            let never = self.out_of_time && self.tasks[at].run.is_none();
            never || lost.iter().any(|(of, _)| *of == at)
        };
        let over = |at: usize| ended.get(at).is_some_and(|ended| *ended != Ended::Open);
        (0..self.tasks.len()).all(|at| over(at) || is_lost(at))
    }

    /// What can't be in what its parts need, with the part that says so. Parts start in order, so each needs
    /// earlier ones alone.
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

    /// Whether one part needs another, by itself or by way of others.
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
