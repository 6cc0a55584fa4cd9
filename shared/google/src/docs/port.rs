//! Implements the `Documents` port.

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, Document, DocumentChange, DocumentSummary, Documents, DocumentsAccount,
    Edit,
};
use alfred_core::text;
use alfred_mime::digest;
use async_trait::async_trait;

use super::{removed, state, summary};
use crate::drive::{Drive, Kind};
use crate::{Google, Result};
use alfred_accounts::api::CallError;

#[async_trait]
impl DocumentsAccount for Drive<'_> {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<DocumentSummary>> {
        let files = self.titled(words, limit).await?;
        Ok(files.iter().map(summary).collect())
    }

    async fn read(&self, id: &DocumentId) -> Result<Option<Document>> {
        self.opened(id.as_str()).await
    }

    /// The file and its text are one call: Drive converts the Markdown.
    async fn create(&self, title: &str, text: &str, key: &str) -> Result<Document> {
        if title.trim().is_empty() {
            return Err(AccountError::refused(text::TITLE_MISSING));
        }
        let file = self.make(title, Some(text), key).await?;
        self.still(&file.id).await
    }

    async fn find_created(&self, key: &str) -> Result<Option<Document>> {
        let Some(file) = self.file_made(key).await? else {
            return Ok(None);
        };
        let opened = self.opened(&file.id).await?;
        opened.ok_or_else(removed).map(Some)
    }

    async fn change(
        &self,
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
        let id = id.as_str();
        let file = self.file(id).await?;
        let state = self.state(id, fields).await?;
        let (Some(file), Some(state)) = (file, state) else {
            return refused(text::DOCUMENT_GONE);
        };
        let digest = digest(self.account, key);
        if state.has(&digest) {
            return self.still(id).await;
        }
        match state.revision.as_deref() {
            Some(_) if !file.capabilities.can_edit => return refused(text::DOCUMENT_READ_ONLY),
            None => return refused(text::DOCUMENT_READ_ONLY),
            Some(now) if now != change.revision => return refused(text::DOCUMENT_CHANGED),
            Some(_) => {}
        }
        match self.batch(id, &digest, &state, &change.edit).await {
            Ok(()) => self.still(id).await,
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
                self.settled(id, &digest, code, &state).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn find_changed(&self, id: &DocumentId, key: &str) -> Result<Option<Document>> {
        let id = id.as_str();
        let Some(state) = self.state(id, state::STAMPS).await? else {
            return Ok(None);
        };
        if state.has(&digest(self.account, key)) {
            self.still(id).await.map(Some)
        } else if state.may_have_forgotten(self.google.clock.now()) {
            Err(AccountError::Unknown {
                detail: "so much was changed since that it can't be told any more".into(),
            })
        } else {
            Ok(None)
        }
    }
}

#[async_trait]
impl Documents for Google {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn DocumentsAccount + 'a>> {
        Ok(Box::new(Drive {
            google: self,
            account,
            kind: Kind::Document,
        }))
    }
}
