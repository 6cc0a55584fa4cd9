//! Which of many faults and kills run. `.ci/run` prints the seed, so a failure can be repeated; `.ci/nightly` runs all.

/// `FAULT_SEED` chooses the sample.
pub fn fault_seed() -> u64 {
    number("FAULT_SEED").unwrap_or(1)
}

/// `FAULT_ALL=1` runs every fault.
pub fn all_faults() -> bool {
    number("FAULT_ALL") == Some(1)
}

/// A number from the environment.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let refuse = |_| panic!("{variable} is a number, not {text:?}");
    Some(text.parse().unwrap_or_else(refuse))
}
