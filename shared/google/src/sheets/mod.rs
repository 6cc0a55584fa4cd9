//! Google Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>). Every change is
//! one batch that also stores a stamp of its key in the developer metadata, so the stamp shows whether it was
//! made. Sheets has no versions: input between the last read and a write to the same cells is lost.

mod batch;
mod book;
mod change;
mod create;
mod extent;
mod stamp;
mod values;

use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Applied, CellRange, Rows, Sheet, SheetChange,
    SheetSummary, Sheets, Tab,
};
use async_trait::async_trait;
use serde_json::Value;

use super::Google;
use super::drive::{File, Kind};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;
use book::Book;

/// A spreadsheet as last read.
struct Spreadsheet<'a> {
    google: &'a Google,
    account: &'a Account,
    file: File,
    book: Book,
}

impl Google {
    /// `None` if it doesn't exist or is in the bin.
    async fn open<'a>(
        &'a self,
        account: &'a Account,
        id: &SheetId,
    ) -> Result<Option<Spreadsheet<'a>>, AccountError> {
        match self.file(account, Kind::Spreadsheet, id.as_str()).await? {
            Some(file) => self.open_file(account, file).await,
            None => Ok(None),
        }
    }

    async fn open_file<'a>(
        &'a self,
        account: &'a Account,
        file: File,
    ) -> Result<Option<Spreadsheet<'a>>, AccountError> {
        let mut spreadsheet = Spreadsheet {
            google: self,
            account,
            file,
            book: Book::default(),
        };
        let is_there = spreadsheet.look().await?;
        Ok(is_there.then_some(spreadsheet))
    }
}

impl Spreadsheet<'_> {
    fn url(&self, rest: &str) -> String {
        let base = &self.google.api.endpoints.sheets;
        format!("{base}/v4/spreadsheets/{}{rest}", self.file.id)
    }

    fn get(&self, rest: &str) -> Ask {
        Ask::get(AccountService::Sheets, self.url(rest))
    }

    async fn call(&self, ask: &Ask) -> Result<Value, CallError> {
        self.google.api.call(self.account, ask).await
    }

    /// Includes the filled size of each tab.
    async fn sheet(&self) -> Result<Sheet, AccountError> {
        Ok(sheet(&self.file, self.extents(&self.book.grids).await?))
    }
}

fn sheet(file: &File, tabs: Vec<Tab>) -> Sheet {
    Sheet {
        summary: summary(file),
        tabs,
        may_edit: file.capabilities.can_edit,
        link: file.web_view_link.clone(),
    }
}

fn summary(file: &File) -> SheetSummary {
    SheetSummary {
        id: SheetId(file.id.clone()),
        title: file.name.clone(),
        modified: file.modified_time,
    }
}

/// Deleted since it was read.
fn removed() -> AccountError {
    AccountError::Unknown {
        detail: "the spreadsheet was removed meanwhile, or is in the bin".into(),
    }
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

#[async_trait]
impl Sheets for Google {
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<SheetSummary>, AccountError> {
        let found = self.files_titled(account, Kind::Spreadsheet, words, limit);
        Ok(found.await?.iter().map(summary).collect())
    }

    async fn sheet(&self, account: &Account, id: &SheetId) -> Result<Option<Sheet>, AccountError> {
        match self.open(account, id).await? {
            Some(spreadsheet) => spreadsheet.sheet().await.map(Some),
            None => Ok(None),
        }
    }

    async fn read(
        &self,
        account: &Account,
        id: &SheetId,
        range: &CellRange,
    ) -> Result<Option<Rows>, AccountError> {
        range.check()?;
        match self.open(account, id).await? {
            Some(spreadsheet) => {
                let grid = spreadsheet.book.grid(&range.tab)?;
                spreadsheet.cells(grid, range).await.map(Some)
            }
            None => Ok(None),
        }
    }

    async fn create(
        &self,
        account: &Account,
        title: &str,
        header: &[String],
        key: &str,
    ) -> Result<Sheet, AccountError> {
        self.create_sheet(account, title, header, key).await
    }

    async fn find_created(
        &self,
        account: &Account,
        key: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        self.find_created_sheet(account, key).await
    }

    async fn apply(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied, AccountError> {
        self.change_sheet(account, id, change, key).await
    }

    async fn find_applied(
        &self,
        account: &Account,
        id: &SheetId,
        key: &str,
    ) -> Result<Option<Applied>, AccountError> {
        self.find_change(account, id, key).await
    }
}
