//! What is in a cell.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// As it is entered; in JSON the API's `ExtendedValue`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Entered {
    /// A number, a date too.
    NumberValue(f64),
    /// A text.
    StringValue(String),
    /// A truth value.
    BoolValue(bool),
    /// A formula, with its `=`.
    FormulaValue(String),
}

/// A cell that isn't empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// As it was entered.
    pub entered: Entered,
    /// What it shows where that is something else.
    shown: Option<Box<Shown>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shown {
    /// What a formula gives.
    Result(Entered),
    /// A number as a date.
    Date(String),
}

impl From<Entered> for Cell {
    fn from(entered: Entered) -> Self {
        Self {
            entered,
            shown: None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Entered::StringValue(text.to_owned()).into()
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Entered::NumberValue(number).into()
    }
}

impl Cell {
    /// A formula and what it gives: this stand-in reckons nothing.
    pub fn formula(formula: &str, result: Entered) -> Self {
        Self {
            entered: Entered::FormulaValue(formula.to_owned()),
            shown: Some(Box::new(Shown::Result(result))),
        }
    }

    /// A date: days since 30 December 1899, and how it is shown.
    pub fn date(serial: f64, shown: &str) -> Self {
        Self {
            entered: Entered::NumberValue(serial),
            shown: Some(Box::new(Shown::Date(shown.to_owned()))),
        }
    }

    /// As `UNFORMATTED_VALUE` gives it.
    pub(super) fn value(&self, dates_as_text: bool) -> Value {
        match self.shown.as_deref() {
            Some(Shown::Result(result)) => plain(result),
            Some(Shown::Date(shown)) if dates_as_text => json!(shown),
            Some(Shown::Date(_)) | None => plain(&self.entered),
        }
    }
}

fn plain(value: &Entered) -> Value {
    match value {
        Entered::NumberValue(number) => json!(number),
        Entered::StringValue(text) | Entered::FormulaValue(text) => json!(text),
        Entered::BoolValue(is) => json!(is),
    }
}
