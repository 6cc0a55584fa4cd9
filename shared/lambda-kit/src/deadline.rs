//! How long an invocation may still take.

use jiff::{SignedDuration, Timestamp};
use lambda_runtime::Context;
use std::time::Duration;

/// The longest a Lambda may run; no deadline lies further away.
const LONGEST: SignedDuration = SignedDuration::from_mins(15);

/// When Lambda ends this invocation, whatever it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    at: Timestamp,
}

impl Deadline {
    /// The deadline of an invocation that began at `now`.
    ///
    /// Lambda sends milliseconds since 1970; `cargo lambda watch` sends the
    /// milliseconds that are left. Nothing under 15 minutes is a date, so the
    /// two can't be confused. Clocks that differ never give less than nothing
    /// or more than 15 minutes.
    #[must_use]
    pub fn of(context: &Context, now: Timestamp) -> Self {
        let value = i64::try_from(context.deadline).unwrap_or(i64::MAX);
        let left = SignedDuration::from_millis(value);
        let left = if left > LONGEST {
            SignedDuration::from_millis(value.saturating_sub(now.as_millisecond()))
        } else {
            left
        };
        Self::within(now, left)
    }

    /// A deadline this long after `now`, for what runs without Lambda.
    #[must_use]
    pub fn after(now: Timestamp, left: Duration) -> Self {
        let left = SignedDuration::try_from(left).unwrap_or(LONGEST);
        Self::within(now, left)
    }

    fn within(now: Timestamp, left: SignedDuration) -> Self {
        let left = left.clamp(SignedDuration::ZERO, LONGEST);
        Self {
            at: now.checked_add(left).unwrap_or(Timestamp::MAX),
        }
    }

    /// The moment itself.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// What is left of it; zero once it has passed.
    #[must_use]
    pub fn remaining(&self, now: Timestamp) -> Duration {
        Duration::try_from(self.at.duration_since(now)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remaining(deadline: u64) -> Duration {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let mut context = Context::default();
        context.deadline = deadline;
        Deadline::of(&context, now).remaining(now)
    }

    #[test]
    fn epochs_and_durations_are_told_apart() {
        let now = 1_795_255_200_000;
        assert_eq!(remaining(now + 120_000), Duration::from_secs(120));
        assert_eq!(remaining(600_000), Duration::from_secs(600));
        assert_eq!(remaining(0), Duration::ZERO);
    }

    #[test]
    fn odd_values_give_neither_negative_nor_endless_time() {
        let now = 1_795_255_200_000;
        assert_eq!(remaining(now - 5), Duration::ZERO);
        assert_eq!(remaining(now + 86_400_000), Duration::from_secs(900));
        assert_eq!(remaining(u64::MAX), Duration::from_secs(900));
        assert_eq!(
            Deadline::after(Timestamp::MAX, Duration::MAX).at(),
            Timestamp::MAX
        );
    }
}
