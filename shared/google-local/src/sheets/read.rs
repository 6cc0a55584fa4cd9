//! `spreadsheets.get` and `spreadsheets.values.batchGet`.

use serde_json::{Value, json};

use super::a1::Area;
use super::cell::Cell;
use super::metadata::Metadata;
use super::{Spreadsheet, Tab};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};
use crate::fields;

/// <https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/get>
pub(super) fn spreadsheet(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let id = asked.param("spreadsheetId");
    let resource = scene.spreadsheet(id)?.resource(id);
    Ok(fields::wanted(&resource, asked.query("fields").unwrap_or("*"))?.into())
}

/// Bytes of an address, as servers commonly take them.
const MOST_BYTES: usize = 8_192;

/// <https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/batchGet>
pub(super) fn batch_get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let id = asked.param("spreadsheetId");
    let options = ["valueRenderOption", "dateTimeRenderOption"].map(|name| asked.query(name));
    if options != [Some("UNFORMATTED_VALUE"), Some("FORMATTED_STRING")] {
        let message = "This stand-in gives unformatted values and formatted dates alone";
        return Err(ApiError::invalid(message));
    }
    if serde_urlencoded::to_string(&asked.query).is_ok_and(|query| query.len() > MOST_BYTES) {
        return Err(ApiError::new(414, "uriTooLong", "URI Too Long"));
    }
    let book = scene.spreadsheet(id)?;
    let of = |range: &str| {
        let (tab, area) = book.area(range)?;
        let rows = tab.trimmed(&area, |cell| cell.map_or(json!(""), Cell::value));
        let mut answer = json!({"range": area.a1(&tab.title), "majorDimension": "ROWS"});
        if !rows.is_empty() {
            answer["values"] = json!(rows);
        }
        Ok(answer)
    };
    let ranges: Result<Vec<Value>, ApiError> = asked.all("ranges").map(of).collect();
    Ok(json!({"spreadsheetId": id, "valueRanges": ranges?}).into())
}

impl Spreadsheet {
    /// The API's resource, without cells.
    fn resource(&self, id: &str) -> Value {
        let sheet = |(index, tab): (usize, &Tab)| {
            let mut properties = json!({"sheetId": tab.id, "title": tab.title, "index": index});
            properties["sheetType"] = if tab.rows == 0 { "OBJECT" } else { "GRID" }.into();
            if tab.rows > 0 {
                properties["gridProperties"] =
                    json!({"rowCount": tab.rows, "columnCount": tab.columns});
            }
            json!({"properties": properties})
        };
        let sheets: Vec<Value> = self.tabs.iter().enumerate().map(sheet).collect();
        let mut resource = json!({
            "spreadsheetId": id,
            "spreadsheetUrl": format!("https://docs.google.com/spreadsheets/d/{id}/edit"),
            "sheets": sheets,
        });
        if !self.metadata.is_empty() {
            resource["developerMetadata"] = self.metadata.iter().map(Metadata::resource).collect();
        }
        resource
    }
}

impl Tab {
    /// Rows without those that are empty at their end, each without what is empty at its end.
    fn trimmed(&self, area: &Area, of: impl Fn(Option<&Cell>) -> Value) -> Vec<Vec<Value>> {
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for (at, cells) in self.cells.range(area.rows()) {
            let last = cells.range(area.columns()).next_back();
            let Some((last, _)) = last else {
                continue;
            };
            let before = usize::try_from(at - area.top).unwrap_or_default();
            rows.resize(before, Vec::new());
            let columns = area.left..=*last;
            rows.push(columns.map(|column| of(cells.get(&column))).collect());
        }
        rows
    }
}
