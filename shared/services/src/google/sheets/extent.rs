//! How far tabs are filled. Google tells how large their grids are, and leaves out what is empty at a range's end: a
//! tab of some 50,000 cells is read; of a larger one first some rows, until what is left to look through isn't more.

use alfred_core::ports::{AccountError, CellRange, Rows, Tab};

use super::Spreadsheet;
use super::book::Grid;

/// Cells that are read, full or empty.
const READ: u64 = 50_000;
/// Rows that are looked at in one call.
const SAMPLES: u32 = 40;

/// How far a tab is filled at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reach {
    rows: u32,
    columns: u32,
}

impl Reach {
    /// And as far as this, below and right of a corner that is counted from 0.
    fn and(&mut self, found: &Rows, (top, left): (u32, u32)) {
        let width = found.iter().map(Vec::len).max().unwrap_or_default();
        if width > 0 {
            self.rows = self.rows.max(top + count(found.len()));
            self.columns = self.columns.max(left + count(width));
        }
    }
}

impl Spreadsheet<'_> {
    /// Exact whatever is where: below and right of what is known to be filled everything is asked for, which is next
    /// to nothing unless a tab has large holes.
    pub(super) async fn extents(&self, grids: &[Grid]) -> Result<Vec<Tab>, AccountError> {
        let mut reaches = Vec::new();
        for grid in grids {
            reaches.push(self.sampled(grid).await?);
        }
        let (mut asked, mut corners) = (Vec::new(), Vec::new());
        for (at, (grid, reach)) in grids.iter().zip(&reaches).enumerate() {
            for (range, corner) in beyond(grid, *reach) {
                asked.push(range);
                corners.push((at, corner));
            }
        }
        let found = self.values(&asked).await?;
        for ((at, corner), rows) in corners.into_iter().zip(&found) {
            if let Some(reach) = reaches.get_mut(at) {
                reach.and(rows, corner);
            }
        }
        let tabs = grids.iter().zip(reaches);
        Ok(tabs.map(|(grid, r)| grid.tab(r.rows, r.columns)).collect())
    }

    /// Looks at rows here and there, then between the last one that holds something and the next.
    async fn sampled(&self, grid: &Grid) -> Result<Reach, AccountError> {
        let (mut reach, mut bottom) = (Reach::default(), grid.rows);
        let unseen =
            |filled: u32, bottom: u32| u64::from(bottom - filled) * u64::from(grid.columns);
        while bottom > reach.rows + 1 && unseen(reach.rows, bottom) > READ {
            let at = samples(reach.rows, bottom);
            let row = |top: &u32| grid.range((*top, 1), 1, grid.columns);
            let asked: Vec<CellRange> = at.iter().map(row).collect();
            let found = self.values(&asked).await?;
            for (top, rows) in at.iter().zip(&found) {
                reach.and(rows, (top - 1, 0));
            }
            bottom = at
                .into_iter()
                .find(|top| *top > reach.rows)
                .unwrap_or(reach.rows);
        }
        Ok(reach)
    }
}

/// Rows below `filled` down to `bottom`, evenly.
fn samples(filled: u32, bottom: u32) -> Vec<u32> {
    let many = (bottom - filled).min(SAMPLES);
    let step = |n: u32| u64::from(bottom - filled) * u64::from(n) / u64::from(many);
    let rows = (1..=many).map(|n| filled + u32::try_from(step(n)).unwrap_or_default());
    rows.collect()
}

/// What is below, and right of it, with their corners.
fn beyond(grid: &Grid, Reach { rows, columns }: Reach) -> Vec<(CellRange, (u32, u32))> {
    let (below, right) = (grid.rows - rows, grid.columns - columns);
    let mut parts = Vec::new();
    if below > 0 && grid.columns > 0 {
        let range = grid.range((rows + 1, 1), below, grid.columns);
        parts.push((range, (rows, 0)));
    }
    if right > 0 && rows > 0 {
        let range = grid.range((1, columns + 1), rows, right);
        parts.push((range, (0, columns)));
    }
    parts
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
