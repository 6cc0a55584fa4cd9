//! Filling one work block.

use std::cmp::Reverse;

use crate::backlog::ScoredTask;
use crate::clock_time::ClockTime;
use crate::day_use::percent;
use crate::words;

/// Tasks a block can be filled with at once.
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

/// A block to fill.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub start: ClockTime,
    pub minutes: u32,
    /// How many of them have a task.
    pub used: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The tasks, in the order they were chosen.
    pub assigned: Vec<ScoredTask>,
    pub remaining_minutes: u32,
    /// Minutes of the block with a task in percent, rounded.
    pub utilization: u32,
}

/// Fills a block with at most `max_tasks`, each of which fits into what the ones before left.
pub fn fill(tasks: &[ScoredTask], room: Room, strategy: FillStrategy, max_tasks: u32) -> Fill {
    let mut tasks = tasks.to_vec();
    tasks.sort_by(ScoredTask::order);
    match strategy {
        FillStrategy::Priority => {}
        FillStrategy::EnergyMatch if room.start < ClockTime::NOON => {
            tasks.sort_by_key(|task| Reverse(task.minutes()));
        }
        FillStrategy::QuickWins | FillStrategy::EnergyMatch => {
            tasks.sort_by_key(ScoredTask::minutes);
        }
    }
    let mut left = room.minutes.saturating_sub(room.used);
    let mut assigned = Vec::new();
    for task in tasks {
        if assigned.len() < max_tasks as usize && task.minutes() <= left {
            left -= task.minutes();
            assigned.push(task);
        }
    }
    Fill {
        assigned,
        remaining_minutes: left,
        utilization: percent(room.minutes.saturating_sub(left), room.minutes).unwrap_or(0),
    }
}
