//! Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>).

use serde::{Deserialize, Serialize};

/// What is in a spreadsheet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Spreadsheet {}
