//! Tools for the person's sheets. Their content may be other people's words.

pub mod append_rows;
pub mod create_sheet;
pub mod find_sheets;
pub mod read_sheet;
pub mod update_cells;

mod find;

use alfred_agent::tool::{Receipt, Toolset};
use alfred_core::id::SheetId;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Cell, Rows, Sheet, SheetSummary};

use crate::documents::minute;
use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "sheets",
    "spreadsheets: read, write",
    "is looking at your sheets…",
    "Changing sheets",
    "find and read sheets",
);

/// Cells per write: as many as a person can review on a card.
const MOST_CELLS: usize = 500;
const MAX_CELL: usize = 2_000;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SheetView {
    sheet_id: SheetId,
    title: String,
    /// Local time of the last change.
    modified: String,
}

impl SheetView {
    fn new(context: &ToolContext, summary: &SheetSummary) -> Self {
        Self {
            sheet_id: summary.id.clone(),
            title: shown_on_one_line(&summary.title),
            modified: minute(context, summary.modified),
        }
    }
}

/// Parses entries as a spreadsheet would. Fails above the limits.
fn typed(field: &str, rows: &[Vec<String>]) -> Result<Rows, ToolError> {
    let cells: usize = rows.iter().map(Vec::len).sum();
    if cells > MOST_CELLS {
        let problem = format!("are too many cells: at most {MOST_CELLS}.");
        return Err(refused(field, &cells.to_string(), problem));
    }
    for entry in rows.iter().flatten() {
        text_up_to(field, entry, MAX_CELL).map_err(invalid)?;
    }
    let cells = |row: &Vec<String>| row.iter().map(|entry| Cell::typed(entry)).collect();
    Ok(rows.iter().map(cells).collect())
}

fn entries(rows: &Rows) -> Vec<Vec<String>> {
    let entries = |row: &Vec<Cell>| row.iter().map(Cell::to_string).collect();
    rows.iter().map(entries).collect()
}

fn editable(sheet: &Sheet) -> Result<(), ToolError> {
    if sheet.may_edit {
        Ok(())
    } else {
        Err(ToolError::failed(text::SHEET_READ_ONLY))
    }
}

fn receipt(context: &ToolContext, sheet: &Sheet, what: String) -> Receipt {
    Receipt {
        what,
        place: "your sheets".to_owned(),
        provider_id: Some(sheet.summary.id.to_string()),
        link: sheet.link.clone(),
        at: Some(context.now),
        ..Receipt::default()
    }
}

#[cfg(test)]
mod scenarios {
    #[tokio::test]
    async fn hold() {
        crate::testing::scenario::check("sheets").await;
    }
}
