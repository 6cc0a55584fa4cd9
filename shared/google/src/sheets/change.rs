//! Changes a spreadsheet, once for each key.

use alfred_core::id::SheetId;
use alfred_core::ports::{AccountError, Applied, CellRange, Rows, Sheet, SheetChange, Tab};
use alfred_core::text;
use serde_json::Value;

use super::book::Grid;
use super::stamp::{self, Stamp};
use super::{Spreadsheet, batch, count, removed, summary};
use crate::Result;
use crate::drive::Drive;
use alfred_accounts::api::unsure;

/// Rows and columns that one write may add to the grid.
const BEYOND: u32 = 1_000;

struct Plan {
    /// The grid after the change.
    grid: Grid,
    requests: Vec<Value>,
    /// Where others append at the same time, appended rows come further down.
    range: CellRange,
    /// The tabs after the change, if they are known before.
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
        if let Some(stamp) = spreadsheet.book.stamps.change(&digest) {
            return spreadsheet.applied(stamp).await.map_err(unsure);
        }
        if !spreadsheet.file.capabilities.can_edit {
            return Err(AccountError::refused(text::SHEET_READ_ONLY));
        }
        let plan = spreadsheet.plan(change).await;
        // Another process may have made it under the same key since the stamps were read.
        if let Err(AccountError::Refused { .. }) = &plan
            && let Ok(Some(applied)) = self.find_change(id, key).await
        {
            return Ok(applied);
        }
        let plan = plan?;
        match spreadsheet.make(&plan, digest).await {
            Ok(()) => spreadsheet.made(plan).await.map_err(unsure),
            // It may have been made by this call, or by another process under the same key.
            Err(error @ (AccountError::Unknown { .. } | AccountError::Refused { .. })) => {
                let found = self.find_change(id, key).await;
                found.map_err(unsure)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn find_change(&self, id: &SheetId, key: &str) -> Result<Option<Applied>> {
        let Some(file) = self.file_or_trashed(id.as_str()).await? else {
            return Ok(None);
        };
        let Some(spreadsheet) = self.spreadsheet_of(file).await? else {
            return Ok(None);
        };
        let stamps = &spreadsheet.book.stamps;
        match stamps.change(&stamp::key(self.account, key)) {
            Some(_) if spreadsheet.file.trashed => Err(removed()),
            Some(stamp) => spreadsheet.applied(stamp).await.map(Some),
            None if stamps.may_be_forgotten(self.google.clock.now()) => {
                Err(AccountError::Unknown {
                    detail: "so much was changed since that it can't be told any more".into(),
                })
            }
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
        let mut tabs = self.extents(&self.book.grids).await?;
        let tab = tabs.iter_mut().find(|tab| tab.name == grid.title);
        let above = tab.as_ref().map_or(0, |tab| tab.rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let range = grid.range((above + 1, 1), count(rows.len()), count(width));
        let mut requests = batch::grow(&mut grid, 0, range.columns);
        requests.push(batch::append(&grid, rows));
        if let Some(tab) = tab {
            for (row, cells) in (above + 1..).zip(rows) {
                for (column, _) in (1..).zip(cells).filter(|(_, cell)| !cell.is_empty()) {
                    tab.rows = row;
                    tab.columns = tab.columns.max(column);
                }
            }
        }
        Ok(Plan {
            grid,
            requests,
            range,
            tabs: Some(tabs),
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
            grid,
            requests,
            range,
            tabs: None,
        })
    }

    /// Sends the change with its stamp.
    async fn make(&self, plan: &Plan, key: String) -> Result<()> {
        let range = &plan.range;
        let stamp = Stamp {
            key,
            at: self.drive.google.clock.now().as_millisecond(),
            grid: plan.grid.id,
            cells: [range.top, range.left, range.rows, range.columns],
        };
        let mut requests = plan.requests.clone();
        requests.extend(self.book.stamps.add(&stamp));
        self.write(requests).await
    }

    /// The result of a change that was just made.
    async fn made(&self, plan: Plan) -> Result<Applied> {
        let file = self.drive.file(&self.file.id).await?.ok_or_else(removed)?;
        let tabs = if let Some(tabs) = plan.tabs {
            tabs
        } else {
            let mut grids = self.book.grids.clone();
            let changed = grids.iter_mut().find(|grid| grid.id == plan.grid.id);
            changed
                .into_iter()
                .for_each(|grid| *grid = plan.grid.clone());
            self.extents(&grids).await?
        };
        let sheet = Sheet {
            summary: summary(&file),
            tabs,
            may_edit: file.capabilities.can_edit,
            link: file.web_view_link,
        };
        let range = plan.range;
        Ok(Applied { sheet, range })
    }
}
