//! Reads `.xlsx` files: the values as last computed.

use alfred_core::ports::{AccountError, Cell, CellRange, Rows, Tab};
use alfred_core::text;
use calamine::{DataRef, Reader, Xlsx};
use std::io::Cursor;

use super::archive::{self, damaged};
use crate::documents::FILE_TOO_LARGE;

/// Cells that are read of a tab.
const MOST_CELLS: usize = 500_000;

pub(super) struct Book<'a>(Xlsx<Cursor<&'a [u8]>>);

impl<'a> Book<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, AccountError> {
        archive::open(bytes)?;
        let book = Xlsx::new(Cursor::new(bytes)).map_err(|_| damaged())?;
        match book.sheet_names().is_empty() {
            true => Err(damaged()),
            false => Ok(Self(book)),
        }
    }

    /// All tabs with their filled size.
    pub fn tabs(&mut self) -> Result<Vec<Tab>, AccountError> {
        let names = self.0.sheet_names().into_iter();
        names
            .map(|name| {
                let mut tab = Tab {
                    name: name.clone(),
                    rows: 0,
                    columns: 0,
                };
                self.each(&name, |(row, column), cell| {
                    if !cell.is_empty() {
                        tab.rows = tab.rows.max(row.saturating_add(1));
                        tab.columns = tab.columns.max(column.saturating_add(1));
                    }
                })?;
                Ok(tab)
            })
            .collect()
    }

    pub fn cells(&mut self, range: &CellRange) -> Result<Rows, AccountError> {
        let names = self.0.sheet_names();
        let mut names = names.into_iter();
        let name = names.find(|name| range.tab.is_empty() || *name == range.tab);
        let name = name.ok_or_else(|| AccountError::refused(text::no_such_tab(&range.tab)))?;
        let mut rows = vec![vec![Cell::Empty; range.columns as usize]; range.rows as usize];
        self.each(&name, |(row, column), cell| {
            let row = (row + 1).checked_sub(range.top);
            let row = row.and_then(|row| rows.get_mut(row as usize));
            let column = (column + 1).checked_sub(range.left);
            let place = row
                .zip(column)
                .and_then(|(row, column)| row.get_mut(column as usize));
            if let Some(place) = place {
                *place = cell;
            }
        })?;
        Ok(rows)
    }

    /// Visits one cell at a time: a file with two cells may span millions.
    fn each(
        &mut self,
        tab: &str,
        mut visit: impl FnMut((u32, u32), Cell),
    ) -> Result<(), AccountError> {
        let mut cells = self.0.worksheet_cells_reader(tab).map_err(|_| damaged())?;
        for _ in 0..MOST_CELLS {
            let Some(cell) = cells.next_cell().map_err(|_| damaged())? else {
                return Ok(());
            };
            visit(cell.get_position(), value(cell.get_value()));
        }
        Err(AccountError::refused(FILE_TOO_LARGE))
    }
}

fn value(data: &DataRef<'_>) -> Cell {
    match data {
        DataRef::Int(number) => Cell::Number(*number as f64),
        DataRef::Float(number) => Cell::Number(*number),
        DataRef::Bool(value) => Cell::Bool(*value),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            Cell::Text(text.clone())
        }
        DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
        DataRef::DateTime(at) if at.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            match (hour, minute, second) {
                (0, 0, 0) => Cell::Text(date),
                _ => Cell::Text(format!("{date} {hour:02}:{minute:02}:{second:02}")),
            }
        }
        // A duration in days.
        DataRef::DateTime(length) => Cell::Number(length.as_f64()),
        DataRef::Error(error) => Cell::Text(error.to_string()),
        DataRef::Empty => Cell::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::archive::tests::packed;

    const PARTS: [(&str, &str); 5] = [
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Costs" sheetId="1" r:id="r1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
        (
            "xl/styles.xml",
            r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#,
        ),
        (
            "xl/worksheets/sheet1.xml",
            r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Oak</t></is></c><c r="B1"><f>1+1.5</f><v>2.5</v></c></row><row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" s="1"><v>46349</v></c></row><row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData></worksheet>"#,
        ),
    ];

    #[test]
    fn values_are_read_wherever_they_stand() {
        let bytes = packed(&PARTS);
        let mut book = Book::open(&bytes).unwrap();
        let tabs = book.tabs().unwrap();
        let shown: Vec<_> = tabs
            .iter()
            .map(|tab| (&*tab.name, tab.rows, tab.columns))
            .collect();
        assert_eq!(shown, [("Costs", 1_048_576, 16_384)]);
        let cells = book
            .cells(&CellRange::parse("Costs!A1:B3").unwrap())
            .unwrap();
        let text = |text: &str| Cell::Text(text.into());
        let expected = [
            [text("Oak"), Cell::Number(2.5)],
            [Cell::Empty, Cell::Empty],
            [Cell::Bool(true), text("2026-11-23")],
        ];
        assert_eq!(cells, expected);
        let last = book
            .cells(&CellRange::parse("XFD1048576").unwrap())
            .unwrap();
        assert_eq!(last, [[Cell::Number(7.0)]]);
        assert!(book.cells(&CellRange::parse("Other!A1").unwrap()).is_err());
        assert!(Book::open(b"PK\x03\x04").is_err());
    }
}
