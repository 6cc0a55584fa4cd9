//! Implements the `Documents` port.

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, Document, DocumentChange, DocumentSummary, Documents, Edit,
};
use alfred_core::text;
use alfred_mime::digest;
use async_trait::async_trait;

use super::{removed, state, summary};
use crate::{Google, Result};
use alfred_accounts::api::CallError;

#[async_trait]
impl Documents for Google {
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>> {
        let files = self.documents(account).titled(words, limit).await?;
        Ok(files.iter().map(summary).collect())
    }

    async fn read(&self, account: &Account, id: &DocumentId) -> Result<Option<Document>> {
        self.documents(account).opened(id.as_str()).await
    }

    /// The file and its text are one call: Drive converts the Markdown.
    async fn create(
        &self,
        account: &Account,
        title: &str,
        text: &str,
        key: &str,
    ) -> Result<Document> {
        if title.trim().is_empty() {
            return Err(AccountError::refused(text::TITLE_MISSING));
        }
        let documents = self.documents(account);
        let file = documents.make(title, Some(text), key).await?;
        documents.still(&file.id).await
    }

    async fn find_created(&self, account: &Account, key: &str) -> Result<Option<Document>> {
        let documents = self.documents(account);
        let Some(file) = documents.file_made(key).await? else {
            return Ok(None);
        };
        let opened = documents.opened(&file.id).await?;
        opened.ok_or_else(removed).map(Some)
    }

    async fn change(
        &self,
        account: &Account,
        id: &DocumentId,
        change: &DocumentChange,
        key: &str,
    ) -> Result<Document> {
        let refused = |words: &str| Err(AccountError::refused(words));
        let fields = match &change.edit {
            Edit::Append(_) => {
                // Refuses an empty text.
                change.edit.applied_to("")?;
                state::STAMPS
            }
            Edit::Replace { .. } => state::TEXTS,
        };
        let (documents, id) = (self.documents(account), id.as_str());
        let file = documents.file(id).await?;
        let state = documents.state(id, fields).await?;
        let (Some(file), Some(state)) = (file, state) else {
            return refused(text::DOCUMENT_GONE);
        };
        let digest = digest(account, key);
        if state.has(&digest) {
            return documents.still(id).await;
        }
        match state.revision.as_deref() {
            Some(_) if !file.capabilities.can_edit => return refused(text::DOCUMENT_READ_ONLY),
            None => return refused(text::DOCUMENT_READ_ONLY),
            Some(now) if now != change.revision => return refused(text::DOCUMENT_CHANGED),
            Some(_) => {}
        }
        match documents.batch(id, &digest, &state, &change.edit).await {
            Ok(()) => documents.still(id).await,
            Err(CallError::Status {
                code,
                reason,
                message,
                ..
            }) => {
                tracing::info!(
                    http.status = code,
                    reason,
                    message,
                    "Google refused a change"
                );
                documents.settled(id, &digest, code, &state).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn find_changed(
        &self,
        account: &Account,
        id: &DocumentId,
        key: &str,
    ) -> Result<Option<Document>> {
        let (documents, id) = (self.documents(account), id.as_str());
        let Some(state) = documents.state(id, state::STAMPS).await? else {
            return Ok(None);
        };
        if state.has(&digest(account, key)) {
            documents.still(id).await.map(Some)
        } else if state.may_have_forgotten(self.clock.now()) {
            Err(AccountError::Unknown {
                detail: "so much was changed since that it can't be told any more".into(),
            })
        } else {
            Ok(None)
        }
    }
}
