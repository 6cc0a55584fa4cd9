//! Changes a spreadsheet, once for each key.

use alfred_core::id::SheetId;
use alfred_core::ports::{Account, AccountError, Applied, CellRange, Rows, SheetChange};
use alfred_core::text;
use serde_json::Value;

use super::stamp::{self, Stamp};
use super::{Spreadsheet, batch, count, removed};
use crate::drive::Kind;
use crate::{Google, Result};
use alfred_accounts::api::unsure;

/// Rows and columns that one write may add to the grid.
const BEYOND: u32 = 1_000;

struct Plan {
    /// The tab's id.
    grid: u32,
    requests: Vec<Value>,
    /// Where others append at the same time, appended rows come further down.
    range: CellRange,
}

impl Google {
    pub(super) async fn change_sheet(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied> {
        change.check()?;
        let digest = stamp::key(account, key);
        let _turn = self.changing.of(&digest).await;
        let spreadsheet = self.open(account, id).await?;
        let spreadsheet = spreadsheet.ok_or_else(|| AccountError::refused(text::SHEET_GONE))?;
        if let Some(stamp) = spreadsheet.book.stamps.change(&digest) {
            return spreadsheet.applied(stamp).await.map_err(unsure);
        }
        if !spreadsheet.file.capabilities.can_edit {
            return Err(AccountError::refused(text::SHEET_READ_ONLY));
        }
        let plan = spreadsheet.plan(change).await?;
        let error = match spreadsheet.make(plan, digest).await {
            Ok(()) => removed(),
            // It may have been made by this call, or by another process under the same key.
            Err(error @ (AccountError::Unknown { .. } | AccountError::Refused { .. })) => error,
            Err(error) => return Err(error),
        };
        let found = self.find_change(account, id, key).await;
        found.map_err(unsure)?.ok_or(error)
    }

    pub(super) async fn find_change(
        &self,
        account: &Account,
        id: &SheetId,
        key: &str,
    ) -> Result<Option<Applied>> {
        let drive = self.drive(account, Kind::Spreadsheet);
        let Some(file) = drive.file_or_trashed(id.as_str()).await? else {
            return Ok(None);
        };
        let Some(spreadsheet) = self.open_file(account, file).await? else {
            return Ok(None);
        };
        let stamps = &spreadsheet.book.stamps;
        match stamps.change(&stamp::key(account, key)) {
            Some(_) if spreadsheet.file.trashed => Err(removed()),
            Some(stamp) => spreadsheet.applied(stamp).await.map(Some),
            None if stamps.may_be_forgotten(self.clock.now()) => Err(AccountError::Unknown {
                detail: "so much was changed since that it can't be told any more".into(),
            }),
            None => Ok(None),
        }
    }
}

impl Spreadsheet<'_> {
    /// The result of an earlier change.
    async fn applied(&self, stamp: &Stamp) -> Result<Applied> {
        let grid = self.book.grids.iter().find(|grid| grid.id == stamp.grid);
        let grid = grid.ok_or_else(removed)?;
        let [top, left, rows, columns] = stamp.cells;
        let range = grid.range((top, left), rows, columns);
        let sheet = self.sheet().await?;
        Ok(Applied { sheet, range })
    }

    async fn plan(&self, change: &SheetChange) -> Result<Plan> {
        match change {
            SheetChange::Append { tab, rows } => self.append(tab, rows).await,
            SheetChange::Update {
                range,
                expected,
                values,
            } => self.update(range, expected, values).await,
        }
    }

    async fn append(&self, tab: &str, rows: &Rows) -> Result<Plan> {
        let mut grid = self.book.grid(tab)?.clone();
        batch::check_texts(rows)?;
        let tabs = self.extents(std::slice::from_ref(&grid)).await?;
        let above = tabs.first().map_or(0, |tab| tab.rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let range = grid.range((above + 1, 1), count(rows.len()), count(width));
        let mut requests = batch::grow(&mut grid, 0, range.columns);
        requests.push(batch::append(&grid, rows));
        Ok(Plan {
            grid: grid.id,
            requests,
            range,
        })
    }

    async fn update(&self, range: &CellRange, expected: &Rows, values: &Rows) -> Result<Plan> {
        let mut grid = self.book.grid(&range.tab)?.clone();
        batch::check_texts(values)?;
        let bottom = range.top + range.rows - 1;
        let right = range.left + range.columns - 1;
        if bottom > grid.rows + BEYOND || right > grid.columns + BEYOND {
            return Err(AccountError::refused(text::CELLS_TOO_FAR));
        }
        if self.cells(&grid, range).await? != *expected {
            return Err(AccountError::refused(text::CELLS_CHANGED));
        }
        let mut requests = batch::grow(&mut grid, bottom, right);
        requests.push(batch::update(&grid, range, values));
        let range = grid.range((range.top, range.left), range.rows, range.columns);
        Ok(Plan {
            grid: grid.id,
            requests,
            range,
        })
    }

    /// Sends the change with its stamp.
    async fn make(&self, plan: Plan, key: String) -> Result<()> {
        let Plan {
            grid,
            mut requests,
            range,
        } = plan;
        let stamp = Stamp {
            key,
            at: self.google.clock.now().as_millisecond(),
            grid,
            cells: [range.top, range.left, range.rows, range.columns],
        };
        requests.extend(self.book.stamps.add(&stamp));
        self.write(requests).await
    }
}
