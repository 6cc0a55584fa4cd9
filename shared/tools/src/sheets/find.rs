//! Finds sheets by id or title, and ranges in their tabs.

use alfred_core::id::SheetId;
use alfred_core::ports::{CellRange, Sheet, SheetSummary, Tab};

use crate::account::not_read;
use crate::documents::{Named, name, pick, reads_alike, words};
use crate::prelude::*;

const FIELD: &str = "sheetId";
const LOOKED_AT: usize = 100;

pub async fn one(context: &ToolContext, named: &str) -> Result<Sheet, ToolError> {
    let named = name(FIELD, named)?;
    let (account, port) = (context.account(), &context.accounts.sheets);
    let read = async |id| port.sheet(&account, &id).await.map_err(not_read);
    if let Some(sheet) = read(SheetId(named.clone())).await? {
        return Ok(sheet);
    }
    let found = port.find(&account, &words(&named), LOOKED_AT).await;
    let found = found.map_err(not_read)?.into_iter().map(|one| Named {
        id: one.id.0,
        title: one.title,
        modified: one.modified,
    });
    let id = pick(context, FIELD, &named, found.collect())?;
    let sheet = read(SheetId(id)).await?;
    sheet.ok_or_else(|| ToolError::failed(text::SHEET_GONE))
}

/// Whether another sheet has a title that reads the same.
pub async fn has_namesake(context: &ToolContext, of: &SheetSummary) -> Result<bool, ToolError> {
    let (account, port) = (context.account(), &context.accounts.sheets);
    let found = port.find(&account, &words(&of.title), LOOKED_AT).await;
    let mut others = found.map_err(not_read)?.into_iter();
    Ok(others.any(|one| one.id != of.id && reads_alike(&one.title, &of.title)))
}

/// An empty name means the first tab.
pub fn tab<'a>(sheet: &'a Sheet, name: &str) -> Result<&'a Tab, ToolError> {
    let found = sheet.tab(name);
    found.ok_or_else(|| ToolError::failed(text::no_such_tab(name)))
}

/// Parses a range in A1 notation. Fails if its tab doesn't exist.
pub fn range(sheet: &Sheet, a1: &str) -> Result<CellRange, ToolError> {
    let Some(range) = CellRange::parse(a1) else {
        let problem = "is no range. One is like B2, B2:D5 or Costs!B2:D5.";
        return Err(refused("range", a1, problem).say(format!(
            "I can't tell which cells \u{201c}{a1}\u{201d} are."
        )));
    };
    let tab = tab(sheet, &range.tab)?.name.clone();
    Ok(CellRange { tab, ..range })
}
