//! The keys of all items. Every partition starts with the team, usually followed by the user; parts
//! are joined by `#`. Partitions that belong to no workspace start with `*`.
//!
//! | partition | range | what |
//! |---|---|---|
//! | `TEAM#claim#TRACE` | `claim` | which run serves an event |
//! | `TEAM#users` | `USER` | people |
//! | `TEAM#run#RUN` | `run`, `step#000001`…, `program` | a run, its journal, and its program's files |
//! | `TEAM#USER#runs#2026-11` | `RUN` | a person's runs by month |
//! | `TEAM#USER#sessions` | `CHANNEL[/THREAD]` | conversations: memory, active and waiting runs |
//! | `TEAM#USER#sessions-set-aside` | `CHANNEL[/THREAD]` | the last corrupt row of a conversation |
//! | `TEAM#USER#day#2026-11-21` | `day` | the blocks of one day |
//! | `TEAM#USER#block-dates` | `BLOCK` | the day of a block |
//! | `TEAM#USER#tasks` | `TASK` | tasks |
//! | `TEAM#USER#files` | `/PATH` in lower case | metadata of a stored file |
//! | `TEAM#USER#file-bodies` | `/PATH` in lower case | the content of a stored file |
//! | `TEAM#USER#mail-before` | `RUN:CALL` | earlier states of moved mails, for undo, for 30 days |
//! | `TEAM#USER#accounts` | `PROVIDER`, `PROVIDER.secret` | a connected account, and its encrypted credential if stored here |
//! | `TEAM#USER#gmail` | `mailbox`, `mail#ID`, `sent#DIGEST` | Gmail metadata, and mails being sent from any account; for 30 days |
//! | `TEAM#USER#connecting` | `NONCE` | a link to connect an account, for a day; `sign-ins` counts password attempts |
//! | `TEAM#approval#APPROVAL` | `approval` | an approval, open or decided |
//! | `TEAM#USER#approvals` | `APPROVAL` | a person's open approvals |
//! | `TEAM#USER#workflows#2026-11` | `TIME#RUN` | executed workflows, by month |
//! | `TEAM#USER#feedback#2026-11` | `TIME#CALL` | the person's feedback on Alfred, by month |
//! | `TEAM#USER#task-events#2026-11` | `TIME#CALL` | tasks done, reopened or postponed, by month |
//! | `TEAM#USER#jobs` | `SCHEDULE` | reminders and scheduled jobs |
//! | `TEAM#USER#remembered` | `SESSION#DIGEST` | remembered approvals, for 12 hours |
//! | `TEAM#USER#trusted` | `DIGEST` | programs from folders that the person trusts |
//! | `TEAM#switch` | `effects` | whether an administrator has paused all effects |
//! | `TEAM#users` | `USER#spend` | what a person used today |
//! | `TEAM#users` | `USER#scheduled` | what their scheduled runs used today |
//! | `TEAM#users` | `USER#proposal#APPROVAL` | their open approvals, read together with the person |
//! | `TEAM#audit#RUN` (audit) | `000001`… | a run's audit entries, chained |
//! | `TEAM#audit-heads#2026-11-21#07` (audit) | `RUN#000001` | heads of chains by day, 16 shards |
//! | `TEAM#audit-digests` (audit) | `2026-11-21` | the SHA-256 of a day's locked digest |
//! | `*#audit-digests` | `last` | the last day with a locked digest |
//! | `*#due#2026-11-21T14#07` | `TIME#ID` | timers by hour, 16 shards |
//! | `*#timers-set-aside` | `TIME#ID` | timers that can't be served, and the error |

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

/// Number of shards of an hour of timers.
pub const DUE_SHARDS: u8 = 16;
/// Prefix of the range keys of journal steps.
pub const STEP_PREFIX: &str = "step#";
pub const RUN_RANGE: &str = "run";
/// Range key of the program stored with a run.
pub const PROGRAM_RANGE: &str = "program";

/// The claim of an event, which names the run that serves it.
pub fn claim(team: &TeamId, trace: &TraceId) -> Key {
    Key::state(format!("{team}#claim#{trace}"), "claim")
}

pub fn users(team: &TeamId) -> String {
    format!("{team}#users")
}

pub fn user(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), user.as_str())
}

/// The partition of a run: its row, its journal and its program.
pub fn run_partition(team: &TeamId, run: &RunId) -> String {
    format!("{team}#run#{run}")
}

pub fn run(team: &TeamId, run: &RunId) -> Key {
    Key::state(run_partition(team, run), RUN_RANGE)
}

