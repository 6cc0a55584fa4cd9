//! A new spreadsheet: a file under its key, then its header with a stamp that says it is complete.

use alfred_core::ports::{Account, AccountError, Cell, CellRange, Sheet};
use alfred_core::text;

use super::book::Book;
use super::{Spreadsheet, batch, removed, stamp};
use crate::google::Google;
use crate::google::api::unsure;
use crate::google::drive::{File, Kind};

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
            return Err(AccountError::refused(text::title_missing()));
        }
        let range = CellRange {
            tab: String::new(),
            top: 1,
            left: 1,
            rows: 1,
            columns: u32::try_from(header.len().max(1)).unwrap_or(u32::MAX),
        };
        range.check()?;
        batch::check_texts(header.iter().map(String::as_str))?;
        let digest = stamp::key(account, key);
        let _turn = self.changing.of(&digest).await;
        let file = self
            .make_file(account, Kind::Spreadsheet, title, key)
            .await?;
        let spreadsheet = self.spreadsheet(account, &file.id);
        let book = spreadsheet.book().await?.ok_or_else(removed)?;
        if book.stamps.is_created(&digest) {
            return spreadsheet.sheet(&file, &book.grids).await;
        }
        let finished = spreadsheet.finish(&book, header, &range, &digest).await;
        if let Err(error @ AccountError::NotReached { .. }) = finished {
            return Err(error);
        }
        let found = self.file(account, Kind::Spreadsheet, &file.id).await;
        let file = found.map_err(unsure)?.ok_or_else(removed)?;
        match self.made(account, &file, &digest).await.map_err(unsure)? {
            Some(made) => Ok(made),
            None => Err(finished.err().unwrap_or_else(removed)),
        }
    }

    pub(super) async fn find_created_sheet(
        &self,
        account: &Account,
        key: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        match self.file_made(account, Kind::Spreadsheet, key).await? {
            Some(file) => self.made(account, &file, &stamp::key(account, key)).await,
            None => Ok(None),
        }
    }

    /// What is in a file; `None` where it isn't complete.
    async fn made(
        &self,
        account: &Account,
        file: &File,
        digest: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        let spreadsheet = self.spreadsheet(account, &file.id);
        let book = spreadsheet.book().await?.ok_or_else(removed)?;
        match book.stamps.is_created(digest) {
            true => spreadsheet.sheet(file, &book.grids).await.map(Some),
            false => Ok(None),
        }
    }
}

impl Spreadsheet<'_> {
    /// Writes the header.
    async fn finish(
        &self,
        book: &Book,
        header: &[String],
        range: &CellRange,
        digest: &str,
    ) -> Result<(), AccountError> {
        let mut grid = book.grid("")?.clone();
        let mut requests = batch::grow(&mut grid, range.rows, range.columns);
        let row: Vec<Cell> = header.iter().cloned().map(Cell::Text).collect();
        requests.push(batch::update(&grid, range, &vec![row]));
        requests.push(stamp::created(digest));
        self.write(requests, None).await.map(drop)
    }
}
