//! An exact knapsack over minutes. Costs tasks × minutes steps and a byte for each.

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

    /// The best combination that fits. Of equal ones, the one with the earlier tasks.
    pub(super) fn best<'a>(self, tasks: &[&'a ScoredTask], duration: u32) -> Vec<&'a ScoredTask> {
        let room = duration as usize;
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
