//! When Lambda ends an invocation.

use alfred_core::Deadline;
use jiff::{SignedDuration, Timestamp};
use lambda_runtime::Context;
use std::time::Duration;

/// The longest a Lambda may run; no deadline lies further away.
const LONGEST: SignedDuration = SignedDuration::from_mins(15);

/// The deadline of an invocation that began at `now`.
///
/// Lambda sends milliseconds since 1970; `cargo lambda watch` sends the milliseconds that are left. Nothing under 15
/// minutes is a date, so the two can't be confused. Clocks that differ never give less than nothing or more than 15
/// minutes.
pub fn deadline(context: &Context, now: Timestamp) -> Deadline {
    let value = i64::try_from(context.deadline).unwrap_or(i64::MAX);
    let mut left = SignedDuration::from_millis(value);
    if left > LONGEST {
        left = SignedDuration::from_millis(value.saturating_sub(now.as_millisecond()));
    }
    let left = left.clamp(SignedDuration::ZERO, LONGEST);
    Deadline::after(now, Duration::try_from(left).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remaining(value: u64) -> Option<Duration> {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let mut context = Context::default();
        context.deadline = value;
        deadline(&context, now).remaining(now)
    }

    #[test]
    fn epochs_and_durations_give_the_time_left() {
        let now = 1_795_255_200_000;
        let cases = [
            (now + 120_000, 120),
            (600_000, 600),
            (0, 0),
            (now - 5, 0),
            (now + 86_400_000, 900),
            (u64::MAX, 900),
        ];
        for (value, seconds) in cases {
            let expected = Some(Duration::from_secs(seconds));
            assert_eq!(remaining(value), expected, "{value}");
        }
    }
}
