//! Which tasks to do in the time there is. An exact knapsack over minutes, which costs tasks × minutes steps and a byte
//! for each.

mod fill;
#[cfg(test)]
mod tests;

pub use fill::{Fill, FillStrategy, MAX_FILL, Room, fill};

use crate::backlog::ScoredTask;
use crate::words;

words! {
    Strategy {
        /// Time goes to what matters: the most score × minutes.
        Priority = "priority",
        /// As many tasks as fit, then the most score.
        QuickWins = "quick_wins",
        /// The most score in all.
        Mixed = "mixed",
    }
}

/// Bits for the sum of scores: at most 1,440 tasks of at most 100.
const SCORE_BITS: u32 = 18;
/// Bits for the sum of minutes: at most 1,440.
const MINUTE_BITS: u32 = 11;

impl Strategy {
    /// What one task adds. Sums compare as the objective, then the score, then fewer minutes.
    fn value(self, task: &ScoredTask) -> i64 {
        let (score, minutes) = (i64::from(task.score.score), i64::from(task.minutes()));
        let objective = match self {
            Self::Priority => score * minutes,
            Self::QuickWins => 1,
            Self::Mixed => score,
        };
        (((objective << SCORE_BITS) + score) << MINUTE_BITS) - minutes
    }

    /// Why its best combination is good.
    pub(super) const fn merit(self) -> &'static str {
        match self {
            Self::Priority => "the most time for what matters most",
            Self::QuickWins => "as many as can be done",
            Self::Mixed => "the highest total score that fits",
        }
    }

    /// The best combination of tasks that fits, for tasks in the order of a backlog. Of equal ones, the one with the
    /// earlier tasks.
    pub(super) fn best<'a>(self, tasks: &[&'a ScoredTask], duration: u32) -> Vec<&'a ScoredTask> {
        let room = duration as usize;
        // Of tasks with the same minutes, the first ones have the best scores, and no more than fit can be chosen.
        let mut seen = vec![0; room + 1];
        let mut tasks = tasks.to_vec();
        tasks.retain(|task| {
            let minutes = task.minutes() as usize;
            seen[minutes] += 1;
            seen[minutes] <= room / minutes
        });
        let mut values = vec![0; room + 1];
        let mut taken = vec![vec![false; room + 1]; tasks.len()];
        // From the last to the first, so that reading forward can prefer the earlier one of equals.
        for (task, row) in tasks.iter().zip(&mut taken).rev() {
            let minutes = task.minutes() as usize;
            for at in (minutes..=room).rev() {
                let with = values[at - minutes] + self.value(task);
                row[at] = with >= values[at];
                values[at] = with.max(values[at]);
            }
        }
        let (mut left, mut chosen) = (room, Vec::new());
        for (task, row) in tasks.iter().zip(&taken) {
            if row[left] {
                chosen.push(*task);
                left -= task.minutes() as usize;
            }
        }
        chosen
    }
}

const MOST: usize = 3;

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
    /// Different from one another, by total score.
    pub suggestions: Vec<Combination>,
    /// Tasks that take no longer than the duration, all of which were considered.
    pub considered: usize,
    pub total: usize,
}

/// Suggests at most three ways to use `duration` minutes: the best combination by the strategy, and of what the other
/// strategies would choose and the most pressing task those with the highest scores. Of equals, the one with the earlier
/// tasks of the backlog comes first.
pub fn suggest(tasks: &[ScoredTask], duration: u32, strategy: Strategy) -> Suggestions {
    let mut order: Vec<&ScoredTask> = tasks.iter().filter(|t| t.minutes() <= duration).collect();
    order.sort_by(|a, b| a.order(b));
    let others = Strategy::ALL.iter().filter(|other| **other != strategy);
    let by_strategy = std::iter::once(&strategy).chain(others);
    let mut candidates: Vec<(Vec<&ScoredTask>, &str)> = by_strategy
        .map(|by| (by.best(&order, duration), by.merit()))
        .collect();
    let first = order.first().map(|first| vec![*first]);
    candidates.extend(first.map(|first| (first, "the most pressing task on its own")));
    let mut suggestions: Vec<Combination> = Vec::new();
    for (chosen, merit) in candidates {
        let tasks: Vec<ScoredTask> = chosen.into_iter().cloned().collect();
        if tasks.is_empty() || suggestions.iter().any(|other| other.tasks == tasks) {
            continue;
        }
        let merit = if tasks.len() == order.len() {
            "everything that fits"
        } else {
            merit
        };
        let count = match tasks.len() {
            1 => "One task".to_owned(),
            n => format!("{n} tasks"),
        };
        let total_minutes = tasks.iter().map(ScoredTask::minutes).sum();
        let left = duration - total_minutes;
        suggestions.push(Combination {
            total_minutes,
            total_score: tasks.iter().map(|task| task.score.score).sum(),
            best: suggestions.is_empty(),
            reasoning: format!(
                "{count}, {merit}: {total_minutes} of {duration} minutes, {left} left free."
            ),
            tasks,
        });
    }
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
