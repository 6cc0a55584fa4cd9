//! What teams are told about their rounds, and what their unfinished work says.

/// A team that has to stop, with what it made until then (annex 1: a partial result is marked as one).
#[must_use]
pub fn cut_short(why: &str, partial: &str) -> String {
    format!("_{why} This is what there is so far; it isn't finished._\n\n{partial}")
}

/// Why a team had to stop: its time.
#[must_use]
pub fn team_out_of_time() -> String {
    "I ran out of time.".into()
}

/// Why a team had to stop: its steps or its budget.
#[must_use]
pub fn team_used_up() -> String {
    "I used up what this request may cost.".into()
}

/// A team whose rounds of review are over.
#[must_use]
pub fn no_more_rounds(rounds: u32) -> String {
    format!(
        "The rounds of this request are over ({rounds}). Return the latest version, and name what is left open."
    )
}

/// A worker that failed and failed again.
#[must_use]
pub fn failed_twice(worker: &str) -> String {
    format!("{worker} has failed twice. Finish with what there is, and say what is missing.")
}
