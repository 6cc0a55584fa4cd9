//! Implements the ports on the folder.

use alfred_core::id::{DocumentId, SheetId};
use alfred_core::ports::{
    Account, AccountError, AccountService, Applied, CellRange, Document, DocumentChange,
    DocumentSummary, Documents, Rows, Sheet, SheetChange, SheetSummary, Sheets,
};
use async_trait::async_trait;

use super::DocumentsFolder;
use crate::port::Workspace;

impl Workspace {
    async fn documents<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&DocumentsFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        self.in_documents(account, AccountService::Documents, act)
            .await
    }

    async fn sheets<T: Send + 'static>(
        &self,
        account: &Account,
        act: impl FnOnce(&DocumentsFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        self.in_documents(account, AccountService::Sheets, act)
            .await
    }
}

#[async_trait]
impl Documents for Workspace {
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>, AccountError> {
        let words = words.to_vec();
        self.documents(account, move |folder| folder.find(&words, limit))
            .await
    }

    async fn read(
        &self,
        account: &Account,
        id: &DocumentId,
    ) -> Result<Option<Document>, AccountError> {
        let id = id.clone();
        self.documents(account, move |folder| folder.read(&id))
            .await
    }

    async fn create(
        &self,
        account: &Account,
        title: &str,
        text: &str,
        idempotency_key: &str,
    ) -> Result<Document, AccountError> {
        let [title, text, key] = [title, text, idempotency_key].map(str::to_owned);
        self.documents(account, move |folder| folder.create(&title, &text, &key))
            .await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError> {
        let key = idempotency_key.to_owned();
        self.documents(account, move |folder| folder.find_created(&key))
            .await
    }

    async fn change(
        &self,
        account: &Account,
        id: &DocumentId,
        change: &DocumentChange,
        idempotency_key: &str,
    ) -> Result<Document, AccountError> {
        let (id, change, key) = (id.clone(), change.clone(), idempotency_key.to_owned());
        self.documents(account, move |folder| folder.change(&id, &change, &key))
            .await
    }

    async fn find_changed(
        &self,
        account: &Account,
        id: &DocumentId,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.documents(account, move |folder| folder.find_changed(&id, &key))
            .await
    }
}

#[async_trait]
impl Sheets for Workspace {
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<SheetSummary>, AccountError> {
        let words = words.to_vec();
        self.sheets(account, move |folder| folder.find_sheets(&words, limit))
            .await
    }

    async fn sheet(&self, account: &Account, id: &SheetId) -> Result<Option<Sheet>, AccountError> {
        let id = id.clone();
        self.sheets(account, move |folder| folder.sheet(&id)).await
    }

    async fn read(
        &self,
        account: &Account,
        id: &SheetId,
        range: &CellRange,
    ) -> Result<Option<Rows>, AccountError> {
        let (id, range) = (id.clone(), range.clone());
        self.sheets(account, move |folder| folder.cells(&id, &range))
            .await
    }

    async fn create(
        &self,
        account: &Account,
        title: &str,
        header: &[String],
        idempotency_key: &str,
    ) -> Result<Sheet, AccountError> {
        let [title, key] = [title, idempotency_key].map(str::to_owned);
        let header = header.to_vec();
        self.sheets(account, move |folder| {
            folder.create_sheet(&title, &header, &key)
        })
        .await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Sheet>, AccountError> {
        let key = idempotency_key.to_owned();
        self.sheets(account, move |folder| folder.find_created_sheet(&key))
            .await
    }

    async fn apply(
        &self,
        account: &Account,
        id: &SheetId,
        change: &SheetChange,
        idempotency_key: &str,
    ) -> Result<Applied, AccountError> {
        let (id, change, key) = (id.clone(), change.clone(), idempotency_key.to_owned());
        self.sheets(account, move |folder| folder.apply(&id, &change, &key))
            .await
    }

    async fn find_applied(
        &self,
        account: &Account,
        id: &SheetId,
        idempotency_key: &str,
    ) -> Result<Option<Applied>, AccountError> {
        let (id, key) = (id.clone(), idempotency_key.to_owned());
        self.sheets(account, move |folder| folder.find_applied(&id, &key))
            .await
    }
}
