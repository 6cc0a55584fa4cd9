use alfred_core::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::budget::Budget;
use crate::model::join::Join;

/// The teams of a request. Empty while the plan is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub tasks: Vec<PlannedTask>,
    pub budget: Budget,
    pub look_at: Option<Timestamp>,
    pub out_of_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    Waiting,
    Working,
    Done,
    Failed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    pub team: String,
    pub task: String,
    pub instructions: String,
    /// Indexes of the earlier parts whose output it needs.
    pub after: Vec<usize>,
    /// Team runs of earlier requests whose output it uses.
    pub earlier: Vec<RunId>,
    pub rounds: Option<u32>,
    pub run: Option<RunId>,
}

impl PlannedTask {
    pub fn state(&self, join: &Join) -> PartState {
        match self.run.as_ref().map(|run| join.success(run)) {
            None => PartState::Waiting,
            Some(None) => PartState::Working,
            Some(Some(true)) => PartState::Done,
            Some(Some(false)) => PartState::Failed,
        }
    }
}

impl Plan {
    /// The parts that may start, since all parts they need have succeeded.
    pub fn startable(&self, join: &Join) -> Vec<usize> {
        let made = |at: &usize| self.tasks[*at].state(join) == PartState::Done;
        let may_start = |at: &usize| {
            let task = &self.tasks[*at];
            !self.out_of_time && task.run.is_none() && task.after.iter().all(made)
        };
        (0..self.tasks.len()).filter(may_start).collect()
    }

    /// The parts that can never start, since they need a failed or lost part or the time is over.
    pub fn lost(&self, join: &Join) -> Vec<usize> {
        let mut lost = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let fails = |needed: &usize| {
                lost.contains(needed) || self.tasks[*needed].state(join) == PartState::Failed
            };
            if task.run.is_none() && (self.out_of_time || task.after.iter().any(fails)) {
                lost.push(at);
            }
        }
        lost
    }

    pub fn complete(&self, join: &Join) -> bool {
        let lost = self.lost(join);
        let over = |state| matches!(state, PartState::Done | PartState::Failed);
        let mut tasks = self.tasks.iter().enumerate();
        tasks.all(|(at, task)| lost.contains(&at) || over(task.state(join)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::ports::Usage;

    /// A plan with these dependencies, whose first parts succeeded, failed, or still work.
    fn plan(after: &[&[usize]], started: &[Option<bool>]) -> (Plan, Join) {
        let task = |after: &&[usize]| PlannedTask {
            after: after.to_vec(),
            ..PlannedTask::default()
        };
        let mut plan = Plan {
            tasks: after.iter().map(task).collect(),
            ..Plan::default()
        };
        let mut join = Join::default();
        for (at, success) in started.iter().enumerate() {
            let run = RunId(at.to_string());
            join.expect(run.clone(), Budget::default());
            if let Some(success) = success {
                join.report(&run, *success, &Usage::default());
            }
            plan.tasks[at].run = Some(run);
        }
        (plan, join)
    }

    #[test]
    fn parts_start_when_what_they_need_is_done_and_are_lost_when_it_failed() {
        const WORKS: Option<bool> = None;
        const MADE: Option<bool> = Some(true);
        const FAILED: Option<bool> = Some(false);
        let third: [&[usize]; 3] = [&[], &[], &[0, 1]];
        let fourth: [&[usize]; 4] = [&[], &[], &[0], &[1, 2]];
        for (after, started, startable, lost, complete) in [
            (&third[..], &[][..], &[0, 1][..], &[][..], false),
            (&third, &[MADE, WORKS], &[], &[], false),
            (&third, &[MADE, MADE], &[2], &[], false),
            (&third, &[MADE, FAILED], &[], &[2], true),
            (&fourth, &[FAILED, MADE], &[], &[2, 3], true),
            (&fourth, &[FAILED, WORKS], &[], &[2, 3], false),
        ] {
            let (plan, join) = plan(after, started);
            assert_eq!(plan.startable(&join), startable, "{started:?}");
            assert_eq!(plan.lost(&join), lost, "{started:?}");
            assert_eq!(plan.complete(&join), complete, "{started:?}");
        }
        for (started, complete) in [([MADE, MADE], true), ([MADE, WORKS], false)] {
            let (mut plan, join) = plan(&fourth, &started);
            plan.out_of_time = true;
            assert_eq!(plan.startable(&join), [0_usize; 0]);
            assert_eq!(plan.complete(&join), complete);
        }
    }
}
