//! Finds the filled part of each tab. Google only gives the grid size and omits trailing empty cells. Tabs of
//! up to 50,000 cells are read whole. In larger ones sample rows narrow down the rest.

use alfred_core::ports::{CellRange, Rows, Tab};

use super::book::Grid;
use super::{Spreadsheet, count};
use crate::Result;

/// Cells that are read, full or empty.
const READ: usize = 50_000;
/// Sample rows in one call.
const SAMPLES: u32 = 40;

impl Spreadsheet<'_> {
    /// Exact for any layout: everything below and right of the known filled part is requested. That is
    /// little, unless a tab has large gaps.
    pub(super) async fn extents(&self, grids: &[Grid]) -> Result<Vec<Tab>> {
        let (mut tabs, mut asked) = (Vec::new(), Vec::new());
        for grid in grids {
            let tab = self.sampled(grid).await?;
            asked.extend(beyond(grid, &tab));
            tabs.push(tab);
        }
        let found = self.values(&asked).await?;
        for (range, rows) in asked.iter().zip(&found) {
            let of_it = tabs.iter_mut().find(|tab| tab.name == range.tab);
            of_it.into_iter().for_each(|tab| extend(tab, range, rows));
        }
        Ok(tabs)
    }

    /// Samples rows, then narrows down between the last filled one and the next.
    async fn sampled(&self, grid: &Grid) -> Result<Tab> {
        let (name, rows, columns) = (grid.title.clone(), 0, 0);
        let mut tab = Tab {
            name,
            rows,
            columns,
        };
        let mut bottom = grid.rows;
        while bottom > tab.rows + 1
            && grid.range((1, 1), bottom - tab.rows, grid.columns).cells() > READ
        {
            let asked = samples(grid, tab.rows, bottom);
            let found = self.values(&asked).await?;
            for (range, rows) in asked.iter().zip(&found) {
                extend(&mut tab, range, rows);
            }
            let next = asked.iter().find(|range| range.top > tab.rows);
            bottom = next.map_or(tab.rows, |range| range.top);
        }
        Ok(tab)
    }
}

/// Evenly spaced rows between `filled` and `bottom`.
fn samples(grid: &Grid, filled: u32, bottom: u32) -> Vec<CellRange> {
    let many = (bottom - filled).min(SAMPLES);
    let step = |n: u32| u64::from(bottom - filled) * u64::from(n) / u64::from(many);
    let row = |n| filled + u32::try_from(step(n)).unwrap_or_default();
    let rows = (1..=many).map(|n| grid.range((row(n), 1), 1, grid.columns));
    rows.collect()
}

/// The ranges below and right of the filled part.
fn beyond(grid: &Grid, tab: &Tab) -> Vec<CellRange> {
    let below = grid.rows.saturating_sub(tab.rows);
    let right = grid.columns.saturating_sub(tab.columns);
    let mut parts = vec![
        grid.range((tab.rows + 1, 1), below, grid.columns),
        grid.range((1, tab.columns + 1), tab.rows, right),
    ];
    parts.retain(|range| range.cells() > 0);
    parts
}

/// Extends the filled part by the values found in a range.
fn extend(tab: &mut Tab, range: &CellRange, found: &Rows) {
    let width = found.iter().map(Vec::len).max().unwrap_or_default();
    if width > 0 {
        tab.rows = tab.rows.max(range.top - 1 + count(found.len()));
        tab.columns = tab.columns.max(range.left - 1 + count(width));
    }
}
