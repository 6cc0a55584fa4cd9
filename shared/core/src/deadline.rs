use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// The time until which an invocation may work, if limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline(Option<Timestamp>);

impl Deadline {
    /// No limit, for a single process on one machine.
    pub fn none() -> Self {
        Self(None)
    }

    pub fn after(now: Timestamp, remaining: Duration) -> Self {
        let remaining = SignedDuration::try_from(remaining).unwrap_or(SignedDuration::MAX);
        Self(now.saturating_add(remaining).ok())
    }

    /// The time left; `None` without a limit.
    pub fn remaining(&self, now: Timestamp) -> Option<Duration> {
        self.0
            .map(|at| Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
    }

    /// Whether at least `needed` is left.
    pub fn allows(&self, now: Timestamp, needed: Duration) -> bool {
        self.remaining(now).is_none_or(|left| left >= needed)
    }
}
