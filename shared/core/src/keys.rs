//! The grammar of keys. Every partition starts with the team, then usually the
//! user; parts are joined by `#`. What belongs to no workspace starts with `*`.
//!
//! | partition | range | what |
//! |---|---|---|
//! | `TEAM#claim#TRACE` | `claim` | which run serves an event |
//! | `TEAM#users` | `USER` | people |
//! | `TEAM#run#RUN` | `run`, `step#000001`… | a run and its journal |
//! | `TEAM#USER#runs#2026-11` | `RUN` | a person's runs by month |
//! | `TEAM#USER#sessions` | `CHANNEL[/THREAD]` | memory, and what runs in it |
//! | `TEAM#USER#day#2026-11-21` | `day` | the blocks of one day |
//! | `TEAM#USER#block-dates` | `BLOCK` | on which day a block is |
//! | `TEAM#USER#tasks` | `TASK` | tasks |
//! | `*#due#2026-11-21T14#07` | `TIME#ID` | timers: an hour's bucket, 16 shards |
//! | `*#timers-set-aside` | `TIME#ID` | timers that can't be served, and why |

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::envelope::SessionId;
use crate::id::{BlockId, RunId, TaskId, TeamId, TraceId, UserId};
use crate::ports::Key;

/// Shards of one hour of timers.
pub const DUE_SHARDS: u8 = 16;
/// Range keys of journal steps start so.
pub const STEP_PREFIX: &str = "step#";
/// Range key of the run row.
pub const RUN_RANGE: &str = "run";

/// Which run serves the event of this trace.
#[must_use]
pub fn claim(team: &TeamId, trace: &TraceId) -> Key {
    Key::state(format!("{team}#claim#{trace}"), "claim")
}

/// The partition of all people of a workspace.
#[must_use]
pub fn users(team: &TeamId) -> String {
    format!("{team}#users")
}

/// A person.
#[must_use]
pub fn user(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), user.as_str())
}

/// The partition of a run: its row, then its journal.
#[must_use]
pub fn run_partition(team: &TeamId, run: &RunId) -> String {
    format!("{team}#run#{run}")
}

/// A run's row.
#[must_use]
pub fn run(team: &TeamId, run: &RunId) -> Key {
    Key::state(run_partition(team, run), RUN_RANGE)
}

/// A step of a run's journal, from 1.
#[must_use]
pub fn step(team: &TeamId, run: &RunId, seq: u32) -> Key {
    Key::state(run_partition(team, run), format!("{STEP_PREFIX}{seq:06}"))
}

/// A run among those a person started in that month (UTC).
#[must_use]
pub fn user_run(team: &TeamId, user: &UserId, at: Timestamp, run: &RunId) -> Key {
    let month = at.to_zoned(TimeZone::UTC).strftime("%Y-%m");
    Key::state(format!("{team}#{user}#runs#{month}"), run.as_str())
}

/// A conversation.
#[must_use]
pub fn session(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    let prefix = format!("{team}/{user}/");
    let place = session.as_str().strip_prefix(&prefix);
    Key::state(
        format!("{team}#{user}#sessions"),
        place.unwrap_or(session.as_str()),
    )
}

/// The blocks of one day, one item: its version serialises changes to the day.
#[must_use]
pub fn day(team: &TeamId, user: &UserId, date: Date) -> Key {
    Key::state(format!("{team}#{user}#day#{date}"), "day")
}

/// On which day a block is.
#[must_use]
pub fn block_date(team: &TeamId, user: &UserId, block: &BlockId) -> Key {
    Key::state(format!("{team}#{user}#block-dates"), block.as_str())
}

/// The partition of a person's tasks.
#[must_use]
pub fn tasks(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#tasks")
}

/// A task.
#[must_use]
pub fn task(team: &TeamId, user: &UserId, task: &TaskId) -> Key {
    Key::state(tasks(team, user), task.as_str())
}

/// The partition of timers due in this hour, one of `DUE_SHARDS`.
#[must_use]
pub fn due_partition(hour: Timestamp, shard: u8) -> String {
    let hour = hour.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H");
    format!("*#due#{hour}#{shard:02}")
}

/// A timer. The id decides the shard, so that the same timer is found again.
#[must_use]
pub fn due(at: Timestamp, id: &str) -> Key {
    let sum = id.bytes().fold(0_u8, u8::wrapping_add);
    let range = format!(
        "{}#{id}",
        at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S")
    );
    Key::state(due_partition(at, sum % DUE_SHARDS), range)
}

/// The partition of timers that can't be served. Empty unless there is a defect.
#[must_use]
pub fn timers_set_aside() -> String {
    "*#timers-set-aside".into()
}

/// `TEAM/USER` of a partition, under which its blobs are stored.
#[must_use]
pub fn blob_scope(partition: &str) -> String {
    let mut parts = partition.split('#');
    let team = parts.next().unwrap_or("*");
    let user = parts.next().unwrap_or("*");
    format!("{team}/{user}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_as_documented() {
        let (t, u): (TeamId, UserId) = ("T1".into(), "U1".into());
        let at: Timestamp = "2026-11-21T14:05:09Z".parse().unwrap();
        let session_id = SessionId("T1/U1/C1/17.5".into());
        assert_eq!(session(&t, &u, &session_id).range, "C1/17.5");
        assert_eq!(
            user_run(&t, &u, at, &"run_1".into()).partition,
            "T1#U1#runs#2026-11"
        );
        assert_eq!(step(&t, &"run_1".into(), 7).range, "step#000007");
        assert!(
            due(at, "run_1")
                .partition
                .starts_with("*#due#2026-11-21T14#")
        );
        assert_eq!(due(at, "run_1").range, "2026-11-21T14:05:09#run_1");
        assert_eq!(blob_scope("T1#U1#tasks"), "T1/U1");
    }
}
