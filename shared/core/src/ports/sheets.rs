//! Spreadsheets and the port to read and change them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::documents::NOTHING_TO_APPEND;
use super::{AccountError, CellRange, Result, Rows, SheetSummary};
use crate::id::SheetId;
use crate::text;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    pub summary: SheetSummary,
    /// In order; at least one.
    pub tabs: Vec<Tab>,
    pub may_edit: bool,
    pub link: Option<String>,
}

impl Sheet {
    /// The tab of this name; the first tab for an empty name.
    pub fn tab(&self, name: &str) -> Option<&Tab> {
        match name {
            "" => self.tabs.first(),
            name => self.tabs.iter().find(|tab| tab.name == name),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tab {
    pub name: String,
    /// Rows up to the last non-empty one.
    pub rows: u32,
    /// Columns up to the last non-empty one.
    pub columns: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetChange {
    /// Appends rows after the last non-empty one.
    Append {
        tab: String,
        /// Each row starts at the first column.
        rows: Rows,
    },
    Update {
        range: CellRange,
        /// The current values, one per cell. The change fails if they differ.
        expected: Rows,
        /// The new values, one per cell.
        values: Rows,
    },
}

impl SheetChange {
    /// Checks the change before a provider is called. Fails with `Refused` if it is empty, larger than
    /// [`CellRange::MOST`] cells, or doesn't have one value per cell.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Append { rows, .. } => {
                let cells: usize = rows.iter().map(Vec::len).sum();
                if cells == 0 || rows.iter().flatten().all(|cell| cell.is_empty()) {
                    return Err(AccountError::refused(NOTHING_TO_APPEND));
                }
                CellRange::check_size(cells)
            }
            Self::Update {
                range,
                expected,
                values,
            } => {
                range.check()?;
                let fits = |rows: &Rows| {
                    let width = range.columns as usize;
                    rows.len() == range.rows as usize && rows.iter().all(|row| row.len() == width)
                };
                if fits(expected) && fits(values) {
                    return Ok(());
                }
                Err(AccountError::refused(text::values_dont_fit(
                    range.rows,
                    range.columns,
                )))
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    pub sheet: Sheet,
    pub range: CellRange,
}

/// Spreadsheets of one person. Texts are never interpreted as formulas.
#[async_trait]
pub trait SheetsAccount: Send + Sync {
    /// Sheets whose title contains all words, ignoring case, last changed first. `limit` is clamped to 1–100.
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<SheetSummary>>;
    /// A sheet; `None` if this person has no such sheet.
    async fn sheet(&self, id: &SheetId) -> Result<Option<Sheet>>;
    /// All cells of a range, including empty ones. `None` if this person has no such sheet. Fails with
    /// `Refused` if the tab doesn't exist or the range is larger than [`CellRange::MOST`] cells.
    async fn read(&self, id: &SheetId, range: &CellRange) -> Result<Option<Rows>>;
    /// Creates a sheet visible only to this person, with `header` as its first row. A repeated call with the
    /// same key returns the existing sheet. Fails with `Refused` if the title is empty.
    async fn create(&self, title: &str, header: &[String], key: &str) -> Result<Sheet>;
    /// The sheet that `create` made with this key. `None` if it certainly made none. Fails with `Unknown` if
    /// that can't be found out, for example after the sheet was removed.
    async fn find_created(&self, key: &str) -> Result<Option<Sheet>>;
    /// Changes a sheet, once per key. A repeated call changes nothing. Fails with `Refused` if sheet or tab
    /// don't exist, can't be edited, or a cell isn't as expected, and as [`SheetChange::check`].
    async fn apply(&self, id: &SheetId, change: &SheetChange, key: &str) -> Result<Applied>;
    /// The change made with this key. `None` if certainly none was made. Fails with `Unknown` if that can't
    /// be found out.
    async fn find_applied(&self, id: &SheetId, key: &str) -> Result<Option<Applied>>;
}
