//! Sheets: a CSV file is a sheet with one tab.

use alfred_core::id::SheetId;
use alfred_core::ports::{
    AccountError, Applied, Cell, CellRange, Rows, Sheet, SheetChange, SheetSummary, Tab,
};
use alfred_core::text;

use super::csv::{self, Csv};
use super::files::{File, Kind};
use super::keys::{Call, Standing};
use super::xlsx::Book;
use super::{DocumentsFolder, removed, still};
use crate::person::unknown;

const TAB: &str = "Sheet1";
/// Rows and columns that one write may add to a file.
const BEYOND: usize = 1_000;

impl DocumentsFolder {
    pub fn find_sheets(
        &self,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<SheetSummary>, AccountError> {
        let found = self.named(Kind::is_sheet, words, limit)?;
        Ok(found.iter().map(summary).collect())
    }

    pub fn sheet(&self, id: &SheetId) -> Result<Option<Sheet>, AccountError> {
        let file = self.file(id.as_str(), Kind::is_sheet)?;
        file.as_ref().map(sheet).transpose()
    }

    pub fn cells(&self, id: &SheetId, range: &CellRange) -> Result<Option<Rows>, AccountError> {
        range.check()?;
        let Some(file) = self.file(id.as_str(), Kind::is_sheet)? else {
            return Ok(None);
        };
        let bytes = file.bytes()?;
        match file.kind {
            Kind::Xlsx => Book::open(&bytes)?.cells(range).map(Some),
            Kind::Csv | Kind::Text | Kind::Docx => {
                check_tab(&range.tab)?;
                Ok(Some(cells_of(&Csv::read(&bytes)?, range)))
            }
        }
    }

    pub fn create_sheet(
        &self,
        title: &str,
        header: &[String],
        key: &str,
    ) -> Result<Sheet, AccountError> {
        let call = Call::Create(key);
        let name = match self.keys.standing(call, &self.root)? {
            Standing::Done(done) => done.file,
            Standing::Never => self.make(call, title, "csv", &csv::header(header)?)?,
        };
        still(self.sheet(&SheetId(name))?)
    }

    pub fn find_created_sheet(&self, key: &str) -> Result<Option<Sheet>, AccountError> {
        match self.keys.standing(Call::Create(key), &self.root)? {
            Standing::Done(done) => still(self.sheet(&SheetId(done.file))?).map(Some),
            Standing::Never => Ok(None),
        }
    }

    pub fn apply(
        &self,
        id: &SheetId,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied, AccountError> {
        if let Some(done) = self.find_applied(id, key)? {
            return Ok(done);
        }
        change.check()?;
        let file = self.file(id.as_str(), Kind::is_sheet)?;
        let file = file.ok_or_else(|| AccountError::refused(text::SHEET_GONE))?;
        if file.kind != Kind::Csv {
            return Err(AccountError::refused(text::SHEET_READ_ONLY));
        }
        let before = file.bytes()?;
        let csv = Csv::read(&before)?;
        let (range, values) = target(&csv, change)?;
        let after = csv.with(range.top as usize - 1, range.left as usize - 1, values)?;
        let call = Call::Change(id.as_str(), key);
        let at = Some(range.to_string());
        self.keys.write(call, &file, &before, &after, at)?;
        let sheet = still(self.sheet(id)?)?;
        Ok(Applied { sheet, range })
    }

    pub fn find_applied(&self, id: &SheetId, key: &str) -> Result<Option<Applied>, AccountError> {
        let call = Call::Change(id.as_str(), key);
        let Standing::Done(done) = self.keys.standing(call, &self.root)? else {
            return Ok(None);
        };
        let range = done.range.as_deref().and_then(CellRange::parse);
        let damaged = || unknown(std::io::Error::other("a record has no cells"));
        Ok(Some(Applied {
            sheet: self.sheet(id)?.ok_or_else(removed)?,
            range: range.ok_or_else(damaged)?,
        }))
    }
}

/// The changed cells and their new values.
fn target<'a>(
    csv: &Csv<'_>,
    change: &'a SheetChange,
) -> Result<(CellRange, &'a Rows), AccountError> {
    match change {
        SheetChange::Append { tab, rows } => {
            check_tab(tab)?;
            let range = CellRange {
                tab: TAB.into(),
                top: count(csv.height()) + 1,
                left: 1,
                rows: count(rows.len()),
                columns: count(rows.iter().map(Vec::len).max().unwrap_or_default()),
            };
            Ok((range, rows))
        }
        SheetChange::Update {
            range,
            expected,
            values,
        } => {
            check_tab(&range.tab)?;
            let bottom = range.top as usize + values.len();
            let right = range.left as usize + range.columns as usize;
            if bottom > csv.height() + BEYOND || right > csv.width() + BEYOND {
                return Err(AccountError::refused(text::CELLS_TOO_FAR));
            }
            if cells_of(csv, range) != *expected {
                return Err(AccountError::refused(text::CELLS_CHANGED));
            }
            let tab = TAB.into();
            Ok((
                CellRange {
                    tab,
                    ..range.clone()
                },
                values,
            ))
        }
    }
}

fn check_tab(name: &str) -> Result<(), AccountError> {
    match name {
        "" | TAB => Ok(()),
        other => Err(AccountError::refused(text::no_such_tab(other))),
    }
}

fn cells_of(csv: &Csv<'_>, range: &CellRange) -> Rows {
    let (top, left) = (range.top as usize - 1, range.left as usize - 1);
    let row = |row: usize| -> Vec<Cell> {
        let columns = left..left + range.columns as usize;
        columns.map(|column| csv.cell(row, column)).collect()
    };
    (top..top + range.rows as usize).map(row).collect()
}

fn summary(file: &File) -> SheetSummary {
    SheetSummary {
        id: SheetId(file.id.clone()),
        title: file.title.clone(),
        modified: file.modified,
    }
}

fn sheet(file: &File) -> Result<Sheet, AccountError> {
    let bytes = file.bytes()?;
    let tabs = match file.kind {
        Kind::Xlsx => Book::open(&bytes)?.tabs()?,
        Kind::Csv | Kind::Text | Kind::Docx => {
            let csv = Csv::read(&bytes)?;
            vec![Tab {
                name: TAB.into(),
                rows: count(csv.height()),
                columns: count(csv.width()),
            }]
        }
    };
    Ok(Sheet {
        summary: summary(file),
        tabs,
        may_edit: file.kind == Kind::Csv,
        link: None,
    })
}

/// File sizes are limited, so counts fit.
fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
