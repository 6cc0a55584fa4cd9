use alfred_core::ports::Clock;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// Attempts at a repeatable call.
const TRIES: u32 = 4;
/// Longest wait of all pauses of a call together. For a longer one the run is postponed.
pub const PATIENCE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The pauses between the attempts at one call: twice as long each time, or longer if the server asks for it.
pub struct Retries {
    left: u32,
    waited: Duration,
    /// The next pause, if the server asks for none.
    backoff: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self::of(TRIES)
    }
}

impl Retries {
    /// Allows this many attempts: the first one and those after a pause.
    pub fn of(attempts: u32) -> Self {
        Self {
            left: attempts.saturating_sub(1),
            waited: Duration::ZERO,
            backoff: FIRST_PAUSE,
        }
    }

    /// The pause before another attempt. `None` if there were enough, or if that would take too long.
    pub fn next(&mut self, after: Option<Duration>) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        // Between half and all of it, so that callers spread out.
        let backoff = self.backoff / 100 * fastrand::u32(50..=100);
        let pause = after.unwrap_or_default().max(backoff);
        self.waited = self.waited.saturating_add(pause);
        self.backoff = self.backoff.saturating_mul(2);
        (self.waited <= PATIENCE).then_some(pause)
    }

    /// Waits before another attempt. False if there is none.
    pub async fn wait(&mut self, clock: &dyn Clock, after: Option<Duration>) -> bool {
        let pause = self.next(after);
        if let Some(pause) = pause {
            clock.sleep(pause).await;
        }
        pause.is_some()
    }

    /// Sleeps for a reason other than a retry. The time counts towards the longest wait.
    pub async fn pause(&mut self, clock: &dyn Clock, time: Duration) {
        if !time.is_zero() {
            clock.sleep(time).await;
        }
        self.waited += time;
    }
}

/// `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3), or `retry-after-ms`.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok())
    {
        return Duration::try_from_secs_f64(millis / 1e3).ok();
    }
    let value = text(RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end_after_the_attempts_or_twenty_seconds() {
        let mut retries = Retries::of(3);
        for most in [500, 1_000] {
            let pause = retries.next(None).unwrap().as_millis();
            assert!((most / 2..=most).contains(&pause), "{most}: {pause} ms");
        }
        assert_eq!(retries.next(None), None);
        let mut retries = Retries::default();
        let ten = Some(Duration::from_secs(10));
        let pauses = [(); 3].map(|()| retries.next(ten));
        assert_eq!(pauses, [ten, ten, None]);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
        for (name, value, millis) in [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", "1.5", Some(1_500)),
            ("retry-after-ms", "250", Some(250)),
            ("retry-after", "Sat, 21 Nov 2026 09:00:12 GMT", Some(12_000)),
            ("retry-after", "Sat, 21 Nov 2026 08:00:00 GMT", Some(0)),
            ("retry-after", "soon", None),
            ("retry-after", "-3", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let wanted = millis.map(Duration::from_millis);
            assert_eq!(retry_after(&headers, now), wanted, "{name}: {value}");
        }
    }
}
