//! Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>): spreadsheets with their tabs, cells
//! as they were entered, and developer metadata; read by ranges, changed by batches that do all or nothing.

mod a1;
mod batch;
mod cell;
mod metadata;
mod read;

use alfred_core::ports::Rows;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::Scene;
use crate::routes::{GET, POST, Routes, Spec};
use crate::scope::{DRIVE_FILE, DRIVE_READONLY, SPREADSHEETS};
use a1::Area;
pub use cell::{Cell, Entered};
use metadata::Metadata;

/// Cells of all grids together, empty ones too.
const MOST_CELLS: u64 = 10_000_000;

pub(crate) fn routes() -> Routes {
    let read = |id| Spec::new(id, &[SPREADSHEETS, DRIVE_READONLY, DRIVE_FILE], 1);
    let write = |id| Spec::new(id, &[SPREADSHEETS, DRIVE_FILE], 1);
    let values = read("sheets.spreadsheets.values.batchGet");
    Routes::at("/v4/spreadsheets/{spreadsheetId}")
        .method(GET, "", read("sheets.spreadsheets.get"))
        .by(read::spreadsheet)
        .method(POST, "", write("sheets.spreadsheets.batchUpdate"))
        .by(batch::update)
        .method(GET, "/values:batchGet", values)
        .by(read::batch_get)
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spreadsheet {
    pub tabs: Vec<Tab>,
    metadata: Vec<Metadata>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tab {
    /// The unique `sheetId`.
    pub id: u32,
    pub title: String,
    pub rows: u32,
    pub columns: u32,
    /// Filled ones, by row and column from 0.
    cells: BTreeMap<u32, BTreeMap<u32, Cell>>,
}

impl Default for Spreadsheet {
    fn default() -> Self {
        Self::of(vec![Tab::new(0, "Sheet1", (1_000, 26))])
    }
}

impl Spreadsheet {
    pub fn of(tabs: Vec<Tab>) -> Self {
        let metadata = Vec::new();
        Self { tabs, metadata }
    }

    pub fn metadata_count(&self) -> usize {
        self.metadata.len()
    }

    fn tab(&mut self, id: u32) -> Result<&mut Tab, ApiError> {
        let found = self.tabs.iter_mut().find(|tab| tab.id == id);
        found.ok_or_else(|| ApiError::invalid(format!("No grid with id: {id}")))
    }

    fn within_limit(&self) -> Result<(), ApiError> {
        let cells = |tab: &Tab| u64::from(tab.rows) * u64::from(tab.columns);
        if self.tabs.iter().map(cells).sum::<u64>() > MOST_CELLS {
            return Err(ApiError::invalid(format!(
                "This action would increase the number of cells in the workbook above the limit of {MOST_CELLS} cells."
            )));
        }
        Ok(())
    }
}

impl File {
    /// A sheet with these tabs, made with the app, and editable.
    pub fn sheet<'a>(
        title: &str,
        modified: Timestamp,
        tabs: impl IntoIterator<Item = (&'a str, Rows)>,
    ) -> Self {
        let tabs = (0..).zip(tabs).map(|(id, (title, rows))| {
            let mut tab = Tab::new(id, title, (1_000, 26));
            tab.fill(&rows);
            tab
        });
        let content = Content::Spreadsheet(Spreadsheet::of(tabs.collect()));
        Self::new(title, content, modified)
    }
}

impl Tab {
    /// The grid's size is rows and columns.
    pub fn new(id: u32, title: &str, (rows, columns): (u32, u32)) -> Self {
        Self {
            id,
            title: title.to_owned(),
            rows,
            columns,
            cells: BTreeMap::new(),
        }
    }

    /// Row and column are from 0.
    pub fn put(&mut self, row: u32, column: u32, cell: impl Into<Cell>) {
        let row = self.cells.entry(row).or_default();
        row.insert(column, cell.into());
    }

    /// Puts rows from the first cell on.
    pub fn fill(&mut self, rows: &Rows) {
        for (row, cells) in (0..).zip(rows) {
            for (column, cell) in (0..).zip(cells) {
                if let Some(entered) = Entered::of(cell) {
                    self.put(row, column, entered);
                }
            }
        }
    }

    /// A filled cell, by row and column from 0.
    pub fn cell(&self, row: u32, column: u32) -> Option<&Cell> {
        self.cells.get(&row)?.get(&column)
    }

    /// Removes a row, and moves those below up.
    pub fn remove_row(&mut self, row: u32) {
        let below = self.cells.split_off(&row).into_iter();
        let moved = below.filter(|(at, _)| *at != row);
        self.cells.extend(moved.map(|(at, cells)| (at - 1, cells)));
    }

    /// The number of rows up to the last filled one.
    pub fn filled(&self) -> u32 {
        self.cells.last_key_value().map_or(0, |(row, _)| row + 1)
    }

    /// Fills an area. `None` empties a cell.
    fn enter(&mut self, area: &Area, cell: impl Fn(u32, u32) -> Option<Cell>) {
        for row in area.rows() {
            let cells = self.cells.entry(row).or_default();
            for column in area.columns() {
                match cell(row, column) {
                    Some(cell) => cells.insert(column, cell),
                    None => cells.remove(&column),
                };
            }
        }
        self.cells.retain(|_, cells| !cells.is_empty());
    }

    fn check(&self, area: &Area) -> Result<(), ApiError> {
        if area.bottom > self.rows || area.right > self.columns {
            let range = area.a1(&self.title);
            let message = format!("Range ({range}) exceeds grid limits.");
            return Err(ApiError::invalid(message));
        }
        Ok(())
    }
}

impl Scene<'_> {
    fn spreadsheet(&mut self, id: &str) -> Result<&mut Spreadsheet, ApiError> {
        of(self.file(id)?)
    }
}

fn of(file: &mut File) -> Result<&mut Spreadsheet, ApiError> {
    match &mut file.content {
        Content::Spreadsheet(book) => Ok(book),
        Content::Document(_) => Err(ApiError::invalid(
            "This operation is not supported for this document",
        )),
    }
}
