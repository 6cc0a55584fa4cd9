use alfred_agent::tool::Settled;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Applied, Cell, Rows, Sheet, SheetChange};
use async_trait::async_trait;

use super::update_cells::{self, settle};
use super::{SheetView, TOOLSET, editable, find, receipt, typed};
use crate::account::{not_done, not_read};
use crate::documents::{namesake, version};
use crate::outward::{self, Outward};
use crate::prelude::*;

const NAME: &str = "sheets_appendRows";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of sheets_readSheet.
    sheet_id: String,
    /// The first when left out.
    tab: Option<String>,
    /// Rows of cells: "12.5" is a number, "TRUE" a truth value, "'12" a text.
    rows: Vec<Vec<String>>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Adds rows below the last one of a spreadsheet; values, no formulas. A card asks first.",
    );
    outward::tool::<Appending>(def.flow(Flow::UNKNOWN))
}

struct Appending {
    sheet: Sheet,
    tab: String,
    rows: Rows,
    has_namesake: bool,
}

#[async_trait]
impl Outward for Appending {
    type Arguments = Arguments;

    /// The people with whom the sheet is shared are unknown here.
    async fn recipients(_: &ToolContext, _: &Arguments) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let rows = typed("rows", &args.rows)?;
        let sheet = find::one(context, &args.sheet_id).await?;
        editable(&sheet)?;
        let tab = args.tab.as_deref().unwrap_or_default();
        let tab = find::tab(&sheet, tab)?.name.clone();
        let has_namesake = find::has_namesake(context, &sheet.summary).await?;
        let appending = Self {
            sheet,
            tab,
            rows,
            has_namesake,
        };
        appending.change().check().map_err(not_read)?;
        Ok(appending)
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let summary = &self.sheet.summary;
        let rows: Vec<String> = self.rows.iter().map(|row| line(row)).collect();
        Preview::new(append_rows_title(rows.len()))
            .field("Sheet", &summary.title)
            .field("Tab", &self.tab)
            .field("Version", version(context, summary.modified))
            .any(text::CAREFUL, namesake(self.has_namesake))
            .body(rows.join("\n"))
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, sheets) = (&self.sheet.summary.id, &context.accounts.sheets);
        let applied = sheets.apply(&account, id, &self.change(), key).await;
        let applied = applied.map_err(not_done)?;
        let output = done(context, &applied)?;
        let width = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let padded = |row: &Vec<Cell>| {
            let mut row = row.clone();
            row.resize(width, Cell::Empty);
            row
        };
        let now: Rows = self.rows.iter().map(padded).collect();
        let before = vec![vec![Cell::Empty; width]; now.len()];
        Ok(update_cells::undone(output, &applied, &before, &now))
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        settle(context, NAME, &args.sheet_id, done).await
    }
}

fn append_rows_title(rows: usize) -> String {
    match rows {
        1 => "Add a row to a sheet".into(),
        more => format!("Add {more} rows to a sheet"),
    }
}

impl Appending {
    fn change(&self) -> SheetChange {
        SheetChange::Append {
            tab: self.tab.clone(),
            rows: self.rows.clone(),
        }
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

fn done(context: &ToolContext, applied: &Applied) -> Result<ToolOutput, ToolError> {
    let sheet = &applied.sheet;
    let view = SheetView::new(context, &sheet.summary);
    let title = shown_on_one_line(&sheet.summary.title);
    let what = appended_rows(applied.range.rows, &title);
    let data = json!({"sheet": view, "range": applied.range.to_string()});
    Ok(ToolOutput::data(&data)?.with_receipt(receipt(context, sheet, what)))
}

fn appended_rows(rows: u32, title: &str) -> String {
    match rows {
        1 => format!("Added a row to \"{title}\""),
        more => format!("Added {more} rows to \"{title}\""),
    }
}
