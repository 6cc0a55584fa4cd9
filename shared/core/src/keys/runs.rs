use jiff::Timestamp;

use crate::id::{RunId, TeamId, TraceId, UserId};
use crate::keys::month;
use crate::ports::Key;

/// Prefix of the range keys of journal steps.
pub const STEP_PREFIX: &str = "step#";

pub const RUN_RANGE: &str = "run";

/// Range key of the program stored with a run.
pub const PROGRAM_RANGE: &str = "program";

/// The claim of an event, which names the run that serves it.
pub fn claim(team: &TeamId, trace: &TraceId) -> Key {
    Key::state(format!("{team}#claim#{trace}"), "claim")
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
