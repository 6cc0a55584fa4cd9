//! Slack timestamps: seconds with six decimals, the id of a message within its channel. Zero-padded, they sort as text.

use jiff::Timestamp;

/// The timestamp of this moment, always later than the one before.
pub(crate) fn after(previous: &str, now: Timestamp) -> String {
    let now = now.as_microsecond().max(0);
    let previous = micros(previous).unwrap_or(-1);
    format_micros(now.max(previous + 1))
}

/// A timestamp given by a caller ("1700000000", "1700000000.5"), padded.
pub(crate) fn normalise(text: &str) -> Option<String> {
    micros(text).map(format_micros)
}

fn format_micros(micros: i64) -> String {
    format!("{:010}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn micros(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(seconds) || !digits(fraction) || fraction.len() > 6 {
        return None;
    }
    let seconds: i64 = seconds.parse().ok()?;
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    seconds.checked_mul(1_000_000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_grow_even_when_the_clock_stands() {
        let now = Timestamp::from_second(1_763_692_520).unwrap();
        let first = after("", now);
        assert_eq!(first, "1763692520.000000");
        assert_eq!(after(&first, now), "1763692520.000001");
        assert_eq!(after("1763692599.999999", now), "1763692600.000000");
    }

    #[test]
    fn callers_timestamps_are_padded_or_refused() {
        assert_eq!(normalise("17.5").unwrap(), "0000000017.500000");
        for bad in ["", "now", "1.2.3", "-1", "1.1234567", "1."] {
            assert_eq!(normalise(bad), None, "{bad}");
        }
    }
}
