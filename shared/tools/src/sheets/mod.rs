//! Tools for the person's sheets. Their content may be other people's words.

pub mod change;
pub mod create_sheet;
pub mod read_sheet;

use alfred_core::id::SheetId;
use alfred_core::ports::{AccountError, CellRange, Sheet, SheetSummary, Tab};

use crate::documents::file::{self, RemoteFile};
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

pub fn find_sheets() -> SharedTool {
    let description = "Lists spreadsheets by title, the last changed first.";
    let def = ToolDef::new(TOOLSET, "sheets_findSheets", description);
    tool::read(def.flow(Flow::UNKNOWN), file::find::<Sheet>)
}

#[async_trait]
impl RemoteFile for Sheet {
    const FIELD: &'static str = "sheetId";
    const NOUN: &'static str = "sheet";

    type Id = SheetId;

    fn summary(&self) -> &SheetSummary {
        &self.summary
    }

    fn link(&self) -> Option<String> {
        self.link.clone()
    }

    async fn list(
        context: &ToolContext,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<SheetSummary>, AccountError> {
        let sheets = &context.accounts.sheets;
        sheets.find(&context.account(), words, limit).await
    }

    async fn load(context: &ToolContext, id: &SheetId) -> Result<Option<Self>, AccountError> {
        let sheets = &context.accounts.sheets;
        sheets.sheet(&context.account(), id).await
    }
}

/// An empty name means the first tab.
fn tab<'a>(sheet: &'a Sheet, name: &str) -> Result<&'a Tab> {
    let found = sheet.tab(name);
    found.ok_or_else(|| ToolError::failed(text::no_such_tab(name)))
}

/// Parses a range in A1 notation. Fails if its tab doesn't exist.
fn range(sheet: &Sheet, a1: &str) -> Result<CellRange> {
    let Some(range) = CellRange::parse(a1) else {
        let problem = "is no range. One is like B2, B2:D5 or Costs!B2:D5.";
        let say = format!("I can't tell which cells “{a1}” are.");
        return Err(refused("range", a1, problem).say(say));
    };
    let tab = tab(sheet, &range.tab)?.name.clone();
    Ok(CellRange { tab, ..range })
}
