//! Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>): spreadsheets with their tabs, cells
//! as they were entered, and developer metadata; read by ranges, changed by batches that do all or nothing.

mod a1;
mod batch;
mod cell;
mod metadata;
mod read;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Scene, Spec};
use crate::scope::DRIVE_FILE;
use crate::state::GoogleLocal;
use a1::Area;
pub use cell::{Cell, Entered};
use metadata::Metadata;

/// Cells of all grids together, empty ones too.
const MOST_CELLS: u64 = 10_000_000;

pub(crate) fn routes() -> Router<GoogleLocal> {
    let served = |id: &'static str, effect: Effect| {
        let spec = Spec::new(id, &[DRIVE_FILE], 1);
        move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect)
    };
    Router::new()
        .route(
            "/v4/spreadsheets/{spreadsheetId}",
            get(served("sheets.spreadsheets.get", read::spreadsheet))
                .post(served("sheets.spreadsheets.batchUpdate", batch::update)),
        )
        .route(
            "/v4/spreadsheets/{spreadsheetId}/values:batchGet",
            get(served(
                "sheets.spreadsheets.values.batchGet",
                read::batch_get,
            )),
        )
}

/// What is in a spreadsheet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spreadsheet {
    /// Its tabs, in their order.
    pub tabs: Vec<Tab>,
    metadata: Vec<Metadata>,
}

/// A tab with a grid.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tab {
    /// Its `sheetId`, which no other tab has.
    pub id: u32,
    /// What it is called.
    pub title: String,
    /// Rows of its grid.
    pub rows: u32,
    /// Columns of its grid.
    pub columns: u32,
    /// What isn't empty, by row and column from 0.
    cells: BTreeMap<u32, BTreeMap<u32, Cell>>,
}

impl Default for Spreadsheet {
    /// A new one of Google's.
    fn default() -> Self {
        Self::of(vec![Tab::new(0, "Sheet1", (1_000, 26))])
    }
}

impl Spreadsheet {
    /// One with these tabs.
    pub fn of(tabs: Vec<Tab>) -> Self {
        Self {
            tabs,
            metadata: Vec::new(),
        }
    }

    /// How many entries of developer metadata it has.
    pub fn metadata_count(&self) -> usize {
        self.metadata.len()
    }

    fn tab(&mut self, id: u32) -> Result<&mut Tab, ApiError> {
        let found = self.tabs.iter_mut().find(|tab| tab.id == id);
        found.ok_or_else(|| ApiError::invalid(format!("No grid with id: {id}")))
    }

    fn within_limit(&self) -> Result<(), ApiError> {
        let cells = |tab: &Tab| u64::from(tab.rows) * u64::from(tab.columns);
        match self.tabs.iter().map(cells).sum::<u64>() {
            0..=MOST_CELLS => Ok(()),
            _ => Err(ApiError::invalid(format!(
                "This action would increase the number of cells in the workbook above the limit of {MOST_CELLS} cells."
            ))),
        }
    }
}

impl Tab {
    /// An empty one with a grid of so many rows and columns.
    pub fn new(id: u32, title: &str, (rows, columns): (u32, u32)) -> Self {
        Self {
            id,
            title: title.to_owned(),
            rows,
            columns,
            cells: BTreeMap::new(),
        }
    }

    /// Puts a cell there, by row and column from 0, behind the API's back.
    pub fn put(&mut self, row: u32, column: u32, cell: impl Into<Cell>) {
        let row = self.cells.entry(row).or_default();
        row.insert(column, cell.into());
    }

    /// A cell that isn't empty, by row and column from 0.
    pub fn cell(&self, row: u32, column: u32) -> Option<&Cell> {
        self.cells.get(&row)?.get(&column)
    }

    /// Takes all cells of a row out and moves those below up, behind the API's back.
    pub fn remove_row(&mut self, row: u32) {
        let below = self.cells.split_off(&row).into_iter();
        let moved = below.filter(|(at, _)| *at != row);
        self.cells.extend(moved.map(|(at, cells)| (at - 1, cells)));
    }

    /// Rows up to the last one that holds something.
    pub fn filled(&self) -> u32 {
        self.cells.last_key_value().map_or(0, |(row, _)| row + 1)
    }

    /// Enters what `cell` gives, row by row from a corner, as an API's caller does; `None` empties.
    fn enter(&mut self, area: &Area, cell: impl Fn(u32, u32) -> Option<Cell>) {
        for row in area.rows() {
            for column in area.columns() {
                match cell(row, column) {
                    Some(cell) => self.put(row, column, cell),
                    None => {
                        if let Some(cells) = self.cells.get_mut(&row) {
                            cells.remove(&column);
                        }
                    }
                }
            }
        }
        self.cells.retain(|_, cells| !cells.is_empty());
    }

    fn check(&self, area: &Area) -> Result<(), ApiError> {
        match area.bottom <= self.rows && area.right <= self.columns {
            true => Ok(()),
            false => Err(ApiError::invalid(format!(
                "Range ({}) exceeds grid limits. Max rows: {}, max columns: {}",
                area.a1(&self.title),
                self.rows,
                self.columns
            ))),
        }
    }
}

impl Scene<'_> {
    /// The spreadsheet that is asked for.
    fn spreadsheet(&mut self, id: &str) -> Result<&mut Spreadsheet, ApiError> {
        of(self.account()?.drive.seen(id)?)
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
