//! Finds the filled part of each tab. Google only gives the grid size and omits trailing empty cells. So sample
//! rows are read of large tabs, and then the rest after the last filled one.

use alfred_core::ports::{CellRange, Rows, Tab};

use super::book::Grid;
use super::{Spreadsheet, count};
use crate::Result;

/// Cells between two sample rows.
const PART: u32 = 50_000;
/// Most cells of one tab's sample rows, which may be full.
const SAMPLED: u64 = 500_000;

impl Spreadsheet<'_> {
    /// Exact for any layout: everything below and right of the known filled part is requested. That is
    /// little, unless a tab has large gaps.
    pub(super) async fn extents(&self) -> Result<Vec<Tab>> {
        let grids = &self.book.grids;
        let empty = |grid: &Grid| Tab {
            name: grid.title.clone(),
            rows: 0,
            columns: 0,
        };
        let mut tabs: Vec<Tab> = grids.iter().map(empty).collect();
        let rows: Vec<CellRange> = grids.iter().flat_map(samples).collect();
        self.extend(&mut tabs, &rows).await?;
        let parts = grids.iter().zip(&tabs);
        let parts: Vec<CellRange> = parts.flat_map(|(grid, tab)| beyond(grid, tab)).collect();
        self.extend(&mut tabs, &parts).await?;
        Ok(tabs)
    }

    /// Extends the filled parts by the values found in ranges.
    async fn extend(&self, tabs: &mut [Tab], ranges: &[CellRange]) -> Result<()> {
        let found = self.values(ranges).await?;
        for (range, cells) in ranges.iter().zip(&found) {
            // Google gives a cell without a value if it is filled, for example with a formula that shows nothing.
            let width = cells.iter().map(Vec::len).max().unwrap_or_default();
            let tab = tabs.iter_mut().find(|tab| tab.name == range.tab);
            if let Some(tab) = tab.filter(|_| width > 0) {
                tab.rows = tab.rows.max(range.top - 1 + count(cells.len()));
                tab.columns = tab.columns.max(range.left - 1 + count(width));
            }
        }
        Ok(())
    }
}

/// Extends the filled part of a range's tab by cells that were written to the range.
pub(super) fn fill(tabs: &mut [Tab], range: &CellRange, cells: &Rows) {
    let Some(tab) = tabs.iter_mut().find(|tab| tab.name == range.tab) else {
        return;
    };
    for (row, cells) in (range.top..).zip(cells) {
        let cells = (range.left..).zip(cells);
        for (column, _) in cells.filter(|(_, cell)| !cell.is_empty()) {
            tab.rows = tab.rows.max(row);
            tab.columns = tab.columns.max(column);
        }
    }
}

/// The rows to sample: the last one, and others above it at equal distances. A small tab has no samples.
fn samples(grid: &Grid) -> impl Iterator<Item = CellRange> {
    let size = &grid.size;
    let cells = u64::from(size.rows) * u64::from(size.columns);
    let step = (PART / size.columns.max(1))
        .max(u32::try_from(cells / SAMPLED).unwrap_or(u32::MAX))
        .max(1);
    let rows = (1..=size.rows).rev().step_by(step as usize);
    let rows = rows.filter(move |_| step < size.rows);
    rows.map(|row| grid.range((row, 1), 1, size.columns))
}

/// The ranges below and right of the filled part.
fn beyond(grid: &Grid, tab: &Tab) -> Vec<CellRange> {
    let below = grid.size.rows.saturating_sub(tab.rows);
    let right = grid.size.columns.saturating_sub(tab.columns);
    let mut parts = vec![
        grid.range((tab.rows + 1, 1), below, grid.size.columns),
        grid.range((1, tab.columns + 1), tab.rows, right),
    ];
    parts.retain(|range| range.cells() > 0);
    parts
}
