//! Batches of changes; each is atomic
//! (<https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/request>). Values are
//! entered raw, so text is never parsed as a formula.

use alfred_core::ports::{AccountError, AccountService, Cell, CellRange, Rows};
use alfred_core::text;
use serde_json::{Value, json};

use super::Spreadsheet;
use super::book::Grid;
use crate::Result;
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

/// Characters that a cell can hold.
const MOST_CHARACTERS: usize = 50_000;
/// The written field of a cell; its format stays.
const WRITTEN: &str = "userEnteredValue";

/// Part of Google's error for exceeding ten million cells.
const FULL: &str = "above the limit";

impl Spreadsheet<'_> {
    pub(super) async fn write(&self, requests: &[Value]) -> Result<()> {
        let url = self.url(":batchUpdate");
        let body = json!({"requests": requests});
        let ask = Ask::post(AccountService::Sheets, url, body).query("fields", "spreadsheetId");
        let refusal = match self.call::<Value>(&ask).await {
            Ok(_) => return Ok(()),
            Err(CallError::Status { code: 403, .. }) => text::SHEET_READ_ONLY,
            Err(CallError::Status { code: 404, .. }) => text::SHEET_GONE,
            Err(CallError::Status {
                code: 400, message, ..
            }) if message.contains(FULL) => {
                "The sheet is full: it has as many cells as a sheet may have."
            }
            Err(error) => return Err(error.into()),
        };
        Err(AccountError::refused(refusal))
    }
}

/// Appends rows after the last non-empty one.
pub(super) fn append(grid: &Grid, rows: &Rows) -> Value {
    json!({"appendCells": {"sheetId": grid.id, "rows": rows_data(rows), "fields": WRITTEN}})
}

/// Overwrites a range.
pub(super) fn update(grid: &Grid, range: &CellRange, values: &Rows) -> Value {
    let (top, left) = (range.top - 1, range.left - 1);
    let range = json!({
        "sheetId": grid.id,
        "startRowIndex": top,
        "endRowIndex": top + range.rows,
        "startColumnIndex": left,
        "endColumnIndex": left + range.columns,
    });
    json!({"updateCells": {"range": range, "rows": rows_data(values), "fields": WRITTEN}})
}

/// Adds rows and columns that a grid lacks.
pub(super) fn grow(grid: &Grid, rows: u32, columns: u32) -> Vec<Value> {
    let wanted = [
        ("ROWS", grid.size.rows, rows),
        ("COLUMNS", grid.size.columns, columns),
    ];
    let lacking = wanted.into_iter().filter(|(_, has, wants)| wants > has);
    let grow = |(dimension, has, wants)| {
        json!({"appendDimension": {
            "sheetId": grid.id, "dimension": dimension, "length": wants - has,
        }})
    };
    lacking.map(grow).collect()
}

fn rows_data(rows: &Rows) -> Vec<Value> {
    let data = |cell: &Cell| match cell {
        Cell::Empty => json!({}),
        Cell::Text(text) if text.is_empty() => json!({}),
        Cell::Bool(is) => json!({WRITTEN: {"boolValue": is}}),
        Cell::Number(number) => json!({WRITTEN: {"numberValue": number}}),
        Cell::Text(text) => json!({WRITTEN: {"stringValue": text}}),
    };
    let row = |row: &Vec<Cell>| json!({"values": row.iter().map(data).collect::<Vec<_>>()});
    rows.iter().map(row).collect()
}

pub(super) fn check_texts(rows: &Rows) -> Result<()> {
    let too_long =
        |cell: &Cell| matches!(cell, Cell::Text(text) if text.chars().count() > MOST_CHARACTERS);
    if rows.iter().flatten().any(too_long) {
        return Err(AccountError::refused(format!(
            "A cell holds {MOST_CHARACTERS} characters at most, and one of these texts is longer."
        )));
    }
    Ok(())
}
