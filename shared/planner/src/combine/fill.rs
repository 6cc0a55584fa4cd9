//! Filling one work block (annex 2, `schedule_fillWorkBlock`).

use alfred_core::id::TaskId;
use serde::{Serialize, Serializer};
use std::cmp::Reverse;
use std::fmt;

use crate::backlog::{self, ScoredTask};
use crate::clock_time::ClockTime;
use crate::input::InputError;
use crate::words;

/// Tasks a block can be filled with at once; 5 unless asked for more.
pub const MAX_FILL: std::ops::RangeInclusive<u32> = 1..=20;

words! {
    /// In which order tasks are tried for a block.
    FillStrategy {
        /// Best score first.
        Priority = "priority",
        /// Shortest first.
        QuickWins = "quick_wins",
        /// Longest first before noon, shortest first after.
        EnergyMatch = "energy_match",
    }
}

/// What a block is filled with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The tasks, in the order they were chosen.
    pub assigned: Vec<ScoredTask>,
    /// Minutes the block still has.
    pub remaining_minutes: u32,
    /// Minutes of the block with a task in percent, rounded.
    pub utilization: u32,
    /// The tasks that were tried and not taken.
    pub skipped: Vec<Skipped>,
}

/// A task that wasn't taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// Which.
    pub task_id: TaskId,
    /// Why.
    pub reason: NotFilled,
}

/// Why a task wasn't taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFilled {
    /// It takes longer than what was left.
    TooLong {
        /// Minutes it takes.
        needs: u32,
        /// Minutes that were left.
        left: u32,
    },
    /// The block has as many tasks as were asked for.
    Enough,
}

impl fmt::Display for NotFilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { needs, left } => {
                write!(f, "It takes {needs} minutes, and {left} were left.")
            }
            Self::Enough => {
                f.write_str("The block already has the most tasks that were asked for.")
            }
        }
    }
}

impl Serialize for NotFilled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Fills a block that starts at `start`, lasts `length` minutes and has `used` of them taken.
///
/// # Errors
/// Names `maxTasks` when it isn't 1 to 20.
pub fn fill(
    tasks: &[ScoredTask],
    (start, length, used): (ClockTime, u32, u32),
    strategy: FillStrategy,
    max_tasks: u32,
) -> Result<Fill, InputError> {
    if !MAX_FILL.contains(&max_tasks) {
        let problem = "is out of range: it runs from 1 to 20.";
        return Err(InputError::new("maxTasks", &max_tasks.to_string(), problem));
    }
    let mut left = length.saturating_sub(used);
    let (mut assigned, mut skipped) = (Vec::new(), Vec::new());
    for task in ordered(tasks, strategy, start) {
        let needs = task.minutes();
        let reason = if assigned.len() >= max_tasks as usize {
            NotFilled::Enough
        } else if needs > left {
            NotFilled::TooLong { needs, left }
        } else {
            left -= needs;
            assigned.push(task);
            continue;
        };
        skipped.push(Skipped {
            task_id: task.task.id,
            reason,
        });
    }
    let taken = length.saturating_sub(left);
    Ok(Fill {
        assigned,
        remaining_minutes: left,
        utilization: (taken * 100 + length / 2).checked_div(length).unwrap_or(0),
        skipped,
    })
}

fn ordered(tasks: &[ScoredTask], strategy: FillStrategy, start: ClockTime) -> Vec<ScoredTask> {
    let mut tasks = tasks.to_vec();
    backlog::sort(&mut tasks);
    let long_first = start.minutes() < 720;
    match strategy {
        FillStrategy::Priority => {}
        FillStrategy::EnergyMatch if long_first => {
            tasks.sort_by_key(|task| Reverse(task.minutes()));
        }
        FillStrategy::QuickWins | FillStrategy::EnergyMatch => {
            tasks.sort_by_key(ScoredTask::minutes);
        }
    }
    tasks
}
