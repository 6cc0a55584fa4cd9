//! Which tasks to do in the time there is.

mod fill;
mod search;
#[cfg(test)]
mod tests;

pub use fill::{Fill, FillStrategy, MAX_FILL, Room, fill};
pub use search::Strategy;

use crate::backlog::ScoredTask;
use search::MOST;

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
    /// At most three, different from one another, by total score.
    pub suggestions: Vec<Combination>,
    /// Tasks that take no longer than the duration, all of which were considered.
    pub considered: usize,
    pub total: usize,
}

/// Suggests what to do in `duration` minutes. Candidates are the three best combinations by the strategy's objective
/// (without those that are part of a better one) and the best single task. The best by the objective is always
/// suggested. Of equals, the one with the earlier tasks of the backlog comes first.
pub fn suggest(tasks: &[ScoredTask], duration: u32, strategy: Strategy) -> Suggestions {
    let mut order: Vec<&ScoredTask> = tasks.iter().filter(|t| t.minutes() <= duration).collect();
    order.sort_by(|a, b| a.order(b));
    let single = (!order.is_empty()).then(|| vec![0]);
    let mut candidates: Vec<Vec<usize>> = Vec::new();
    for candidate in search::best(&order, duration, strategy) {
        let is_part = |better: &Vec<usize>| candidate.iter().all(|task| better.contains(task));
        if !candidates.iter().any(is_part) {
            candidates.push(candidate);
        }
    }
    candidates.extend(single.filter(|single| !candidates.contains(single)));
    let describe = |(rank, chosen): (usize, &Vec<usize>)| {
        let tasks: Vec<ScoredTask> = chosen.iter().map(|task| order[*task].clone()).collect();
        let merit = match (rank, chosen.as_slice()) {
            (0, all) if all.len() == order.len() => "everything that fits",
            (0, _) => strategy.merit(),
            (_, [0]) => "the most pressing task on its own",
            _ => "the next best choice",
        };
        let count = match tasks.len() {
            1 => "One task".to_owned(),
            n => format!("{n} tasks"),
        };
        let total_minutes = tasks.iter().map(ScoredTask::minutes).sum();
        let left = duration - total_minutes;
        Combination {
            total_minutes,
            total_score: tasks.iter().map(|task| task.score.score).sum(),
            best: rank == 0,
            reasoning: format!(
                "{count}, {merit}: {total_minutes} of {duration} minutes, {left} left free."
            ),
            tasks,
        }
    };
    let mut suggestions: Vec<Combination> = candidates.iter().enumerate().map(describe).collect();
    // Stable, so that of equal scores the one that serves the strategy better stays first.
    suggestions.sort_by_key(|combination| std::cmp::Reverse(combination.total_score));
    if suggestions.len() > MOST
        && let Some(weakest) = suggestions.iter().rposition(|one| !one.best)
    {
        suggestions.remove(weakest);
    }
    Suggestions {
        suggestions,
        considered: order.len(),
        total: tasks.len(),
    }
}
