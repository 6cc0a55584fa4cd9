use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// The time until which an invocation may work, if limited, and whether an earlier one had the same message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline {
    at: Option<Timestamp>,
    is_repeated: bool,
}

impl Deadline {
    /// No limit, for a single process on one machine.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn after(now: Timestamp, remaining: Duration) -> Self {
        let remaining = SignedDuration::try_from(remaining).unwrap_or(SignedDuration::MAX);
        Self {
            at: now.saturating_add(remaining).ok(),
            is_repeated: false,
        }
    }

    pub fn repeated(self, is_repeated: bool) -> Self {
        Self {
            is_repeated,
            ..self
        }
    }

    /// Whether an earlier attempt at the same message may have left something unfinished.
    pub fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// The time left; `None` without a limit.
    pub fn remaining(&self, now: Timestamp) -> Option<Duration> {
        self.at
            .map(|at| Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
    }

    /// Whether at least `needed` is left.
    pub fn allows(&self, now: Timestamp, needed: Duration) -> bool {
        self.remaining(now).is_none_or(|left| left >= needed)
    }
}
