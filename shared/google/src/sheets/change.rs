//! Changes a spreadsheet, once for each key.

use alfred_core::id::SheetId;
use alfred_core::ports::{AccountError, Applied, CellRange, Rows, SheetChange, Tab};
use alfred_core::text;
use serde_json::Value;

use super::book::Grid;
use super::extent::fill;
use super::stamp::{self, Stamp};
use super::{Spreadsheet, batch, count, removed, sheet};
use crate::Result;
use crate::drive::Drive;
use alfred_accounts::api::unsure;

/// Rows and columns that one write may add to the grid.
const BEYOND: u32 = 1_000;

pub(super) struct Plan<'c> {
    /// The id of the tab's grid.
    grid: u32,
    requests: Vec<Value>,
    /// Where others append at the same time, appended rows come further down.
    range: CellRange,
    cells: &'c Rows,
    /// The tabs before the change, if nothing is overwritten.
    tabs: Option<Vec<Tab>>,
}

impl Drive<'_> {
    pub(super) async fn change_sheet(
        &self,
        id: &SheetId,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied> {
        change.check()?;
        let digest = stamp::key(self.account, key);
        let _turn = self.google.changing.of(&digest).await;
        let spreadsheet = self.spreadsheet(id.as_str()).await?;
        let spreadsheet = spreadsheet.ok_or_else(|| AccountError::refused(text::SHEET_GONE))?;
        if let Some(stamp) = spreadsheet.book.stamps.of(&digest) {
            return spreadsheet.applied(stamp).await.map_err(unsure);
        }
        if !spreadsheet.file.capabilities.can_edit {
            return Err(AccountError::refused(text::SHEET_READ_ONLY));
        }
        let plan = match change {
            SheetChange::Append { tab, rows } => spreadsheet.append(tab, rows).await,
            SheetChange::Update {
                range,
                expected,
                values,
            } => spreadsheet.update(range, expected, values).await,
        };
        // Another process may have made it under the same key since the stamps were read.
        if let Err(AccountError::Refused { .. }) = &plan
            && let Ok(Some(applied)) = self.find_change(id.as_str(), &digest).await
        {
            return Ok(applied);
        }
        spreadsheet.make(plan?, digest).await
    }

    pub(super) async fn find_change(&self, id: &str, digest: &str) -> Result<Option<Applied>> {
        let Some(file) = self.file_or_trashed(id).await? else {
            return Ok(None);
        };
        let Some(spreadsheet) = self.spreadsheet_of(file).await? else {
            return Ok(None);
        };
        match spreadsheet.book.stamps.of(digest) {
            Some(_) if spreadsheet.file.trashed => Err(removed()),
            Some(stamp) => spreadsheet.applied(stamp).await.map(Some),
            None => spreadsheet.check_stamps().map(|()| None),
        }
    }
}

impl Spreadsheet<'_> {
    async fn applied(&self, stamp: &Stamp) -> Result<Applied> {
        let grid = self.book.grids.iter().find(|grid| grid.id == stamp.grid);
        let grid = grid.ok_or_else(removed)?;
        let [top, left, rows, columns] = stamp.cells;
        let range = grid.range((top, left), rows, columns);
        let sheet = self.sheet().await?;
        Ok(Applied { sheet, range })
    }

    async fn append<'c>(&self, tab: &str, rows: &'c Rows) -> Result<Plan<'c>> {
        let grid = self.book.grid(tab)?;
        batch::check_texts(rows)?;
        let tabs = self.extents().await?;
        let filled = tabs.iter().find(|tab| tab.name == grid.title);
        let above = filled.map_or(0, |tab| tab.rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let range = grid.range((above + 1, 1), count(rows.len()), count(width));
        let mut requests = batch::grow(grid, 0, range.columns);
        requests.push(batch::append(grid, rows));
        Ok(Plan {
            grid: grid.id,
            requests,
            range,
            cells: rows,
            tabs: Some(tabs),
        })
    }

    async fn update<'c>(
        &self,
        range: &CellRange,
        expected: &Rows,
        values: &'c Rows,
    ) -> Result<Plan<'c>> {
        let grid = self.book.grid(&range.tab)?;
        batch::check_texts(values)?;
        let [bottom, right] = corner(range);
        if bottom > grid.size.rows + BEYOND || right > grid.size.columns + BEYOND {
            return Err(AccountError::refused(text::CELLS_TOO_FAR));
        }
        if self.cells(range).await? != *expected {
            return Err(AccountError::refused(text::CELLS_CHANGED));
        }
        Ok(overwrite(grid, range, values))
    }

    pub(super) async fn make(&self, mut plan: Plan<'_>, key: String) -> Result<Applied> {
        let range = &plan.range;
        let stamp = Stamp {
            key,
            at: self.drive.google.clock.now().as_millisecond(),
            grid: plan.grid,
            cells: [range.top, range.left, range.rows, range.columns],
        };
        plan.requests.extend(self.book.stamps.add(&stamp));
        match self.write(&plan.requests).await {
            Ok(()) => self.made(plan).await.map_err(unsure),
            // It may have been made by this call, or by another process under the same key.
            Err(error @ (AccountError::Unknown { .. } | AccountError::Refused { .. })) => {
                let found = self.drive.find_change(&self.file.id, &stamp.key).await;
                found.map_err(unsure)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    async fn made(&self, plan: Plan<'_>) -> Result<Applied> {
        let file = self.drive.file(&self.file.id).await?;
        let mut tabs = match plan.tabs {
            Some(tabs) => tabs,
            None => self.extents().await?,
        };
        fill(&mut tabs, &plan.range, plan.cells);
        Ok(Applied {
            sheet: sheet(&file.ok_or_else(removed)?, tabs),
            range: plan.range,
        })
    }
}

/// Writes a range, whatever is there.
pub(super) fn overwrite<'c>(grid: &Grid, range: &CellRange, cells: &'c Rows) -> Plan<'c> {
    let [bottom, right] = corner(range);
    let mut requests = batch::grow(grid, bottom, right);
    requests.push(batch::update(grid, range, cells));
    Plan {
        grid: grid.id,
        requests,
        range: grid.range((range.top, range.left), range.rows, range.columns),
        cells,
        tabs: None,
    }
}

/// The last row and column.
fn corner(range: &CellRange) -> [u32; 2] {
    [range.top + range.rows - 1, range.left + range.columns - 1]
}
