//! What a team is told about its rounds of review.

/// A team whose rounds of review are over.
pub fn no_more_rounds(rounds: u32) -> String {
    format!(
        "The rounds of this request are over ({rounds}). Return the latest version, and name what is left open."
    )
}

/// A worker that failed and failed again.
pub fn failed_twice(worker: &str) -> String {
    format!("{worker} has failed twice. Finish with what there is, and say what is missing.")
}
