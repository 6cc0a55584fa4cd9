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

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Resource {
    sheets: Vec<Part>,
    developer_metadata: Vec<Metadata>,
}

#[derive(Deserialize)]
struct Part {
    properties: Grid,
}

/// The grid of a tab. Most of it may be empty.
#[derive(Deserialize)]
pub(super) struct Grid {
    #[serde(rename = "sheetId", default)]
    pub id: u32,
    pub title: String,
    /// A chart tab has none.
    #[serde(rename = "gridProperties", default)]
    pub size: Size,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Size {
    #[serde(rename = "rowCount")]
    pub rows: u32,
    #[serde(rename = "columnCount")]
    pub columns: u32,
}

impl From<Resource> for Book {
    fn from(resource: Resource) -> Self {
        let grids = resource.sheets.into_iter().map(|part| part.properties);
        Self {
            grids: grids.filter(|grid| grid.size.rows > 0).collect(),
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
