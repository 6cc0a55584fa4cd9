//! Changes of a spreadsheet, each once for its key.

use alfred_core::id::SheetId;
use alfred_core::ports::{Account, AccountError, Applied, Cell, CellRange, Rows, SheetChange, Tab};
use alfred_core::text;
use serde_json::Value;

use super::book::{Book, Grid};
use super::stamp::{self, Stamp};
use super::{Spreadsheet, batch, removed, sheet};
use crate::google::Google;
use crate::google::api::unsure;
use crate::google::drive::{File, Kind};

/// Rows and columns beyond the grid that may be written at once.
const BEYOND: u32 = 1_000;
/// Rows in which appended ones are looked for, should others have appended at the same moment.
const WATCHED: u32 = 1_000;

/// A change that is to be made.
struct Plan {
    grid: Grid,
    requests: Vec<Value>,
    range: CellRange,
    appended: Option<Appended>,
}

/// Rows that are to be appended.
struct Appended {
    first_row: String,
    /// How far they are filled themselves.
    rows: u32,
    columns: u32,
    /// The tabs before.
    tabs: Vec<Tab>,
}

fn gone() -> AccountError {
    AccountError::refused(text::sheet_gone())
}

impl Google {
    pub(super) async fn apply_change(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied, AccountError> {
        check(change)?;
        let digest = stamp::key(account, key);
        let _turn = self.changing.of(&digest).await;
        let file = self.file(account, Kind::Spreadsheet, id.as_str()).await?;
        let file = file.ok_or_else(gone)?;
        let spreadsheet = self.spreadsheet(account, &file.id);
        let book = spreadsheet.book().await?.ok_or_else(gone)?;
        if let Some(stamp) = book.stamps.change(&digest) {
            return spreadsheet.applied(&file, &book, stamp).await;
        }
        if !file.capabilities.can_edit {
            return Err(AccountError::refused(text::sheet_read_only()));
        }
        let plan = match change {
            SheetChange::Append { tab, rows } => spreadsheet.append(&book, tab, rows).await?,
            SheetChange::Update {
                range,
                expected,
                values,
            } => spreadsheet.update(&book, range, expected, values).await?,
        };
        match spreadsheet.make(&book, &plan, &digest).await {
            Ok(found) => {
                let made = spreadsheet.made(&book, plan, &found).await;
                made.map_err(unsure)
            }
            // It may have been made by this call, or under the same key by another process.
            Err(error @ (AccountError::Unknown { .. } | AccountError::Refused { .. })) => {
                let found = self.find_change(account, id, key).await;
                found.map_err(unsure)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn find_change(
        &self,
        account: &Account,
        id: &SheetId,
        key: &str,
    ) -> Result<Option<Applied>, AccountError> {
        let file = self
            .file_or_trashed(account, Kind::Spreadsheet, id.as_str())
            .await?;
        let Some(file) = file else {
            return Ok(None);
        };
        let spreadsheet = self.spreadsheet(account, &file.id);
        let Some(book) = spreadsheet.book().await? else {
            return Ok(None);
        };
        match book.stamps.change(&stamp::key(account, key)) {
            Some(_) if file.trashed => Err(removed()),
            Some(stamp) => spreadsheet.applied(&file, &book, stamp).await.map(Some),
            None if book.stamps.may_be_forgotten(self.clock.now()) => Err(AccountError::Unknown {
                detail: "so much was changed since that it can't be told any more".into(),
            }),
            None => Ok(None),
        }
    }
}

impl Spreadsheet<'_> {
    /// A change that was made before.
    async fn applied(
        &self,
        file: &File,
        book: &Book,
        stamp: &Stamp,
    ) -> Result<Applied, AccountError> {
        let grid = book.grids.iter().find(|grid| grid.id == stamp.grid);
        let grid = grid.ok_or_else(removed)?;
        let mut range = stamp.range(grid);
        if !stamp.first_row.is_empty() && range.top <= grid.rows && range.columns <= grid.columns {
            let found = self.entered(&watched(grid, &range)).await?;
            range.top = place(&found, &range, &stamp.first_row);
        }
        let sheet = self.sheet(file, &book.grids).await?;
        Ok(Applied { sheet, range })
    }

    async fn append(&self, book: &Book, tab: &str, rows: &Rows) -> Result<Plan, AccountError> {
        let mut grid = book.grid(tab)?.clone();
        let tabs = self.extents(&book.grids).await?;
        let tab = tabs.iter().find(|tab| tab.name == grid.title);
        let filled = tab.map_or(0, |tab| tab.rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let range = grid.range((filled + 1, 1), count(rows.len()), count(width));
        let mut requests = batch::grow(&mut grid, 0, range.columns);
        requests.push(batch::append(&grid, rows));
        grid.rows = grid.rows.max(filled + range.rows);
        let widths: Vec<u32> = rows.iter().map(|row| filled_to(row)).collect();
        let last = widths.iter().rposition(|width| *width > 0);
        let appended = Appended {
            first_row: rows
                .first()
                .map_or_else(String::new, |row| stamp::row_digest(row)),
            rows: last.map_or(0, |last| count(last + 1)),
            columns: widths.into_iter().max().unwrap_or_default(),
            tabs,
        };
        Ok(Plan {
            grid,
            requests,
            range,
            appended: Some(appended),
        })
    }

    async fn update(
        &self,
        book: &Book,
        range: &CellRange,
        expected: &Rows,
        values: &Rows,
    ) -> Result<Plan, AccountError> {
        let mut grid = book.grid(&range.tab)?.clone();
        let bottom = range.top + range.rows - 1;
        let right = range.left + range.columns - 1;
        if bottom > grid.rows + BEYOND || right > grid.columns + BEYOND {
            return Err(AccountError::refused(text::cells_too_far()));
        }
        if self.cells(&grid, range).await? != *expected {
            return Err(AccountError::refused(text::cells_changed()));
        }
        let mut requests = batch::grow(&mut grid, bottom, right);
        requests.push(batch::update(&grid, range, values));
        let range = grid.range((range.top, range.left), range.rows, range.columns);
        Ok(Plan {
            grid,
            requests,
            range,
            appended: None,
        })
    }

    /// Makes it, with its stamp; gives what was entered then where appended rows should be.
    async fn make(&self, book: &Book, plan: &Plan, digest: &str) -> Result<Rows, AccountError> {
        let (grid, range, now) = (&plan.grid, &plan.range, self.google.clock.now());
        let appended = plan.appended.as_ref();
        let first_row = appended.map_or_else(String::new, |rows| rows.first_row.clone());
        let stamp = Stamp::new(digest.to_owned(), now, grid.id, range, first_row);
        let mut requests = plan.requests.clone();
        requests.extend(book.stamps.add(&stamp));
        let watched = appended.map(|_| watched(grid, range));
        self.write(requests, watched.as_ref()).await
    }

    async fn made(&self, book: &Book, plan: Plan, found: &Rows) -> Result<Applied, AccountError> {
        let Plan {
            grid,
            mut range,
            appended,
            ..
        } = plan;
        let tabs = match appended {
            Some(mut appended) => {
                range.top = place(found, &range, &appended.first_row);
                let mut tabs = appended.tabs.iter_mut();
                if let Some(tab) = tabs.find(|tab| tab.name == grid.title) {
                    tab.rows = range.top + appended.rows - 1;
                    tab.columns = tab.columns.max(appended.columns);
                }
                appended.tabs
            }
            None => {
                let mut grids = book.grids.clone();
                if let Some(changed) = grids.iter_mut().find(|one| one.id == grid.id) {
                    *changed = grid;
                }
                self.extents(&grids).await?
            }
        };
        let file = self.google.file(self.account, Kind::Spreadsheet, self.id);
        let sheet = sheet(&file.await?.ok_or_else(removed)?, tabs);
        Ok(Applied { sheet, range })
    }
}

/// Where appended rows should be, and may be.
fn watched(grid: &Grid, range: &CellRange) -> CellRange {
    let rows = (grid.rows + 1).saturating_sub(range.top).clamp(1, WATCHED);
    grid.range((range.top, 1), rows, range.columns)
}

/// The row in which appended ones begin: where their first one is found, or else should be.
fn place(found: &Rows, range: &CellRange, first_row: &str) -> u32 {
    let at = found
        .iter()
        .position(|row| stamp::row_digest(row) == first_row);
    range.top + count(at.unwrap_or_default())
}

/// Cells up to the last one that holds something.
fn filled_to(row: &[Cell]) -> u32 {
    let last = row.iter().rposition(|cell| !cell.is_empty());
    last.map_or(0, |last| count(last + 1))
}

fn check(change: &SheetChange) -> Result<(), AccountError> {
    change.check()?;
    let (SheetChange::Append { rows, .. } | SheetChange::Update { values: rows, .. }) = change;
    let texts = rows.iter().flatten().filter_map(|cell| match cell {
        Cell::Text(text) => Some(text.as_str()),
        Cell::Empty | Cell::Bool(_) | Cell::Number(_) => None,
    });
    batch::check_texts(texts)
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
