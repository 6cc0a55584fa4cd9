//! Filling one work block (annex 2, `schedule_fillWorkBlock`).

use std::cmp::Reverse;

use crate::backlog::ScoredTask;
use crate::clock_time::ClockTime;
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
}

/// Fills a block that starts at `start`, lasts `length` minutes and has `used` of them taken,
/// with at most `max_tasks`.
pub fn fill(
    tasks: &[ScoredTask],
    (start, length, used): (ClockTime, u32, u32),
    strategy: FillStrategy,
    max_tasks: u32,
) -> Fill {
    let mut left = length.saturating_sub(used);
    let mut assigned = Vec::new();
    for task in ordered(tasks, strategy, start) {
        if assigned.len() < max_tasks as usize && task.minutes() <= left {
            left -= task.minutes();
            assigned.push(task);
        }
    }
    let taken = length.saturating_sub(left);
    Fill {
        assigned,
        remaining_minutes: left,
        utilization: (taken * 100 + length / 2).checked_div(length).unwrap_or(0),
    }
}

fn ordered(tasks: &[ScoredTask], strategy: FillStrategy, start: ClockTime) -> Vec<ScoredTask> {
    let mut tasks = tasks.to_vec();
    tasks.sort_by(ScoredTask::order);
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
