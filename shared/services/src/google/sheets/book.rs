//! What a spreadsheet is made of: its tabs' grids, and the stamps of what was done to it
//! (<https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/get>).

use alfred_core::ports::{AccountError, CellRange, Tab};
use alfred_core::text;
use serde::Deserialize;

use super::Spreadsheet;
use super::stamp::{Metadata, Stamps};
use crate::google::api::{CallError, shaped};

const FIELDS: &str = "developerMetadata(metadataId,metadataKey,metadataValue),\
    sheets/properties(sheetId,title,gridProperties(rowCount,columnCount))";

/// A spreadsheet without its cells.
pub(super) struct Book {
    /// In their order, without tabs that are a chart.
    pub grids: Vec<Grid>,
    pub stamps: Stamps,
}

/// The grid of a tab, most of which may be empty.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub id: u32,
    pub title: String,
    pub rows: u32,
    pub columns: u32,
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct Resource {
    sheets: Vec<Part>,
    developer_metadata: Vec<Metadata>,
}

#[derive(Deserialize)]
struct Part {
    properties: Properties,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    #[serde(default)]
    sheet_id: u32,
    title: String,
    grid_properties: Option<Size>,
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct Size {
    row_count: u32,
    column_count: u32,
}

impl Spreadsheet<'_> {
    /// `None` when it isn't there.
    pub(super) async fn book(&self) -> Result<Option<Book>, AccountError> {
        match self.call(&self.get("").query("fields", FIELDS)).await {
            Ok(answer) => {
                let Resource {
                    sheets,
                    developer_metadata,
                } = shaped(answer)?;
                let grids = sheets.into_iter().filter_map(|part| part.properties.grid());
                Ok(Some(Book {
                    grids: grids.collect(),
                    stamps: Stamps::read(developer_metadata),
                }))
            }
            Err(CallError::Status { code: 404, .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Properties {
    fn grid(self) -> Option<Grid> {
        let size = self.grid_properties?;
        Some(Grid {
            id: self.sheet_id,
            title: self.title,
            rows: size.row_count,
            columns: size.column_count,
        })
    }
}

impl Book {
    /// The tab of this name, or the first one where none is named.
    pub fn grid(&self, name: &str) -> Result<&Grid, AccountError> {
        let found = match name {
            "" => self.grids.first(),
            name => self.grids.iter().find(|grid| grid.title == name),
        };
        found.ok_or_else(|| AccountError::refused(text::no_such_tab(name)))
    }
}

impl Grid {
    /// As the port has it.
    pub fn tab(&self, rows: u32, columns: u32) -> Tab {
        Tab {
            name: self.title.clone(),
            rows,
            columns,
        }
    }

    /// Cells of it from a corner on, both counted from 1.
    pub fn range(&self, (top, left): (u32, u32), rows: u32, columns: u32) -> CellRange {
        CellRange {
            tab: self.title.clone(),
            top,
            left,
            rows,
            columns,
        }
    }
}
