use crate::ports::Key;
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

/// Number of shards of an hour of timers.
pub const DUE_SHARDS: u8 = 16;

/// A partition of the timers due in an hour, one of `DUE_SHARDS`.
pub fn due_partition(hour: Timestamp, shard: u8) -> String {
    let hour = hour.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H");
    format!("*#due#{hour}#{shard:02}")
}

/// A timer, due at the first whole second not before `at`. The id decides the shard, so that the
/// same timer has the same key.
pub fn due(at: Timestamp, id: &str) -> Key {
    let sum = id.bytes().fold(0_u8, u8::wrapping_add);
    let at = whole_second_from(at);
    let range = format!(
        "{}#{id}",
        at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S")
    );
    Key::state(due_partition(at, sum % DUE_SHARDS), range)
}

fn whole_second_from(at: Timestamp) -> Timestamp {
    let up = TimestampRound::new()
        .smallest(Unit::Second)
        .mode(RoundMode::Ceil);
    // Only the last second of the year 9999 can't be rounded up.
    at.round(up).unwrap_or(at)
}

/// The partition of timers that can't be served. Non-empty only after a bug.
pub fn timers_set_aside() -> String {
    "*#timers-set-aside".into()
}
