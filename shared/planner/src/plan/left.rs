//! Which tasks found no place, and why: a reason is a cause that, taken away, gives the task more.

use std::cmp::Ordering;

use super::assign::{Assigned, Ranked, Slot, tier};
use super::outcome::LeftOut;
use super::reason::{Because, LeftOutWhy};
use crate::fit::{self, Job};

/// Steps that all searches for a single rival may take together.
const STEPS: u32 = 8_000;

/// What is left of the tasks, most pressing first.
pub(super) fn left_out(tasks: &[Ranked<'_>], slots: &[Slot], assigned: &Assigned) -> Vec<LeftOut> {
    let rooms: Vec<u32> = assigned
        .rooms
        .iter()
        .map(|slot| slots[*slot].minutes)
        .collect();
    let mut asking = Asking {
        tasks,
        assigned,
        longest: rooms.iter().copied().max().unwrap_or(0),
        rooms,
        steps: STEPS,
    };
    let all = 0..tasks.len();
    let short = all.filter(|task| assigned.placed(*task) < tasks[*task].task.minutes());
    short
        .map(|task| {
            let own = tasks[task].task;
            LeftOut {
                id: own.task.id.clone(),
                title: own.task.title.clone(),
                minutes: own.minutes() - assigned.placed(task),
                of: own.minutes(),
                why: asking.why(task),
            }
        })
        .collect()
}

struct Asking<'a> {
    tasks: &'a [Ranked<'a>],
    assigned: &'a Assigned,
    rooms: Vec<u32>,
    longest: u32,
    steps: u32,
}

impl Asking<'_> {
    fn why(&mut self, task: usize) -> LeftOutWhy {
        let longest = self.longest;
        if longest == 0 {
            return LeftOutWhy::NoWorkBlock;
        }
        let alone = fit::fit(&[self.tasks[task].job()], &self.rooms).into_iter();
        let most: u32 = alone.map(|part| part.minutes).sum();
        match most {
            0 => return LeftOutWhy::TooLong { longest },
            _ if most <= self.assigned.placed(task) => return LeftOutWhy::Most { minutes: most },
            _ => {}
        }
        if self.steps > 0
            && let Some(rival) = self.rival(task)
        {
            return LeftOutWhy::Lost {
                to: self.tasks[rival].task.task.title.clone(),
                because: because(&self.tasks[rival], &self.tasks[task]),
            };
        }
        let room: u32 = self.rooms.iter().sum();
        LeftOutWhy::Full { room }
    }

    /// The task without which this one would get more: one that goes before it, the nearest first, or else one behind it.
    fn rival(&mut self, task: usize) -> Option<usize> {
        let placed = |rival: &usize| *rival != task && self.assigned.placed(*rival) > 0;
        let open = || self.assigned.open.iter().copied().filter(placed);
        let before = open()
            .filter(|rival| *rival < task)
            .collect::<Vec<_>>()
            .into_iter()
            .rev();
        let behind = open().filter(|rival| *rival > task);
        let rivals: Vec<usize> = before.chain(behind).collect();
        rivals
            .into_iter()
            .find(|rival| self.gets_more_without(task, *rival))
    }

    /// Whether a task gets more of its minutes when another isn't there. `false` once that can't be afforded.
    fn gets_more_without(&mut self, task: usize, rival: usize) -> bool {
        if self.steps == 0 {
            return false;
        }
        let others: Vec<usize> = self
            .assigned
            .open
            .iter()
            .copied()
            .filter(|other| *other != rival)
            .collect();
        let jobs: Vec<Job> = others
            .iter()
            .map(|other| self.tasks[*other].job())
            .collect();
        // Many tasks cost as much before the first step.
        let ahead = u32::try_from(jobs.len() / 4).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_sub(ahead);
        let parts = fit::fit_within(&jobs, &self.rooms, &mut self.steps);
        let own = parts.iter().filter(|part| others[part.job] == task);
        self.steps > 0 && own.map(|part| part.minutes).sum::<u32>() > self.assigned.placed(task)
    }
}

fn because(other: &Ranked<'_>, own: &Ranked<'_>) -> Because {
    let (theirs, score) = (other.task.score.score, own.task.score.score);
    let tiers = tier(other.urgency).cmp(&tier(own.urgency));
    match tiers.then(score.cmp(&theirs)) {
        Ordering::Less if tiers.is_lt() => Because::Urgency(other.urgency),
        Ordering::Less => Because::Score { theirs, own: score },
        Ordering::Equal => Because::Turn,
        Ordering::Greater => Because::Fits {
            theirs: other.task.minutes(),
            own: own.task.minutes(),
        },
    }
}
