//! The grammar of keys. Every partition starts with the team, then usually the
//! user; parts are joined by `#`. What belongs to no workspace starts with `*`.
//!
//! | partition | range | what |
//! |---|---|---|
//! | `TEAM#claim#TRACE` | `claim` | which run serves an event |
//! | `TEAM#users` | `USER` | people |
//! | `TEAM#run#RUN` | `run`, `step#000001`…, `program` | a run, its journal, and the worker files it keeps |
//! | `TEAM#USER#runs#2026-11` | `RUN` | a person's runs by month |
//! | `TEAM#USER#sessions` | `CHANNEL[/THREAD]` | memory, and what runs in it |
//! | `TEAM#USER#sessions-set-aside` | `CHANNEL[/THREAD]` | the last row of a conversation that couldn't be read |
//! | `TEAM#USER#day#2026-11-21` | `day` | the blocks of one day |
//! | `TEAM#USER#block-dates` | `BLOCK` | on which day a block is |
//! | `TEAM#USER#tasks` | `TASK` | tasks |
//! | `TEAM#USER#files` | `/PATH` in lower case | what is known of a stored file |
//! | `TEAM#USER#file-bodies` | the same | what is in it |
//! | `TEAM#USER#mail-before` | `RUN:CALL` | what mails were before a call moved them, for 30 days |
//! | `TEAM#USER#accounts` | `PROVIDER` | an account that was connected; behind it `PROVIDER.secret`, encrypted, where no other place keeps it |
//! | `TEAM#USER#gmail` | `mailbox`, `mail#ID`, `sent#DIGEST` | what is known of their Gmail mailbox, and mail on its way out from any account; for 30 days |
//! | `TEAM#USER#connecting` | `NONCE` | a link under which somebody may connect one, for a day; `sign-ins` counts passwords that were tried |
//! | `TEAM#approval#APPROVAL` | `approval` | a call that waits, or waited |
//! | `TEAM#USER#approvals` | `APPROVAL` | those of a person that wait |
//! | `TEAM#USER#workflows#2026-11` | `TIME#RUN` | workflows that were carried out, by month |
//! | `TEAM#USER#feedback#2026-11` | `TIME#CALL` | what the person said of Alfred, by month |
//! | `TEAM#USER#task-events#2026-11` | `TIME#CALL` | tasks that were done, opened again or put off, by month |
//! | `TEAM#USER#jobs` | `SCHEDULE` | reminders and scheduled jobs |
//! | `TEAM#USER#remembered` | `SESSION#DIGEST` | approvals to be remembered, for 12 hours |
//! | `TEAM#USER#trusted` | `DIGEST` | programs from folders that the person lets run |
//! | `TEAM#switch` | `effects` | whether an administrator has paused all effects |
//! | `TEAM#users` | `USER#spend` | what a person used today |
//! | `TEAM#users` | `USER#scheduled` | what their scheduled runs used today |
//! | `TEAM#users` | `USER#proposal#APPROVAL` | their proposals that wait, read with the person |
//! | `TEAM#audit#RUN` (audit) | `000001`… | a run's audit entries, chained |
//! | `TEAM#audit-heads#2026-11-21#07` (audit) | `RUN#000001` | heads of chains by day, 16 shards |
//! | `TEAM#audit-digests` (audit) | `2026-11-21` | the SHA-256 of a day's locked digest |
//! | `*#audit-digests` | `last` | the last day whose digest is locked |
//! | `*#due#2026-11-21T14#07` | `TIME#ID` | timers: an hour's bucket, 16 shards |
//! | `*#timers-set-aside` | `TIME#ID` | timers that can't be served, and why |

mod accounts;
mod audit;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

use crate::id::{
    ApprovalId, BlockId, RunId, ScheduleId, SessionId, TaskId, TeamId, TraceId, UserId,
};
use crate::ports::{Key, VirtualPath};

pub use accounts::*;
pub use audit::*;

/// Shards of one hour of timers.
pub const DUE_SHARDS: u8 = 16;
/// Range keys of journal steps start so.
pub const STEP_PREFIX: &str = "step#";
/// Range key of the run row.
pub const RUN_RANGE: &str = "run";
/// The range key of the program that a run keeps.
pub const PROGRAM_RANGE: &str = "program";

/// Which run serves the event of this trace.
pub fn claim(team: &TeamId, trace: &TraceId) -> Key {
    Key::state(format!("{team}#claim#{trace}"), "claim")
}

/// The partition of all people of a workspace.
pub fn users(team: &TeamId) -> String {
    format!("{team}#users")
}

/// A person.
pub fn user(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), user.as_str())
}

/// The partition of a run: its row, then its journal.
pub fn run_partition(team: &TeamId, run: &RunId) -> String {
    format!("{team}#run#{run}")
}

/// A run's row.
pub fn run(team: &TeamId, run: &RunId) -> Key {
    Key::state(run_partition(team, run), RUN_RANGE)
}

/// The worker files that a run keeps of its program.
pub fn program(team: &TeamId, run: &RunId) -> Key {
    Key::state(run_partition(team, run), PROGRAM_RANGE)
}

/// The content of a file that came with a run's request.
pub fn attached(team: &TeamId, user: &UserId, run: &RunId, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#attached"), format!("{run}#{digest}"))
}

/// A step of a run's journal, from 1.
pub fn step(team: &TeamId, run: &RunId, seq: u32) -> Key {
    Key::state(run_partition(team, run), format!("{STEP_PREFIX}{seq:06}"))
}

