//! Google Sheets v4 (<https://developers.google.com/workspace/sheets/api/reference/rest>). Every change is one batch
//! that also leaves a stamp of its key in the spreadsheet's developer metadata, so looking for the stamp tells whether
//! it was made. Sheets knows no versions: what somebody types between the last look and a change of cells is lost.

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
use super::api::{Ask, CallError};
use super::drive::{File, Kind};
use book::Grid;

/// A spreadsheet of somebody.
struct Spreadsheet<'a> {
    google: &'a Google,
    account: &'a Account,
    id: &'a str,
}

impl Google {
    fn spreadsheet<'a>(&'a self, account: &'a Account, id: &'a str) -> Spreadsheet<'a> {
        Spreadsheet {
            google: self,
            account,
            id,
        }
    }
}

impl Spreadsheet<'_> {
    fn url(&self, rest: &str) -> String {
        let base = &self.google.api.endpoints.sheets;
        format!("{base}/v4/spreadsheets/{}{rest}", self.id)
    }

    fn get(&self, rest: &str) -> Ask {
        Ask::get(AccountService::Sheets, self.url(rest))
    }

    async fn call(&self, ask: &Ask) -> Result<Value, CallError> {
        self.google.api.call(self.account, ask).await
    }

    /// With how far these tabs are filled.
    async fn sheet(&self, file: &File, grids: &[Grid]) -> Result<Sheet, AccountError> {
        Ok(sheet(file, self.extents(grids).await?))
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

/// What was there a moment ago.
fn removed() -> AccountError {
    AccountError::Unknown {
        detail: "the spreadsheet was removed meanwhile, or is in the bin".into(),
    }
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
        let file = self.file(account, Kind::Spreadsheet, id.as_str()).await?;
        let Some(file) = file else {
            return Ok(None);
        };
        let spreadsheet = self.spreadsheet(account, &file.id);
        match spreadsheet.book().await? {
            Some(book) => spreadsheet.sheet(&file, &book.grids).await.map(Some),
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
        let file = self.file(account, Kind::Spreadsheet, id.as_str()).await?;
        let Some(file) = file else {
            return Ok(None);
        };
        let spreadsheet = self.spreadsheet(account, &file.id);
        match spreadsheet.book().await? {
            Some(book) => {
                let cells = spreadsheet.cells(book.grid(&range.tab)?, range);
                cells.await.map(Some)
            }
            None => Ok(None),
        }
    }

    async fn create(
        &self,
        account: &Account,
        title: &str,
        header: &[String],
        idempotency_key: &str,
    ) -> Result<Sheet, AccountError> {
        self.create_sheet(account, title, header, idempotency_key)
            .await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        self.find_created_sheet(account, idempotency_key).await
    }

    async fn apply(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        idempotency_key: &str,
    ) -> Result<Applied, AccountError> {
        self.apply_change(account, id, change, idempotency_key)
            .await
    }

    async fn find_applied(
        &self,
        account: &Account,
        id: &SheetId,
        idempotency_key: &str,
    ) -> Result<Option<Applied>, AccountError> {
        self.find_change(account, id, idempotency_key).await
    }
}
