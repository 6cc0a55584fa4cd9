//! Creates a spreadsheet: a file under its key, then its header with a stamp that marks it complete.

use alfred_core::ports::{Account, AccountError, Cell, CellRange, Sheet};
use alfred_core::text;

use super::{batch, count, removed, stamp};
use crate::Google;
use crate::drive::{Kind, NewFile};
use alfred_accounts::api::unsure;

impl Google {
    pub(super) async fn create_sheet(
        &self,
        account: &Account,
        title: &str,
        header: &[String],
        key: &str,
    ) -> Result<Sheet, AccountError> {
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
        let row: Vec<Cell> = header.iter().cloned().map(Cell::Text).collect();
        let rows = vec![row];
        batch::check_texts(&rows)?;
        let digest = stamp::key(account, key);
        let _turn = self.changing.of(&digest).await;
        let new = NewFile {
            kind: Kind::Spreadsheet,
            title,
            markdown: None,
        };
        let file = self.make_file(account, new, key).await?;
        let id = file.id.as_str().into();
        let empty = self.open_file(account, file).await?.ok_or_else(removed)?;
        if empty.book.stamps.is_created(&digest) {
            return empty.sheet().await.map_err(unsure);
        }
        let mut grid = empty.book.grid("")?.clone();
        let mut requests = batch::grow(&mut grid, range.rows, range.columns);
        requests.push(batch::update(&grid, &range, &rows));
        requests.push(stamp::created(&digest));
        let written = empty.write(requests).await;
        if let Err(error @ AccountError::NotReached { .. }) = written {
            return Err(error);
        }
        let complete = self.open(account, &id).await.map_err(unsure)?;
        let complete = complete.ok_or_else(removed)?;
        match complete.book.stamps.is_created(&digest) {
            true => complete.sheet().await.map_err(unsure),
            false => Err(written.err().unwrap_or_else(removed)),
        }
    }

    /// `None` also for an incomplete one.
    pub(super) async fn find_created_sheet(
        &self,
        account: &Account,
        key: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        let Some(file) = self.file_made(account, Kind::Spreadsheet, key).await? else {
            return Ok(None);
        };
        let made = self.open_file(account, file).await?.ok_or_else(removed)?;
        match made.book.stamps.is_created(&stamp::key(account, key)) {
            true => made.sheet().await.map(Some),
            false => Ok(None),
        }
    }
}