/// A run among those a person started in that month (UTC).
pub fn user_run(team: &TeamId, user: &UserId, at: Timestamp, run: &RunId) -> Key {
    Key::state(user_runs(team, user, at), run.as_str())
}

/// The partition of the runs a person started in the month of this moment (UTC).
pub fn user_runs(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#runs#{}", month(at))
}

/// A conversation.
pub fn session(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    Key::state(
        format!("{team}#{user}#sessions"),
        place(team, user, session),
    )
}

/// A conversation's row that couldn't be read.
pub fn session_set_aside(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    Key::state(
        format!("{team}#{user}#sessions-set-aside"),
        place(team, user, session),
    )
}

fn place<'a>(team: &TeamId, user: &UserId, session: &'a SessionId) -> &'a str {
    let prefix = format!("{team}/{user}/");
    let place = session.as_str().strip_prefix(&prefix);
    place.unwrap_or(session.as_str())
}

/// The blocks of one day, one item: its version serialises changes to the day.
pub fn day(team: &TeamId, user: &UserId, date: Date) -> Key {
    Key::state(format!("{team}#{user}#day#{date}"), "day")
}

/// On which day a block is.
pub fn block_date(team: &TeamId, user: &UserId, block: &BlockId) -> Key {
    Key::state(block_dates(team, user), block.as_str())
}

/// The partition of the days on which a person's blocks are.
pub fn block_dates(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#block-dates")
}

/// The partition of a person's tasks.
pub fn tasks(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#tasks")
}

/// A task.
pub fn task(team: &TeamId, user: &UserId, task: &TaskId) -> Key {
    Key::state(tasks(team, user), task.as_str())
}

/// The partition of a person's stored files.
pub fn files(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#files")
}

/// One of them.
pub fn file(team: &TeamId, user: &UserId, path: &VirtualPath) -> Key {
    Key::state(files(team, user), path.folded())
}

/// What is in it.
pub fn file_body(team: &TeamId, user: &UserId, path: &VirtualPath) -> Key {
    Key::state(format!("{team}#{user}#file-bodies"), path.folded())
}

/// What mails were before the call of this key moved them.
pub fn mail_before(team: &TeamId, user: &UserId, call: &str) -> Key {
    Key::state(format!("{team}#{user}#mail-before"), call)
}

/// A call that waits for its owner.
pub fn approval(team: &TeamId, id: &ApprovalId) -> Key {
    Key::state(approval_partition(team, id), "approval")
}

/// The partition of an approval.
pub fn approval_partition(team: &TeamId, id: &ApprovalId) -> String {
    format!("{team}#approval#{id}")
}

/// The partition of a person's approvals that wait.
pub fn approvals(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#approvals")
}

/// One of them.
pub fn pending(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(approvals(team, user), id.as_str())
}

/// The partition of workflows carried out in the month of this moment (UTC).
pub fn workflows(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#workflows#{}", month(at))
}

/// The partition of feedback given in the month of this moment (UTC).
pub fn feedback(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#feedback#{}", month(at))
}

/// The partition of what happened to tasks in the month of this moment (UTC).
pub fn task_events(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#task-events#{}", month(at))
}

fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

/// An approval that is remembered for its session.
pub fn remembered(team: &TeamId, user: &UserId, session: &SessionId, digest: &str) -> Key {
    Key::state(
        format!("{team}#{user}#remembered"),
        format!("{session}#{digest}"),
    )
}

/// A program from a folder that its owner lets run, by the digest of all of its files.
pub fn trusted(team: &TeamId, user: &UserId, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#trusted"), digest)
}

/// Whether an administrator has paused all effects.
pub fn effects_switch(team: &TeamId) -> Key {
    Key::state(format!("{team}#switch"), "effects")
}

/// What a person used today.
pub fn spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#spend"))
}

/// What a person's scheduled runs used today; between their row and `spend`, so that one read has both.
pub fn scheduled_spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#scheduled"))
}

/// The partition of a person's reminders and scheduled jobs.
pub fn jobs(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#jobs")
}

/// One of them.
pub fn job(team: &TeamId, user: &UserId, id: &ScheduleId) -> Key {
    Key::state(jobs(team, user), id.as_str())
}

/// The partition of the meetings on focus blocks that a person was told of.
pub fn focus_told(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#focus")
}

/// What waits for a person's decision: between their row and what they used today, so that one read has all.
pub fn open_approval(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(users(team), format!("{user}#proposal#{id}"))
}

/// The last day whose digest is locked, of the workspace this deployment serves.
pub fn last_audit_digest() -> Key {
    Key::state("*#audit-digests", "last")
}

/// The partition of timers due in this hour, one of `DUE_SHARDS`.
pub fn due_partition(hour: Timestamp, shard: u8) -> String {
    let hour = hour.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H");
    format!("*#due#{hour}#{shard:02}")
}

/// A timer, due at the next whole second from `at` on: never before its time.
/// The id decides the shard, so that the same timer is found again.
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
    // Only the last second of the year 9999 has none behind it.
    at.round(up).unwrap_or(at)
}

/// The partition of timers that can't be served. Empty unless there is a defect.
pub fn timers_set_aside() -> String {
    "*#timers-set-aside".into()
}

/// `TEAM/USER` of a partition, under which its blobs are stored.
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
        let late = "2026-11-21T14:59:59.001Z".parse().unwrap();
        assert_eq!(due(late, "run_1").range, "2026-11-21T15:00:00#run_1");
        assert!(
            due(late, "run_1")
                .partition
                .starts_with("*#due#2026-11-21T15#")
        );
        assert_eq!(blob_scope("T1#U1#tasks"), "T1/U1");
    }
}
