use jiff::Timestamp;
use jiff::civil::Date;

use crate::id::{BlockId, ScheduleId, TaskId, TeamId, UserId};
use crate::keys::month;
use crate::ports::{Key, VirtualPath};

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
