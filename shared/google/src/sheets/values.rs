//! Cell values (<https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/batchGet>):
//! formula results, unformatted numbers, dates as shown. Google omits trailing empty cells and rows, and refuses ranges
//! outside the grid.

use alfred_core::ports::{AccountService, Cell, CellRange, Rows};
use serde::Deserialize;

use super::Spreadsheet;
use crate::Result;
use alfred_accounts::ask::Ask;
use alfred_accounts::outbox::not_now;

/// Bytes of ranges in a URL, before encoding. Servers refuse longer URLs.
const MOST_BYTES: usize = 2_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    value_ranges: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    #[serde(default)]
    values: Rows,
}

impl Spreadsheet<'_> {
    /// All cells of a range, even outside the grid.
    pub(super) async fn cells(&self, range: &CellRange) -> Result<Rows> {
        let grid = self.book.grid(&range.tab)?;
        let rows = within(range.top, range.rows, grid.size.rows);
        let columns = within(range.left, range.columns, grid.size.columns);
        let mut found = Rows::new();
        if rows > 0 && columns > 0 {
            let inside = grid.range((range.top, range.left), rows, columns);
            found = self.values(&[inside]).await?.concat();
        }
        found.resize(range.rows as usize, Vec::new());
        for row in &mut found {
            row.resize(range.columns as usize, Cell::Empty);
        }
        Ok(found)
    }

    /// The values of ranges within their grids, without trailing empty cells.
    pub(super) async fn values(&self, ranges: &[CellRange]) -> Result<Vec<Rows>> {
        let (mut found, mut rest) = (Vec::with_capacity(ranges.len()), ranges);
        while !rest.is_empty() {
            let mut bytes = 0;
            let fitting = rest.iter().take_while(|range| {
                bytes += a1(range).len();
                bytes <= MOST_BYTES
            });
            let (now, later) = rest.split_at(fitting.count().max(1));
            found.extend(self.values_at_once(now).await?);
            rest = later;
        }
        Ok(found)
    }

    async fn values_at_once(&self, ranges: &[CellRange]) -> Result<Vec<Rows>> {
        let ask = Ask::get(AccountService::Sheets, self.url("/values:batchGet"))
            .query("valueRenderOption", "UNFORMATTED_VALUE")
            .query("dateTimeRenderOption", "FORMATTED_STRING");
        let ask = ranges
            .iter()
            .fold(ask, |ask, range| ask.query("ranges", a1(range)));
        let answer: Answer = self.call(&ask).await?;
        if answer.value_ranges.len() != ranges.len() {
            return Err(not_now("values of other ranges than were asked for"));
        }
        let rows = answer.value_ranges.into_iter().map(|given| given.values);
        Ok(rows.map(plain).collect())
    }
}

/// A range in A1 notation with a quoted tab name: unquoted, some names would be read as cells.
pub(super) fn a1(range: &CellRange) -> String {
    let tab = range.tab.replace('\'', "''");
    let cells = CellRange {
        tab: String::new(),
        ..range.clone()
    };
    format!("'{tab}'!{cells}")
}

/// How many of `many` items, from `first` on, exist.
fn within(first: u32, many: u32, all: u32) -> u32 {
    (all + 1).saturating_sub(first).min(many)
}

/// Normalises cells that show nothing to `Empty`.
fn plain(mut rows: Rows) -> Rows {
    for cell in rows.iter_mut().flatten().filter(|cell| cell.is_empty()) {
        *cell = Cell::Empty;
    }
    rows
}
