//! What each strategy wants.

use crate::backlog::ScoredTask;
use crate::words;

words! {
    /// How to choose tasks for a duration.
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
    pub(super) fn value(self, task: &ScoredTask) -> i64 {
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
