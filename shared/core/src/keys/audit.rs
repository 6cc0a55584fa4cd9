use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::id::{RunId, TeamId};
use crate::ports::{Key, Table};

/// Number of shards of a day's audit heads.
pub const AUDIT_SHARDS: u8 = 16;

pub fn audit_partition(team: &TeamId, run: &RunId) -> String {
    format!("{team}#audit#{run}")
}

/// An audit entry; numbers start at 1.
pub fn audit(team: &TeamId, run: &RunId, seq: u32) -> Key {
    audit_key(audit_partition(team, run), format!("{seq:06}"))
}

/// A partition of the heads of one day (UTC), one of `AUDIT_SHARDS`.
pub fn audit_heads(team: &TeamId, day: Date, shard: u8) -> String {
    format!("{team}#audit-heads#{day}#{shard:02}")
}

/// The head of a run's audit chain after entry `seq`.
pub fn audit_head(team: &TeamId, at: Timestamp, run: &RunId, seq: u32) -> Key {
    let sum = run.as_str().bytes().fold(0_u8, u8::wrapping_add);
    let partition = audit_heads(team, at.to_zoned(TimeZone::UTC).date(), sum % AUDIT_SHARDS);
    audit_key(partition, format!("{run}#{seq:06}"))
}

fn audit_key(partition: String, range: String) -> Key {
    let table = Table::Audit;
    Key {
        table,
        partition,
        range,
    }
}

/// The partition of the records of locked digests.
pub fn audit_digests(team: &TeamId) -> String {
    format!("{team}#audit-digests")
}

/// The record of a day's locked digest (UTC).
pub fn audit_digest(team: &TeamId, day: Date) -> Key {
    audit_key(audit_digests(team), day.to_string())
}

/// The last day with a locked digest.
pub fn last_audit_digest() -> Key {
    Key::state("*#audit-digests", "last")
}
