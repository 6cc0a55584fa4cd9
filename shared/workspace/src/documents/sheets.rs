//! Sheets: a CSV file is a sheet with one tab.

use crate::Result;
use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Applied, Cell, CellRange, Rows, Sheet, SheetChange,
    SheetSummary, Sheets, SheetsAccount, Tab,
};
use alfred_core::text;
use async_trait::async_trait;

use super::csv::{self, Csv};
use super::files::{File, Kind};
use super::keys::{Record, change_of, creation};
use super::{DocumentsFolder, removed};
use crate::port::{FolderAccount, Workspace};

const TAB: &str = "Sheet1";
/// Rows and columns that one write may add to a file.
const BEYOND: usize = 1_000;

impl DocumentsFolder {
    fn sheet(&self, id: &str) -> Result<Option<Sheet>> {
        let file = self.file(id, Kind::Sheet)?;
        file.as_ref().map(sheet).transpose()
    }

    fn written_sheet(&self, id: &str) -> Result<Sheet> {
        self.sheet(id)?.ok_or_else(removed)
    }

    fn applied(&self, record: &Record) -> Result<Applied> {
        let range = record.range.as_deref().and_then(CellRange::parse);
        let damaged = || AccountError::unknown("a record has no cells");
        Ok(Applied {
            sheet: self.written_sheet(&record.file)?,
            range: range.ok_or_else(damaged)?,
        })
    }

    fn apply(&self, id: &str, change: &SheetChange, call: &str) -> Result<Applied> {
        if let Some(done) = self.done(call)? {
            return self.applied(&done);
        }
        change.check()?;
        let file = self.file(id, Kind::Sheet)?;
        let file = file.ok_or_else(|| AccountError::refused(text::SHEET_GONE))?;
        let before = file.bytes()?;
        let csv = Csv::read(&before)?;
        let (range, values) = target(&csv, change)?;
        let after = csv.with(range.top as usize - 1, range.left as usize - 1, values)?;
        let range = Some(range.to_string());
        let done = self.write(call, &file, &before, &after, range)?;
        self.applied(&done)
    }
}

#[async_trait]
impl SheetsAccount for FolderAccount {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<SheetSummary>> {
        let words = words.to_vec();
        let act = move |folder: &DocumentsFolder| folder.named(Kind::Sheet, &words, limit);
        self.person.with_documents(act).await
    }

    async fn sheet(&self, id: &SheetId) -> Result<Option<Sheet>> {
        let id = id.clone();
        let act = move |folder: &DocumentsFolder| folder.sheet(id.as_str());
        self.person.with_documents(act).await
    }

    async fn read(&self, id: &SheetId, range: &CellRange) -> Result<Option<Rows>> {
        let (id, range) = (id.clone(), range.clone());
        let act = move |folder: &DocumentsFolder| -> Result<Option<Rows>> {
            range.check()?;
            let Some(file) = folder.file(id.as_str(), Kind::Sheet)? else {
                return Ok(None);
            };
            let bytes = file.bytes()?;
            check_tab(&range.tab)?;
            Ok(Some(cells_of(&Csv::read(&bytes)?, &range)))
        };
        self.person.with_documents(act).await
    }

    async fn create(&self, title: &str, header: &[String], key: &str) -> Result<Sheet> {
        let (call, title) = (creation(key), title.to_owned());
        let file = csv::header(header)?;
        let act = move |folder: &DocumentsFolder| {
            let done = folder.create(&call, &title, "csv", &file)?;
            folder.written_sheet(&done.file)
        };
        self.person.with_documents(act).await
    }

    async fn find_created(&self, key: &str) -> Result<Option<Sheet>> {
        let call = creation(key);
        let act = move |folder: &DocumentsFolder| {
            let done = folder.done(&call)?;
            let sheet = done.map(|done| folder.written_sheet(&done.file));
            sheet.transpose()
        };
        self.person.with_documents(act).await
    }

    async fn apply(&self, id: &SheetId, change: &SheetChange, key: &str) -> Result<Applied> {
        let (id, change) = (id.clone(), change.clone());
        let call = change_of(id.as_str(), key);
        let act = move |folder: &DocumentsFolder| folder.apply(id.as_str(), &change, &call);
        self.person.with_documents(act).await
    }

    async fn find_applied(&self, id: &SheetId, key: &str) -> Result<Option<Applied>> {
        let call = change_of(id.as_str(), key);
        let act = move |folder: &DocumentsFolder| {
            let done = folder.done(&call)?;
            done.map(|done| folder.applied(&done)).transpose()
        };
        self.person.with_documents(act).await
    }
}

#[async_trait]
impl Sheets for Workspace {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn SheetsAccount + 'a>> {
        Ok(Box::new(self.folder(account, AccountService::Sheets)?))
    }
}

fn target<'a>(csv: &Csv<'_>, change: &'a SheetChange) -> Result<(CellRange, &'a Rows)> {
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
            let mut range = range.clone();
            range.tab = TAB.into();
            Ok((range, values))
        }
    }
}

fn check_tab(name: &str) -> Result<()> {
    if name.is_empty() || name == TAB {
        Ok(())
    } else {
        Err(AccountError::refused(text::no_such_tab(name)))
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

fn sheet(file: &File) -> Result<Sheet> {
    let bytes = file.bytes()?;
    let csv = Csv::read(&bytes)?;
    let tab = Tab {
        name: TAB.into(),
        rows: count(csv.height()),
        columns: count(csv.width()),
    };
    Ok(Sheet {
        summary: file.summary(),
        tabs: vec![tab],
        may_edit: true,
        link: None,
    })
}

/// File sizes are limited, so counts fit.
fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}
