//! A person's sheets.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::documents::NOTHING_TO_APPEND;
use super::{Account, AccountError, CellRange, Rows};
use crate::id::SheetId;
use crate::text;

/// A sheet without what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetSummary {
    /// Its id.
    pub id: SheetId,
    /// What it is called. Others may have named it.
    pub title: String,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// A sheet: its tabs, and what may be done to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// Which, and since when it is as it is.
    pub summary: SheetSummary,
    /// In their order; at least one.
    pub tabs: Vec<Tab>,
    /// Whether this person may change it here.
    pub may_edit: bool,
    /// Where people open it.
    pub link: Option<String>,
}

impl Sheet {
    /// The tab of this name, or the first one where none is named.
    pub fn tab(&self, name: &str) -> Option<&Tab> {
        match name {
            "" => self.tabs.first(),
            name => self.tabs.iter().find(|tab| tab.name == name),
        }
    }
}

/// A tab of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tab {
    /// What it is called.
    pub name: String,
    /// Rows up to the last one that holds something.
    pub rows: u32,
    /// Columns up to the last one that holds something.
    pub columns: u32,
}

/// What is done to a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetChange {
    /// These rows go below the last one that holds something.
    Append {
        /// The tab's name.
        tab: String,
        /// Each from the first column on.
        rows: Rows,
    },
    /// Cells get other values.
    Update {
        /// Which.
        range: CellRange,
        /// As they are, a value for each.
        expected: Rows,
        /// As they are to be, a value for each.
        values: Rows,
    },
}

impl SheetChange {
    /// What every provider refuses before it reaches for anything.
    ///
    /// # Errors
    /// `Refused` when it says nothing, is more than [`CellRange::MOST`] cells, or has no value for each cell.
    pub fn check(&self) -> Result<(), AccountError> {
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
                match fits(expected) && fits(values) {
                    true => Ok(()),
                    false => Err(AccountError::refused(text::values_dont_fit(
                        range.rows,
                        range.columns,
                    ))),
                }
            }
        }
    }
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// The sheet as it is now.
    pub sheet: Sheet,
    /// Where the values stood when they were written.
    pub range: CellRange,
}

/// A person's sheets. Cells hold values: a text is never read as a formula, whatever it begins with.
#[async_trait]
pub trait Sheets: Send + Sync {
    /// Sheets whose title holds all of these words, whatever their case, the last changed first; 1–100 at most,
    /// another `limit` is taken as the nearest of these.
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<SheetSummary>, AccountError>;
    /// A sheet; `None` when this person has none of this id.
    async fn sheet(&self, account: &Account, id: &SheetId) -> Result<Option<Sheet>, AccountError>;
    /// All cells of a range, also those that are empty; `None` when this person has no such sheet.
    ///
    /// # Errors
    /// `Refused` when there is no such tab, or these are more than [`CellRange::MOST`] cells.
    async fn read(
        &self,
        account: &Account,
        id: &SheetId,
        range: &CellRange,
    ) -> Result<Option<Rows>, AccountError>;
    /// Creates a sheet that only this person sees, with these texts as its first row. Creating again under a key
    /// gives the one that was made, as it is now.
    ///
    /// # Errors
    /// `Refused` when the title is empty.
    async fn create(
        &self,
        account: &Account,
        title: &str,
        header: &[String],
        idempotency_key: &str,
    ) -> Result<Sheet, AccountError>;
    /// The sheet that `create` made under this key; `None` when it certainly made none.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell, also where it was removed since.
    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Sheet>, AccountError>;
    /// Changes a sheet, once for the key: doing so again under it changes nothing.
    ///
    /// # Errors
    /// `Refused` when the sheet or the tab isn't there, isn't to be changed, a cell isn't as expected, or as
    /// [`SheetChange::check`].
    async fn apply(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        idempotency_key: &str,
    ) -> Result<Applied, AccountError>;
    /// What was changed under this key; `None` when certainly nothing was.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell.
    async fn find_applied(
        &self,
        account: &Account,
        id: &SheetId,
        idempotency_key: &str,
    ) -> Result<Option<Applied>, AccountError>;
}
