//! `spreadsheets.batchUpdate` (<https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/batchUpdate>):
//! all of its requests, or none.

use serde::Deserialize;
use serde_json::{Value, json};

use super::a1::Area;
use super::cell::{Cell, Entered};
use super::metadata::{DataFilter, Metadata};
use super::{Spreadsheet, of};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};
use crate::fields;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Batch {
    requests: Vec<Request>,
}

#[derive(Deserialize)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
enum Request {
    AppendCells {
        sheet_id: u32,
        rows: Vec<RowData>,
        fields: Fields,
    },
    UpdateCells {
        range: GridRange,
        rows: Vec<RowData>,
        fields: Fields,
    },
    AppendDimension {
        sheet_id: u32,
        dimension: Dimension,
        length: u32,
    },
    CreateDeveloperMetadata {
        developer_metadata: Metadata,
    },
    DeleteDeveloperMetadata {
        data_filter: DataFilter,
    },
}

/// Which fields of the cells are written.
#[derive(Deserialize)]
enum Fields {
    #[serde(rename = "userEnteredValue")]
    UserEnteredValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Dimension {
    Rows,
    Columns,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowData {
    #[serde(default)]
    values: Vec<CellData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CellData {
    user_entered_value: Option<Entered>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GridRange {
    sheet_id: u32,
    start_row_index: u32,
    end_row_index: u32,
    start_column_index: u32,
    end_column_index: u32,
}

pub(super) fn update(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, now) = (scene.asked, scene.now);
    let target = asked.param("spreadsheetId");
    let id = target.strip_suffix(":batchUpdate");
    let id = id.ok_or_else(ApiError::not_found)?;
    let batch: Batch = serde_json::from_value(asked.body()?)
        .map_err(|error| ApiError::invalid(format!("Invalid JSON payload received. {error}")))?;
    if batch.requests.is_empty() {
        return Err(ApiError::invalid("Must specify at least one request."));
    }
    let file = scene.editable(id)?;
    let book = of(file)?;
    let (after, replies) = book.after(batch.requests)?;
    let answer = json!({"spreadsheetId": id, "replies": replies});
    *book = after;
    file.modified = now;
    Ok(fields::wanted(&answer, asked.query("fields").unwrap_or("*"))?.into())
}

impl Spreadsheet {
    /// A changed copy, and the replies.
    fn after(&self, requests: Vec<Request>) -> Result<(Self, Vec<Value>), ApiError> {
        let mut after = self.clone();
        let mut replies = Vec::new();
        for (at, request) in requests.into_iter().enumerate() {
            let wrong = |error: ApiError| error.within(&format!("Invalid requests[{at}]"));
            replies.push(after.apply(request).map_err(wrong)?);
        }
        after.within_limit()?;
        Ok((after, replies))
    }

    /// Returns the reply.
    fn apply(&mut self, request: Request) -> Result<Value, ApiError> {
        match request {
            Request::AppendCells {
                sheet_id,
                rows,
                fields: Fields::UserEnteredValue,
            } => self.append(sheet_id, &rows)?,
            Request::UpdateCells {
                range,
                rows,
                fields: Fields::UserEnteredValue,
            } => self.write(&range, &rows)?,
            Request::AppendDimension {
                sheet_id,
                dimension,
                length,
            } => {
                let tab = self.tab(sheet_id)?;
                match dimension {
                    Dimension::Rows => tab.rows += length,
                    Dimension::Columns => tab.columns += length,
                }
            }
            Request::CreateDeveloperMetadata { developer_metadata } => {
                let reply = self.create_metadata(developer_metadata)?;
                return Ok(json!({"createDeveloperMetadata": reply}));
            }
            Request::DeleteDeveloperMetadata { data_filter } => {
                let reply = self.delete_metadata(&data_filter);
                return Ok(json!({"deleteDeveloperMetadata": reply}));
            }
        }
        Ok(json!({}))
    }

    /// Appends after the last filled row. The grid grows by rows, not by columns.
    fn append(&mut self, sheet_id: u32, rows: &[RowData]) -> Result<(), ApiError> {
        let tab = self.tab(sheet_id)?;
        let top = tab.filled();
        let width = rows.iter().map(|row| row.values.len()).max();
        let area = Area {
            top,
            bottom: top.saturating_add(size(rows.len())),
            left: 0,
            right: size(width.unwrap_or_default()),
        };
        tab.rows = tab.rows.max(area.bottom);
        tab.check(&area)?;
        tab.enter(&area, |row, column| cell(rows, row - area.top, column));
        Ok(())
    }

    /// Empties the cells of the range that the rows don't cover.
    fn write(&mut self, range: &GridRange, rows: &[RowData]) -> Result<(), ApiError> {
        let tab = self.tab(range.sheet_id)?;
        let area = Area {
            top: range.start_row_index,
            bottom: range.end_row_index,
            left: range.start_column_index,
            right: range.end_column_index,
        };
        let fits = |row: &RowData| row.values.len() <= area.columns().len();
        if rows.len() > area.rows().len() || !rows.iter().all(fits) {
            return Err(ApiError::invalid("The rows don't fit the range"));
        }
        tab.check(&area)?;
        tab.enter(&area, |row, col| {
            cell(rows, row - area.top, col - area.left)
        });
        Ok(())
    }
}

fn cell(rows: &[RowData], row: u32, column: u32) -> Option<Cell> {
    let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
    let data = rows.get(row)?.values.get(column)?;
    let entered = data.user_entered_value.clone()?;
    let empty = Entered::StringValue(String::new());
    (entered != empty).then(|| entered.into())
}

fn size(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