pub fn program(team: &TeamId, run: &RunId) -> Key {
    Key::state(run_partition(team, run), PROGRAM_RANGE)
}

/// The content of a file attached to a run's request.
pub fn attached(team: &TeamId, user: &UserId, run: &RunId, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#attached"), format!("{run}#{digest}"))
}

/// A journal step; numbers start at 1.
pub fn step(team: &TeamId, run: &RunId, seq: u32) -> Key {
    Key::state(run_partition(team, run), format!("{STEP_PREFIX}{seq:06}"))
}

/// The index entry of a run in its owner's month (UTC).
pub fn user_run(team: &TeamId, user: &UserId, at: Timestamp, run: &RunId) -> Key {
    Key::state(user_runs(team, user, at), run.as_str())
}

/// The partition of a person's runs in the month of `at` (UTC).
pub fn user_runs(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#runs#{}", month(at))
}

pub fn session(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    Key::state(
        format!("{team}#{user}#sessions"),
        place(team, user, session),
    )
}

/// The last corrupt row of a conversation.
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

/// The blocks of one day in a single item, so that its version serializes changes.
pub fn day(team: &TeamId, user: &UserId, date: Date) -> Key {
    Key::state(format!("{team}#{user}#day#{date}"), "day")
}

pub fn block_date(team: &TeamId, user: &UserId, block: &BlockId) -> Key {
    Key::state(block_dates(team, user), block.as_str())
}

/// The partition of the days of a person's blocks.
pub fn block_dates(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#block-dates")
}

pub fn tasks(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#tasks")
}

pub fn task(team: &TeamId, user: &UserId, task: &TaskId) -> Key {
    Key::state(tasks(team, user), task.as_str())
}

pub fn files(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#files")
}

pub fn file(team: &TeamId, user: &UserId, path: &VirtualPath) -> Key {
    Key::state(files(team, user), path.folded())
}

pub fn file_body(team: &TeamId, user: &UserId, path: &VirtualPath) -> Key {
    Key::state(format!("{team}#{user}#file-bodies"), path.folded())
}

/// The states of mails before a call moved them.
pub fn mail_before(team: &TeamId, user: &UserId, call: &str) -> Key {
    Key::state(format!("{team}#{user}#mail-before"), call)
}

pub fn approval(team: &TeamId, id: &ApprovalId) -> Key {
    Key::state(approval_partition(team, id), "approval")
}

pub fn approval_partition(team: &TeamId, id: &ApprovalId) -> String {
    format!("{team}#approval#{id}")
}

/// The partition of a person's open approvals.
pub fn approvals(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#approvals")
}

/// The index entry of an open approval.
pub fn pending(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(approvals(team, user), id.as_str())
}

/// The partition of workflows executed in the month of `at` (UTC).
pub fn workflows(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#workflows#{}", month(at))
}

/// The partition of feedback given in the month of `at` (UTC).
pub fn feedback(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#feedback#{}", month(at))
}

/// The partition of task events in the month of `at` (UTC).
pub fn task_events(team: &TeamId, user: &UserId, at: Timestamp) -> String {
    format!("{team}#{user}#task-events#{}", month(at))
}

fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

pub fn remembered(team: &TeamId, user: &UserId, session: &SessionId, digest: &str) -> Key {
    Key::state(
        format!("{team}#{user}#remembered"),
        format!("{session}#{digest}"),
    )
}

/// A trusted program from a folder, by the digest of all its files.
pub fn trusted(team: &TeamId, user: &UserId, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#trusted"), digest)
}

/// The switch with which an administrator pauses all effects.
pub fn effects_switch(team: &TeamId) -> Key {
    Key::state(format!("{team}#switch"), "effects")
}

pub fn spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#spend"))
}

/// The usage of a person's scheduled runs today. The key sorts between the person and `spend`, so
/// that one query reads all.
pub fn scheduled_spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#scheduled"))
}

pub fn jobs(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#jobs")
}

pub fn job(team: &TeamId, user: &UserId, id: &ScheduleId) -> Key {
    Key::state(jobs(team, user), id.as_str())
}

/// The partition of meetings on focus blocks that a person was notified of.
pub fn focus_told(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#focus")
}

/// An open approval. The key sorts between the person and `spend`, so that one query reads all.
pub fn open_approval(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(users(team), format!("{user}#proposal#{id}"))
}

/// The last day with a locked digest.
pub fn last_audit_digest() -> Key {
    Key::state("*#audit-digests", "last")
}

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

/// The blob prefix `TEAM/USER` of a partition.
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
