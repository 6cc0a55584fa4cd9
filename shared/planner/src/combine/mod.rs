//! Which tasks to do in the time there is (annex 2, `suggestForDuration`,
//! `fillWorkBlock`).

mod fill;
mod prune;
mod search;
#[cfg(test)]
mod tests;
mod value;

pub use fill::{Fill, FillStrategy, MAX_FILL, fill};
pub use value::Strategy;

use crate::backlog::ScoredTask;

/// Minutes that can be asked about.
pub const DURATION: std::ops::RangeInclusive<u32> = 15..=1_440;
/// The most suggestions.
const MOST: usize = 3;

/// Tasks that can be done together in the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The tasks, in the order of the backlog.
    pub tasks: Vec<ScoredTask>,
    /// Minutes they take.
    pub total_minutes: u32,
    /// The sum of their scores.
    pub total_score: u32,
    /// Whether no combination serves the strategy better.
    pub best: bool,
    /// Why it is suggested, in a sentence.
    pub reasoning: String,
}

/// What is suggested for a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestions {
    /// At most three, different from one another, by total score.
    pub suggestions: Vec<Combination>,
    /// Tasks that take no longer than the duration, all of which were considered.
    pub considered: usize,
    /// Tasks there are.
    pub total: usize,
}

/// Suggests what to do in `duration` minutes. Candidates are the three best
/// combinations by the strategy's objective (those within a better one left
/// out) and the best single task; the best by the objective is always among
/// what is suggested. Of equals, the one with the earlier tasks of the backlog comes first.
pub fn suggest(tasks: &[ScoredTask], duration: u32, strategy: Strategy) -> Suggestions {
    let mut order: Vec<&ScoredTask> = tasks.iter().filter(|t| t.minutes() <= duration).collect();
    order.sort_by(|a, b| a.order(b));
    let mut candidates = search::best(&order, duration, strategy, MOST);
    drop_parts(&mut candidates);
    if !order.is_empty() && !candidates.contains(&vec![0]) {
        candidates.push(vec![0]);
    }
    let mut suggestions: Vec<Combination> = candidates
        .iter()
        .enumerate()
        .map(|(rank, chosen)| describe(&order, chosen, rank == 0, duration, strategy))
        .collect();
    // Stable, so that of equal scores the one that serves the strategy better stays first.
    suggestions.sort_by_key(|combination| std::cmp::Reverse(combination.total_score));
    if suggestions.len() > MOST
        && let Some(weakest) = suggestions
            .iter()
            .rposition(|combination| !combination.best)
    {
        suggestions.remove(weakest);
    }
    Suggestions {
        suggestions,
        considered: order.len(),
        total: tasks.len(),
    }
}

/// Removes combinations whose tasks are all in a better one: doing less is no suggestion.
fn drop_parts(candidates: &mut Vec<Vec<usize>>) {
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for candidate in candidates.drain(..) {
        let part = |better: &Vec<usize>| candidate.iter().all(|task| better.contains(task));
        if !kept.iter().any(part) {
            kept.push(candidate);
        }
    }
    *candidates = kept;
}

fn describe(
    order: &[&ScoredTask],
    chosen: &[usize],
    best: bool,
    duration: u32,
    strategy: Strategy,
) -> Combination {
    let tasks: Vec<ScoredTask> = chosen.iter().map(|task| order[*task].clone()).collect();
    let total_minutes = tasks.iter().map(ScoredTask::minutes).sum();
    let total_score = tasks.iter().map(|task| task.score.score).sum();
    let spare = match duration - total_minutes {
        0 => "and fill the time exactly".to_owned(),
        minutes => format!("and leave {minutes} free"),
    };
    let count = match tasks.len() {
        1 => "One task".to_owned(),
        n => format!("{n} tasks"),
    };
    let merit = match (best, chosen) {
        (true, _) if tasks.len() == order.len() => "everything that fits".to_owned(),
        (true, _) => strategy.merit().to_owned(),
        (false, [0]) => "the most pressing task on its own".to_owned(),
        (false, _) => "the next best choice".to_owned(),
    };
    let verb = if tasks.len() == 1 {
        (
            "takes",
            spare.replace("fill", "fills").replace("leave", "leaves"),
        )
    } else {
        ("take", spare)
    };
    Combination {
        reasoning: format!(
            "{count}, {merit}: {} {total_minutes} of {duration} minutes {}.",
            verb.0, verb.1
        ),
        tasks,
        total_minutes,
        total_score,
        best,
    }
}
