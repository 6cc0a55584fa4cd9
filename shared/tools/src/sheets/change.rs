//! `sheets_appendRows` and `sheets_updateCells`.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{AccountError, Applied, Cell, CellRange, Rows, Sheet, SheetChange};

use super::{MAX_CELL, MOST_CELLS, TOOLSET, range, tab};
use crate::documents::file::{Change, Prepared, Wanted};
use crate::prelude::*;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Append {
    /// As of sheets_readSheet.
    sheet_id: String,
    /// The first when left out.
    tab: Option<String>,
    /// Rows of cells: "12.5" is a number, "TRUE" a truth value, "'12" a text.
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    /// As of sheets_readSheet.
    sheet_id: String,
    /// As of sheets_readSheet, or its first cell.
    range: String,
    /// Rows of cells, as of sheets_appendRows; "" clears one.
    values: Vec<Vec<String>>,
}

pub fn append() -> SharedTool {
    let description =
        "Adds rows below the last one of a spreadsheet; values, no formulas. A card asks first.";
    let def = ToolDef::new(TOOLSET, Append::NAME, description);
    outward::tool::<Prepared<Append>>(def.flow(Flow::UNKNOWN))
}

pub fn update() -> SharedTool {
    let description = "Changes cells of a spreadsheet; values, no formulas. A card asks first.";
    let def = ToolDef::new(TOOLSET, Update::NAME, description);
    outward::tool::<Prepared<Update>>(def.flow(Flow::UNKNOWN))
}

/// Parses entries as a spreadsheet would. Fails above the limits, and for a sheet that can't be edited.
fn typed(sheet: &Sheet, field: &str, rows: &[Vec<String>]) -> Result<Rows> {
    let cells: usize = rows.iter().map(Vec::len).sum();
    check_count(field, cells, "cells", 0..=MOST_CELLS)?;
    for entry in rows.iter().flatten() {
        text_up_to(field, entry, MAX_CELL).map_err(invalid)?;
    }
    if !sheet.may_edit {
        return Err(ToolError::failed(text::SHEET_READ_ONLY));
    }
    let cells = |row: &Vec<String>| row.iter().map(|entry| Cell::typed(entry)).collect();
    Ok(rows.iter().map(cells).collect())
}

fn entries(rows: &Rows) -> Vec<Vec<String>> {
    let entries = |row: &Vec<Cell>| row.iter().map(Cell::to_string).collect();
    rows.iter().map(entries).collect()
}

#[async_trait]
impl Change for SheetChange {
    type File = Sheet;
    type Done = Applied;
    const UNDO: &'static str = Update::NAME;

    fn tab(&self) -> &str {
        match self {
            Self::Append { tab, .. } => tab,
            Self::Update { range, .. } => &range.tab,
        }
    }

    fn show(&self, _: &Sheet, preview: Preview) -> Preview {
        match self {
            Self::Append { rows, .. } => {
                let rows: Vec<String> = rows.iter().map(|row| line(row)).collect();
                preview.body(rows.join("\n"))
            }
            Self::Update {
                range,
                expected,
                values,
            } => {
                let pairs = expected.iter().flatten().zip(values.iter().flatten());
                let names = (0..range.rows).flat_map(|row| {
                    (0..range.columns).map(move |column| range.name_of(row, column))
                });
                let changed = names.zip(pairs).filter(|(_, (old, new))| old != new);
                changed.fold(preview, |preview, (name, (old, new))| {
                    preview.change(&name, old.to_string(), new.to_string())
                })
            }
        }
    }

    async fn make(&self, context: &ToolContext, file: &Sheet) -> Result<Applied, AccountError> {
        let (account, key) = (context.account(), &context.call.key);
        let (sheets, id) = (&context.accounts.sheets, &file.summary.id);
        sheets.apply(&account, id, self, key).await
    }

    async fn look(context: &ToolContext, file: &Sheet) -> Result<Option<Applied>, AccountError> {
        let (account, key) = (context.account(), &context.call.key);
        let (sheets, id) = (&context.accounts.sheets, &file.summary.id);
        sheets.find_applied(&account, id, key).await
    }

    fn changed(done: &Applied) -> &Sheet {
        &done.sheet
    }

