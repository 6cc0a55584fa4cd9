//! Limits messages to one a second in a channel, after a small burst. A reservation is arithmetic under a
//! short mutex; channels don't wait for each other.

use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Messages a channel accepts at once, below Slack's limit.
const BURST: i64 = 3;
const SECOND: i64 = 1_000_000;
/// Number of channels at which idle ones are dropped.
const SWEEP_AT: usize = 1024;

/// For each channel, the time in microseconds when its bucket is full again.
#[derive(Default)]
pub(super) struct Pace(Mutex<HashMap<String, i64>>);

impl Pace {
    /// Takes a slot and returns the wait for it. A wait over `most` is returned as the error and takes no slot.
    pub fn reserve(
        &self,
        channel: &str,
        now: Timestamp,
        most: Duration,
    ) -> Result<Duration, Duration> {
        let now = now.as_microsecond();
        let mut full_at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= SWEEP_AT {
            full_at.retain(|_, at| *at > now);
        }
        // Further ahead than any slot can be: the clock was set back.
        let longest = i64::try_from(most.as_micros()).unwrap_or(i64::MAX);
        let ahead = now.saturating_add(longest).saturating_add(BURST * SECOND);
        let known = full_at.get(channel).copied().filter(|at| *at <= ahead);
        let next = known.unwrap_or(now).max(now) + SECOND;
        let wait = Duration::from_micros((next - now - BURST * SECOND).max(0).unsigned_abs());
        if wait > most {
            return Err(wait);
        }
        full_at.insert(channel.to_owned(), next);
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Duration = Duration::from_secs(20);
    const NOW: Timestamp = Timestamp::constant(1_700_000_000, 0);

    #[test]
    fn a_burst_then_one_a_second_then_too_long() {
        let pace = Pace::default();
        let wait = |_| pace.reserve("C1", NOW, MOST).unwrap().as_secs();
        let waits: Vec<_> = (0..5).map(wait).collect();
        assert_eq!(waits, [0, 0, 0, 1, 2]);
        assert_eq!(pace.reserve("C2", NOW, MOST), Ok(Duration::ZERO));
        let later = NOW + Duration::from_secs(5);
        assert_eq!(pace.reserve("C1", later, MOST), Ok(Duration::ZERO));
        for _ in 0..40 {
            let _ = pace.reserve("C3", NOW, MOST);
        }
        assert_eq!(pace.reserve("C3", NOW, MOST), Err(Duration::from_secs(21)));
        assert_eq!(pace.reserve("C3", NOW, MOST), Err(Duration::from_secs(21)));
    }

    #[test]
    fn a_clock_set_back_makes_nobody_wait() {
        let pace = Pace::default();
        while pace.reserve("C1", NOW, MOST).is_ok() {}
        let before = NOW - Duration::from_secs(7_200);
        assert_eq!(pace.reserve("C1", before, MOST), Ok(Duration::ZERO));
    }

    #[test]
    fn idle_channels_are_forgotten() {
        let pace = Pace::default();
        for n in 0..SWEEP_AT {
            pace.reserve(&format!("C{n}"), NOW, MOST).unwrap();
        }
        pace.reserve("CX", NOW + Duration::from_secs(10), MOST)
            .unwrap();
        assert_eq!(pace.0.lock().unwrap().len(), 1);
    }
}
