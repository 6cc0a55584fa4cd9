use alfred_core::ports;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What was entered; in JSON the API's `ExtendedValue`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Entered {
    /// Also a date.
    NumberValue(f64),
    StringValue(String),
    BoolValue(bool),
    /// A formula, with its `=`.
    FormulaValue(String),
}

impl Entered {
    /// `None` if the cell is empty.
    pub fn of(cell: &ports::Cell) -> Option<Self> {
        Some(match cell {
            ports::Cell::Empty => return None,
            ports::Cell::Bool(is) => Self::BoolValue(*is),
            ports::Cell::Number(number) => Self::NumberValue(*number),
            ports::Cell::Text(text) => Self::StringValue(text.clone()),
        })
    }
}

/// A cell that isn't empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub entered: Entered,
    /// What it shows instead.
    shown: Option<Box<Shown>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shown {
    /// Of a formula.
    Result(Entered),
    Date(String),
}

impl From<Entered> for Cell {
    fn from(entered: Entered) -> Self {
        let shown = None;
        Self { entered, shown }
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
    /// A formula and its result: this stand-in doesn't calculate.
    pub fn formula(formula: &str, result: Entered) -> Self {
        Self {
            entered: Entered::FormulaValue(formula.to_owned()),
            shown: Some(Box::new(Shown::Result(result))),
        }
    }

    /// Days since 30 December 1899, and the date as shown.
    pub fn date(serial: f64, shown: &str) -> Self {
        Self {
            entered: Entered::NumberValue(serial),
            shown: Some(Box::new(Shown::Date(shown.to_owned()))),
        }
    }

    /// The value as `UNFORMATTED_VALUE` and `FORMATTED_STRING` give it.
    pub(super) fn value(&self) -> Value {
        match self.shown.as_deref() {
            Some(Shown::Result(result)) => plain(result),
            Some(Shown::Date(shown)) => json!(shown),
            None => plain(&self.entered),
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
