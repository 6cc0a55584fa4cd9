//! What is wrong with something a person or a model wrote.

use thiserror::Error;

/// Characters of a bad value that an error repeats.
const SHOWN: usize = 60;

/// A value that can't be used, with the field it came in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: \"{value}\" {problem}")]
pub struct InputError {
    /// The argument, as the caller spells it.
    pub field: String,
    /// What was given, cut after 60 characters.
    pub value: String,
    /// What is wrong, and what would do. Reads on from the value.
    pub problem: String,
}

impl InputError {
    /// An error about this value of this field.
    pub fn new(field: &str, value: &str, problem: impl Into<String>) -> Self {
        let mut shown: String = value.chars().take(SHOWN).collect();
        if shown.len() < value.len() {
            shown.push('…');
        }
        Self {
            field: field.to_owned(),
            value: shown,
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_and_named() {
        let error = InputError::new("date", &"é".repeat(100), "is no date");
        assert_eq!(
            error.to_string(),
            format!("date: \"{}…\" is no date", "é".repeat(60))
        );
    }
}
