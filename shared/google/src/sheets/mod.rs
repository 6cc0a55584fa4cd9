//! Google Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>). Every change is
//! one batch that also stores a stamp of its key in the developer metadata, so the stamp shows whether it was
//! made. Sheets has no versions: input between the last read and a write to the same cells is lost.

mod batch;
mod book;
mod change;
mod extent;
mod stamp;
mod values;

use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Applied, Cell, CellRange, Rows, Sheet, SheetChange,
    SheetSummary, Sheets, SheetsAccount, Tab,
};
use alfred_core::text;
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::Google;
use super::drive::{Drive, File, Kind};
use crate::{Result, found};
use alfred_accounts::api::{CallResult, unsure};
use alfred_accounts::ask::Ask;
use book::Book;

/// A spreadsheet as last read.
struct Spreadsheet<'a> {
    drive: Drive<'a>,
    file: File,
    book: Book,
}

impl<'a> Drive<'a> {
    /// `None` if it doesn't exist or is in the bin.
    async fn spreadsheet(&self, id: &str) -> Result<Option<Spreadsheet<'a>>> {
        match self.file(id).await? {
            Some(file) => self.spreadsheet_of(file).await,
            None => Ok(None),
        }
    }

    async fn spreadsheet_of(&self, file: File) -> Result<Option<Spreadsheet<'a>>> {
        let url = self.google.sheet_url(&file.id);
        let ask = Ask::get(AccountService::Sheets, url).query("fields", book::FIELDS);
        let book: Option<Book> = found(self.google.call(self.account, &ask).await, &[404])?;
        let drive = *self;
        Ok(book.map(|book| Spreadsheet { drive, file, book }))
    }
}

impl Google {
    fn sheet_url(&self, id: &str) -> String {
        format!("{}/v4/spreadsheets/{id}", self.api.endpoints.sheets)
    }
}

impl Spreadsheet<'_> {
    fn url(&self, rest: &str) -> String {
        format!("{}{rest}", self.drive.google.sheet_url(&self.file.id))
    }

    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> CallResult<T> {
        self.drive.google.call(self.drive.account, ask).await
    }

    fn check_stamps(&self) -> Result<()> {
        self.book.stamps.check(self.drive.google.clock.now())
    }

    async fn sheet(&self) -> Result<Sheet> {
        Ok(sheet(&self.file, self.extents().await?))
    }
}

fn sheet(file: &File, tabs: Vec<Tab>) -> Sheet {
    Sheet {
        summary: file.summary(),
        tabs,
        may_edit: file.capabilities.can_edit,
        link: file.web_view_link.clone(),
    }
}

/// Deleted since it was read.
fn removed() -> AccountError {
    AccountError::unknown("the spreadsheet was removed meanwhile, or is in the bin")
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

#[async_trait]
impl SheetsAccount for Drive<'_> {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<SheetSummary>> {
        self.titled(words, limit).await
    }

    async fn sheet(&self, id: &SheetId) -> Result<Option<Sheet>> {
        match self.spreadsheet(id.as_str()).await? {
            Some(spreadsheet) => spreadsheet.sheet().await.map(Some),
            None => Ok(None),
        }
    }

    async fn read(&self, id: &SheetId, range: &CellRange) -> Result<Option<Rows>> {
        range.check()?;
        match self.spreadsheet(id.as_str()).await? {
            Some(spreadsheet) => spreadsheet.cells(range).await.map(Some),
            None => Ok(None),
        }
    }

    /// Makes a file under the key, then writes its header, whose stamp shows that it is complete.
    async fn create(&self, title: &str, header: &[String], key: &str) -> Result<Sheet> {
        let title = title.trim();
        if title.is_empty() {
            return Err(AccountError::refused(text::TITLE_MISSING));
        }
        let range = CellRange {
            tab: String::new(),
            top: 1,
            left: 1,
            rows: 1,
            columns: count(header.len().max(1)),
        };
        range.check()?;
        let rows = vec![header.iter().cloned().map(Cell::Text).collect()];
        batch::check_texts(&rows)?;
        let digest = stamp::key(self.account, key);
        let _turn = self.google.changing.of(&digest).await;
        let file = self.make(title, None, key).await?;
        let empty = self.spreadsheet_of(file).await?.ok_or_else(removed)?;
        if empty.book.stamps.of(&digest).is_some() {
            return empty.sheet().await.map_err(unsure);
        }
        empty.check_stamps()?;
        let plan = change::overwrite(empty.book.grid("")?, &range, &rows);
        let made = empty.make(plan, digest).await?;
        Ok(made.sheet)
    }

    /// `None` also for an incomplete one.
    async fn find_created(&self, key: &str) -> Result<Option<Sheet>> {
        let Some(file) = self.file_made(key).await? else {
            return Ok(None);
        };
        let made = self.spreadsheet_of(file).await?.ok_or_else(removed)?;
        match made.book.stamps.of(&stamp::key(self.account, key)) {
            Some(_) => made.sheet().await.map(Some),
            None => made.check_stamps().map(|()| None),
        }
    }

    async fn apply(&self, id: &SheetId, change: &SheetChange, key: &str) -> Result<Applied> {
        self.change_sheet(id, change, key).await
    }

    async fn find_applied(&self, id: &SheetId, key: &str) -> Result<Option<Applied>> {
        let digest = stamp::key(self.account, key);
        self.find_change(id.as_str(), &digest).await
    }
}

#[async_trait]
impl Sheets for Google {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn SheetsAccount + 'a>> {
        Ok(Box::new(Drive {
            google: self,
            account,
            kind: Kind::Spreadsheet,
        }))
    }
}
