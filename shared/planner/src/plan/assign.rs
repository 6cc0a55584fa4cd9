//! Which task goes into which work block: what the person wants first, then what is due, then what matters most.

use jiff::civil::Date;

use super::outcome::{AssignedTask, Urgency};
use crate::backlog::ScoredTask;
use crate::fit::{self, Job, Part, TIERS};
use crate::wish::{Wish, is_meant};

/// A work block that takes tasks.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Where it is in the plan.
    pub block: usize,
    /// Minutes it has for new tasks.
    pub minutes: u32,
    /// The only task it is for.
    pub reserved: Option<usize>,
}

/// A task with its place among the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked<'a> {
    pub task: &'a ScoredTask,
    pub urgency: Urgency,
}

impl Ranked<'_> {
    /// The task as the search takes it.
    pub fn job(&self) -> Job {
        Job {
            minutes: self.task.minutes(),
            tier: tier(self.urgency),
            score: self.task.score.score,
        }
    }

    /// So many minutes of it in a block.
    pub fn assigned(&self, minutes: u32) -> AssignedTask {
        AssignedTask {
            id: self.task.task.id.clone(),
            title: self.task.task.title.clone(),
            minutes,
            of: self.task.minutes(),
            why: self.urgency,
        }
    }
}

/// Tasks of an earlier tier never lose their place to one of a later tier.
pub(super) const fn tier(urgency: Urgency) -> usize {
    match urgency {
        Urgency::First => 0,
        Urgency::Overdue(_) | Urgency::DueToday => 1,
        Urgency::DueTomorrow => 2,
        Urgency::Score(_) => 3,
    }
}

/// Tasks in the order in which they deserve a place.
pub(super) fn rank<'a>(tasks: &[&'a ScoredTask], date: Date, wishes: &[Wish]) -> Vec<Ranked<'a>> {
    let wanted = |task: &ScoredTask| {
        let meant = |wish: &Wish| match wish {
            Wish::First(title) => is_meant(&task.task.title, title),
            _ => false,
        };
        wishes.iter().any(meant)
    };
    let urgency = |task: &ScoredTask| match task.task.due_date {
        _ if wanted(task) => Urgency::First,
        Some(due) if due < date => Urgency::Overdue(due),
        Some(due) if due == date => Urgency::DueToday,
        Some(due) if date.tomorrow().is_ok_and(|tomorrow| due == tomorrow) => Urgency::DueTomorrow,
        _ => Urgency::Score(task.score.score),
    };
    let mut ranked: Vec<Ranked<'a>> = tasks
        .iter()
        .map(|task| Ranked {
            task,
            urgency: urgency(task),
        })
        .collect();
    let due = |ranked: &Ranked<'_>| ranked.task.task.due_date.unwrap_or(Date::MAX);
    ranked.sort_by(|a, b| {
        let by_score = b.task.score.score.cmp(&a.task.score.score);
        tier(a.urgency)
            .cmp(&tier(b.urgency))
            .then(by_score)
            .then(due(a).cmp(&due(b)))
            .then_with(|| a.task.order(b.task))
    });
    ranked
}

/// Where tasks go, by their place in the order of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Assigned {
    /// The tasks that were searched through: all but those with a block of their own.
    pub open: Vec<usize>,
    /// The slots they may be in.
    pub rooms: Vec<usize>,
    /// Their parts; tasks and slots by their positions in all.
    pub parts: Vec<Part>,
}

pub(super) fn assign(tasks: &[Ranked<'_>], slots: &[Slot]) -> Assigned {
    let own = |slot: &Slot| slot.reserved;
    let reserved: Vec<usize> = slots.iter().filter_map(own).collect();
    let open: Vec<usize> = (0..tasks.len())
        .filter(|task| !reserved.contains(task))
        .collect();
    let rooms: Vec<usize> = (0..slots.len())
        .filter(|slot| slots[*slot].reserved.is_none())
        .collect();
    let jobs: Vec<Job> = open.iter().map(|task| tasks[*task].job()).collect();
    let minutes: Vec<u32> = rooms.iter().map(|slot| slots[*slot].minutes).collect();
    let found = fit::fit(&jobs, &minutes).into_iter().map(|part| Part {
        job: open[part.job],
        room: rooms[part.room],
        minutes: part.minutes,
    });
    let own = slots.iter().enumerate().filter_map(|(room, slot)| {
        let job = slot.reserved?;
        let minutes = tasks[job].task.minutes();
        Some(Part { job, room, minutes })
    });
    let mut parts: Vec<Part> = found.chain(own).collect();
    parts.sort_by_key(|part| part.room);
    Assigned { open, rooms, parts }
}

impl Assigned {
    /// Minutes of a task that have a place.
    pub fn placed(&self, task: usize) -> u32 {
        let own = self.parts.iter().filter(|part| part.job == task);
        own.map(|part| part.minutes).sum()
    }

    /// What gets done, by tier: minutes times score.
    pub fn done(&self, tasks: &[Ranked<'_>]) -> [u64; TIERS] {
        let mut done = [0; TIERS];
        for part in &self.parts {
            let Job { tier, score, .. } = tasks[part.job].job();
            done[tier] += u64::from(part.minutes) * u64::from(score);
        }
        done
    }
}
