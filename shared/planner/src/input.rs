//! What is wrong with something a person or a model wrote.

use std::ops::RangeInclusive;
use thiserror::Error;

/// Characters of a bad value that an error repeats.
const SHOWN: usize = 60;

/// A value that can't be used, with the field it came in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: \"{value}\" {problem}")]
pub struct InputError {
    pub field: String,
    /// What was given, cut after 60 characters.
    pub value: String,
    /// What is wrong, and what would do. Reads on from the value.
    pub problem: String,
    /// The bounds of a number or count, such as "1 to 5", if it is outside of them.
    pub bounds: Option<String>,
}

impl InputError {
    pub fn new(field: &str, value: &str, problem: impl Into<String>) -> Self {
        let mut shown: String = value.chars().take(SHOWN).collect();
        if shown.len() < value.len() {
            shown.push('…');
        }
        Self {
            field: field.to_owned(),
            value: shown,
            problem: problem.into(),
            bounds: None,
        }
    }

    /// A number outside of bounds such as "1 to 5".
    pub fn out_of_bounds(field: &str, value: &str, bounds: &str) -> Self {
        let problem = format!("is out of range: {bounds}.");
        Self {
            bounds: Some(bounds.to_owned()),
            ..Self::new(field, value, problem)
        }
    }
}

pub(crate) fn within(
    field: &str,
    number: u32,
    range: RangeInclusive<u32>,
    unit: &str,
) -> Result<u32, InputError> {
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    let bounds = format!("{least} to {most} {unit}");
    let number = number.to_string();
    Err(InputError::out_of_bounds(field, &number, &bounds))
}
