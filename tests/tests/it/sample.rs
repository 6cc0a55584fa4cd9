//! Selects the faults and kills that run. `.ci/run` prints the seed for a repetition; `.ci/nightly` runs all.

pub fn fault_seed() -> u64 {
    number("FAULT_SEED").unwrap_or(1)
}

pub fn all_faults() -> bool {
    number("FAULT_ALL") == Some(1)
}

pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let refuse = |_| panic!("{variable} is a number, not {text:?}");
    Some(text.parse().unwrap_or_else(refuse))
}
