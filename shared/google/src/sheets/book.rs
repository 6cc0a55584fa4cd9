//! A spreadsheet's tabs and the stamps of earlier changes
//! (<https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/get>).

use alfred_core::ports::{AccountError, CellRange};
use alfred_core::text;
use serde::Deserialize;

use super::stamp::{Metadata, Stamps};
use crate::Result;

pub(super) const FIELDS: &str = "developerMetadata(metadataId,metadataKey,metadataValue),\
    sheets/properties(sheetId,title,gridProperties(rowCount,columnCount))";

#[derive(Deserialize)]
#[serde(from = "Resource")]
pub(super) struct Book {
    /// In their order, without chart tabs.
    pub grids: Vec<Grid>,
    pub stamps: Stamps,
}

/// The grid of a tab. Most of it may be empty.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub id: u32,
    pub title: String,
    pub rows: u32,
    pub columns: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    #[serde(default)]
    sheets: Vec<Part>,
    #[serde(default)]
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
#[serde(rename_all = "camelCase")]
struct Size {
    row_count: u32,
    column_count: u32,
}

impl From<Resource> for Book {
    fn from(resource: Resource) -> Self {
        let grid = |part: Part| {
            let Properties {
                sheet_id,
                title,
                grid_properties,
            } = part.properties;
            grid_properties.map(|size| Grid {
                id: sheet_id,
                title,
                rows: size.row_count,
                columns: size.column_count,
            })
        };
        Self {
            grids: resource.sheets.into_iter().filter_map(grid).collect(),
            stamps: Stamps::read(resource.developer_metadata),
        }
    }
}

impl Book {
    /// The tab of this name. An empty name means the first tab.
    pub fn grid(&self, name: &str) -> Result<&Grid> {
        let mut grids = self.grids.iter();
        let found = grids.find(|grid| name.is_empty() || grid.title == name);
        found.ok_or_else(|| AccountError::refused(text::no_such_tab(name)))
    }
}

impl Grid {
    /// A range from a corner, counted from 1.
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