    fn data(done: &Applied) -> Option<(&'static str, Value)> {
        Some(("range", done.range.to_string().into()))
    }

    fn undo(&self, sheet: &Sheet, done: &Applied) -> Option<(Value, Value)> {
        let (before, now) = match self {
            Self::Append { rows, .. } => {
                let width = rows.iter().map(Vec::len).max().unwrap_or_default();
                let mut now = rows.clone();
                now.iter_mut()
                    .for_each(|row| row.resize(width, Cell::Empty));
                (vec![vec![Cell::Empty; width]; rows.len()], now)
            }
            Self::Update {
                expected, values, ..
            } => (expected.clone(), values.clone()),
        };
        let undo = json!({
            "sheetId": sheet.summary.id,
            "range": done.range.to_string(),
            "values": entries(&before),
        });
        Some((undo, json!(entries(&now))))
    }
}

/// One line per row, with escapes so that one cell can't look like two.
fn line(row: &[Cell]) -> String {
    let cell = |cell: &Cell| {
        let entry = cell.to_string().replace('\\', "\\\\");
        entry.replace('|', "\\|").replace('\n', "\\n")
    };
    row.iter().map(cell).collect::<Vec<_>>().join(" | ")
}

#[async_trait]
impl Wanted for Append {
    const NAME: &'static str = "sheets_appendRows";
    type Change = SheetChange;

    fn file(&self) -> &str {
        &self.sheet_id
    }

    async fn check(&self, _: &ToolContext, sheet: &Sheet) -> Result<SheetChange> {
        let rows = typed(sheet, "rows", &self.rows)?;
        let tab = tab(sheet, self.tab.as_deref().unwrap_or_default())?;
        let tab = tab.name.clone();
        let change = SheetChange::Append { tab, rows };
        change.check().map_err(not_read)?;
        Ok(change)
    }

    fn card_title(&self) -> String {
        match self.rows.len() {
            1 => "Add a row to a sheet".into(),
            more => format!("Add {more} rows to a sheet"),
        }
    }

    fn did(&self, done: &Applied) -> String {
        match done.range.rows {
            1 => "Added a row to".into(),
            more => format!("Added {more} rows to"),
        }
    }
}

#[async_trait]
impl Wanted for Update {
    const NAME: &'static str = "sheets_updateCells";
    type Change = SheetChange;

    fn file(&self) -> &str {
        &self.sheet_id
    }

    async fn check(&self, context: &ToolContext, sheet: &Sheet) -> Result<SheetChange> {
        let values = typed(sheet, "values", &self.values)?;
        let range = target(sheet, &self.range, &values)?;
        let (account, port) = (context.account(), &context.accounts.sheets);
        let there = port.read(&account, &sheet.summary.id, &range).await;
        let there = there.map_err(not_read)?;
        let expected = there.ok_or_else(|| ToolError::failed(text::SHEET_GONE))?;
        let title = shown_on_one_line(&sheet.summary.title);
        context.ensure_as_left(&title, true, &json!(entries(&expected)))?;
        if expected == values {
            return Err(refused("values", &self.range, "has these values already."));
        }
        Ok(SheetChange::Update {
            range,
            expected,
            values,
        })
    }

    fn card_title(&self) -> String {
        "Change cells of a sheet".to_owned()
    }

    fn did(&self, done: &Applied) -> String {
        format!("Changed {} of", done.range)
    }
}

/// The target range; a single cell is the top left corner of the values.
fn target(sheet: &Sheet, a1: &str, values: &Rows) -> Result<CellRange> {
    let mut range = range(sheet, a1)?;
    let columns = values.first().map_or(0, Vec::len);
    if range.cells() == 1 {
        let size = |many: usize| u32::try_from(many.max(1)).unwrap_or(u32::MAX);
        (range.rows, range.columns) = (size(values.len()), size(columns));
    }
    let width = range.columns as usize;
    let fits = values.len() == range.rows as usize && values.iter().all(|row| row.len() == width);
    if !fits {
        let problem = text::values_dont_fit(range.rows, range.columns);
        return Err(ToolError::failed(format!("values: {problem}")).say(problem));
    }
    range.check().map_err(not_read)?;
    Ok(range)
}
