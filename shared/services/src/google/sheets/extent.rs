//! How far tabs are filled. Google tells how large their grids are, and leaves out what is empty at a range's end: a
//! tab of some 50,000 cells is read; of a larger one first some rows, until what is left to look through isn't more.

use alfred_core::ports::{AccountError, CellRange, Rows, Tab};

use super::book::Grid;
use super::{Spreadsheet, count};

/// Cells that are read, full or empty.
const READ: usize = 50_000;
/// Rows that are looked at in one call.
const SAMPLES: u32 = 40;

impl Spreadsheet<'_> {
    /// Exact whatever is where: below and right of what is known to be filled everything is asked for, which is next
    /// to nothing unless a tab has large holes.
    pub(super) async fn extents(&self, grids: &[Grid]) -> Result<Vec<Tab>, AccountError> {
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

    /// Looks at rows here and there, then between the last one that holds something and the next.
    async fn sampled(&self, grid: &Grid) -> Result<Tab, AccountError> {
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

/// Rows below those that are filled down to `bottom`, evenly.
fn samples(grid: &Grid, filled: u32, bottom: u32) -> Vec<CellRange> {
    let many = (bottom - filled).min(SAMPLES);
    let step = |n: u32| u64::from(bottom - filled) * u64::from(n) / u64::from(many);
    let row = |n| filled + u32::try_from(step(n)).unwrap_or_default();
    let rows = (1..=many).map(|n| grid.range((row(n), 1), 1, grid.columns));
    rows.collect()
}

/// What is below what is filled, and right of it.
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

/// It is filled as far as what was found in a range.
fn extend(tab: &mut Tab, range: &CellRange, found: &Rows) {
    let width = found.iter().map(Vec::len).max().unwrap_or_default();
    if width > 0 {
        tab.rows = tab.rows.max(range.top - 1 + count(found.len()));
        tab.columns = tab.columns.max(range.left - 1 + count(width));
    }
}
