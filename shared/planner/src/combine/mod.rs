//! Which tasks to do in the time there is.

mod fill;
mod search;
#[cfg(test)]
mod tests;

pub use fill::{Fill, FillStrategy, MAX_FILL, Room, fill};
pub use search::Strategy;

use crate::backlog::ScoredTask;

pub const DURATION: std::ops::RangeInclusive<u32> = 15..=1_440;

/// Tasks that can be done together in the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The tasks, in the order of the backlog.
    pub tasks: Vec<ScoredTask>,
    pub total_minutes: u32,
    pub total_score: u32,
    /// Whether no combination serves the strategy better.
    pub best: bool,
    pub reasoning: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestions {
    /// One for each strategy, different from one another, by total score.
    pub suggestions: Vec<Combination>,
    /// Tasks that take no longer than the duration, all of which were considered.
    pub considered: usize,
    pub total: usize,
}

/// Suggests what to do in `duration` minutes: the best combination by the strategy, and what the other strategies would
/// choose. Of equals, the one with the earlier tasks of the backlog comes first.
pub fn suggest(tasks: &[ScoredTask], duration: u32, strategy: Strategy) -> Suggestions {
    let mut order: Vec<&ScoredTask> = tasks.iter().filter(|t| t.minutes() <= duration).collect();
    order.sort_by(|a, b| a.order(b));
    let others = Strategy::ALL.iter().filter(|other| **other != strategy);
    let mut suggestions: Vec<Combination> = Vec::new();
    for by in std::iter::once(&strategy).chain(others) {
        let tasks: Vec<ScoredTask> = by.best(&order, duration).into_iter().cloned().collect();
        let merit = if tasks.len() == order.len() {
            "everything that fits"
        } else {
            by.merit()
        };
        let count = match tasks.len() {
            0 => continue,
            1 => "One task".to_owned(),
            n => format!("{n} tasks"),
        };
        let total_minutes = tasks.iter().map(ScoredTask::minutes).sum();
        let left = duration - total_minutes;
        if suggestions.iter().all(|other| other.tasks != tasks) {
            suggestions.push(Combination {
                total_minutes,
                total_score: tasks.iter().map(|task| task.score.score).sum(),
                best: *by == strategy,
                reasoning: format!(
                    "{count}, {merit}: {total_minutes} of {duration} minutes, {left} left free."
                ),
                tasks,
            });
        }
    }
    // Stable, so that of equal scores the one that serves the strategy better stays first.
    suggestions.sort_by_key(|combination| std::cmp::Reverse(combination.total_score));
    Suggestions {
        suggestions,
        considered: order.len(),
        total: tasks.len(),
    }
}
