//! An exact knapsack over minutes that keeps the three best values of each cell. Costs tasks × minutes steps and a
//! byte for each.

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
}

pub(super) const MOST: usize = 3;
/// The value of no combination. Sums with it stay below every real one.
const NONE: i64 = i64::MIN / 2;

/// The three best combinations that fit, best first, each as increasing positions in `tasks`. Of equal values the one
/// with the earlier tasks wins. The empty combination is none.
pub(super) fn best(tasks: &[&ScoredTask], duration: u32, strategy: Strategy) -> Vec<Vec<usize>> {
    let room = duration.min(tasks.iter().map(|task| task.minutes()).sum()) as usize;
    let items = promising(tasks, room);
    let mut values = vec![[0, NONE, NONE]; room + 1];
    let mut taken = vec![vec![0_u8; room + 1]; items.len()];
    // From the last to the first, so that reading forward can prefer the earlier one of equals.
    for (item, row) in items.iter().zip(&mut taken).rev() {
        let minutes = tasks[*item].minutes() as usize;
        let value = strategy.value(tasks[*item]);
        for at in (minutes..=room).rev() {
            (values[at], row[at]) = merge(values[at - minutes], value, values[at]);
        }
    }
    let combination = |mut rank: usize| {
        let (mut left, mut chosen) = (room, Vec::new());
        for (item, row) in items.iter().zip(&taken) {
            let better_with = (row[left] & ((1 << rank) - 1)).count_ones() as usize;
            if row[left] & (1 << rank) == 0 {
                rank -= better_with;
            } else {
                chosen.push(*item);
                left -= tasks[*item].minutes() as usize;
                rank = better_with;
            }
        }
        chosen
    };
    let found = (0..MOST).filter(|rank| values[room][*rank] > 0);
    found.map(combination).collect()
}

/// Of tasks with the same minutes only the first few can be in one of the best combinations: any other could be
/// exchanged for three earlier ones that are worth as much.
fn promising(tasks: &[&ScoredTask], room: usize) -> Vec<usize> {
    let mut seen = vec![0_usize; room + 1];
    let mut may_be_chosen = |position: &usize| {
        let minutes = tasks[*position].minutes() as usize;
        let Some(count) = seen.get_mut(minutes) else {
            return false;
        };
        *count += 1;
        *count < room / minutes + MOST
    };
    (0..tasks.len()).filter(|at| may_be_chosen(at)).collect()
}

/// The best of two ordered lists: with a task that is worth `value` more, and without it. Sets a bit for each rank
/// with the task, which comes first among equals.
fn merge(with: [i64; MOST], value: i64, without: [i64; MOST]) -> ([i64; MOST], u8) {
    let (mut merged, mut bits, mut taken) = ([NONE; MOST], 0, 0);
    for rank in 0..MOST {
        let (taking, leaving) = (with[taken] + value, without[rank - taken]);
        merged[rank] = taking.max(leaving).max(NONE);
        if taking >= leaving {
            bits |= 1 << rank;
            taken += 1;
        }
    }
    (merged, bits)
}
