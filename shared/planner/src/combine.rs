//! Which tasks to do in the time there is: an exact knapsack over minutes, which costs tasks × minutes steps and a byte
//! for each. And which tasks fill a work block.

use std::cmp::Reverse;

use crate::day_use::percent;
use crate::{ClockTime, ScoredTask, words};

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
    const fn merit(self) -> &'static str {
        match self {
            Self::Priority => "the most time for what matters most",
            Self::QuickWins => "as many as can be done",
            Self::Mixed => "the highest total score that fits",
        }
    }

    /// The best combination of tasks that fits, for tasks in the order of a backlog. Of equal ones, the one with the
    /// earlier tasks.
    pub(crate) fn best<'a>(self, tasks: &[&'a ScoredTask], duration: u32) -> Vec<&'a ScoredTask> {
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
    let candidates = by_strategy.map(|by| (by.best(&order, duration), by.merit()));
    let first: Vec<&ScoredTask> = order.iter().take(1).copied().collect();
    let mut suggestions: Vec<Combination> = Vec::new();
    for (chosen, merit) in candidates.chain([(first, "the most pressing task on its own")]) {
        let tasks: Vec<ScoredTask> = chosen.into_iter().cloned().collect();
        if tasks.is_empty() || suggestions.iter().any(|other| other.tasks == tasks) {
            continue;
        }
        let all = tasks.len() == order.len();
        let merit = if all { "everything that fits" } else { merit };
        let count = match tasks.len() {
            1 => "One task".to_owned(),
            n => format!("{n} tasks"),
        };
        let total_minutes = tasks.iter().map(ScoredTask::minutes).sum();
        let left = duration - total_minutes;
        let time = format!("{total_minutes} of {duration} minutes, {left} left free");
        suggestions.push(Combination {
            total_minutes,
            total_score: tasks.iter().map(|task| task.score.score).sum(),
            best: suggestions.is_empty(),
            reasoning: format!("{count}, {merit}: {time}."),
            tasks,
        });
    }
    // Stable, so that of equal scores the one that serves the strategy better stays first.
    suggestions.sort_by_key(|combination| Reverse(combination.total_score));
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
