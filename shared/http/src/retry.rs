use alfred_core::ports::Clock;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// Attempts at a repeatable call.
const TRIES: u32 = 4;
/// Longest wait within a call. For a longer one the run is postponed.
pub const PATIENCE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Waits between the attempts at one call: twice as long each time, or longer if the server asks for it.
pub struct Retries {
    tried: u32,
    waited: Duration,
    next_pause: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            tried: 0,
            waited: Duration::ZERO,
            next_pause: FIRST_PAUSE,
        }
    }
}

impl Retries {
    /// Waits before another attempt. False if there were enough, or if that would take too long.
    pub async fn wait(&mut self, clock: &dyn Clock, after: Option<Duration>) -> bool {
        let wait = after.unwrap_or_default().max(self.next_pause);
        self.tried += 1;
        if self.tried >= TRIES || self.waited + wait > PATIENCE {
            return false;
        }
        self.pause(clock, wait).await;
        self.next_pause *= 2;
        true
    }

    /// Waits for another reason. It counts towards the longest wait.
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
