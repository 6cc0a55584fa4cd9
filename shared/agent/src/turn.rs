//! What one model turn may take, and what follows from one that didn't come.

use alfred_core::ports::ModelError;
use alfred_core::{Deadline, text};
use jiff::Timestamp;
use std::time::Duration;

use crate::journal::LoadedRun;

/// The longest a single model turn may take.
pub(crate) const TURN_TIMEOUT: Duration = Duration::from_secs(90);
/// Time kept back to commit a turn and hand the run on.
const RESERVE: Duration = Duration::from_secs(10);
/// With less time than this left no turn is begun.
const LEAST_TURN: Duration = Duration::from_secs(20);
/// The longest pause a provider may ask of one run; nobody waits longer without a word.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// Pauses a provider may ask of one run.
const MAX_PAUSES: u32 = 5;

/// Whether there is time for a turn and to commit it.
pub(crate) fn has_time(deadline: Deadline, now: Timestamp) -> bool {
    deadline.allows(now, LEAST_TURN + RESERVE)
}

/// What a turn that begins now may take.
pub(crate) fn turn_time(deadline: Deadline, now: Timestamp) -> Duration {
    match deadline.remaining(now) {
        Some(left) => TURN_TIMEOUT.min(left.saturating_sub(RESERVE)),
        None => TURN_TIMEOUT,
    }
}

/// What follows from a turn that didn't come.
pub(crate) enum Unanswered {
    /// It is asked for again after this.
    Pause(Duration),
    /// There was too little time for it.
    OutOfTime,
    /// The person is told this.
    Told(String),
}

/// What follows from a turn that didn't come in this time.
pub(crate) fn unanswered(loaded: &LoadedRun, error: &ModelError, timeout: Duration) -> Unanswered {
    tracing::warn!(run.id = %loaded.run.id, error = %error, "no model turn");
    Unanswered::Told(match error {
        ModelError::RateLimited {
            retry_after: Some(after),
            ..
        } if loaded.run.pauses < MAX_PAUSES && *after <= LONGEST_PAUSE => {
            return Unanswered::Pause(*after);
        }
        ModelError::Timeout { .. } if timeout < TURN_TIMEOUT => return Unanswered::OutOfTime,
        ModelError::RateLimited { retry_after, .. } => text::too_many_requests(*retry_after),
        ModelError::Timeout { .. } => text::timed_out(),
        ModelError::Unavailable { .. } => text::cannot_reach("my language model"),
        ModelError::Refused { .. } => text::model_refuses(),
        ModelError::TooLong { .. } => text::too_much_for_model(),
        ModelError::Unusable { .. } => text::unusable_answer(),
    })
}
