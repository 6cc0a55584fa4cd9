//! Implements the `Documents` port.

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, Document, DocumentChange, DocumentSummary, Documents,
};
use alfred_core::text;
use async_trait::async_trait;

use super::edit::Change;
use super::{Target, changed, created, given, is_complete, removed, summary};
use crate::Google;
use crate::drive::Kind;
use alfred_accounts::api::{CallError, unsure};

#[async_trait]
impl Documents for Google {
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>, AccountError> {
        let files = self
            .files_titled(account, Kind::Document, words, limit)
            .await?;
        Ok(files.iter().map(summary).collect())
    }

    async fn read(
        &self,
        account: &Account,
        id: &DocumentId,
    ) -> Result<Option<Document>, AccountError> {
        let opened = self.opened(account, id).await?;
        Ok(opened.map(|(file, body)| given(file, body)))
    }

    async fn create(
        &self,
        account: &Account,
        title: &str,
        text: &str,
        idempotency_key: &str,
    ) -> Result<Document, AccountError> {
        if title.trim().is_empty() {
            return Err(AccountError::refused(text::TITLE_MISSING));
        }
        let name = created(account, idempotency_key);
        let turn = self.sending.of(&name).await;
        let file = self
            .make_file(account, Kind::Document, title, idempotency_key)
            .await?;
        let id = DocumentId(file.id);
        let target = Target {
            account,
            id: &id,
            name,
        };
        self.completed(&target, text).await.map_err(unsure)?;
        drop(turn);
        self.still(account, &id).await
    }

    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError> {
        let made = self
            .file_made(account, Kind::Document, idempotency_key)
            .await?;
        let Some(file) = made else { return Ok(None) };
        let body = self.body(account, &DocumentId(file.id.clone())).await?;
        let body = body.ok_or_else(removed)?;
        let complete = is_complete(&body, &created(account, idempotency_key));
        Ok(complete.then(|| given(file, body)))
    }

    async fn change(
        &self,
        account: &Account,
        id: &DocumentId,
        change: &DocumentChange,
        idempotency_key: &str,
    ) -> Result<Document, AccountError> {
        let refused = |words: &str| Err(AccountError::refused(words));
        let Some((file, body)) = self.opened(account, id).await? else {
            return refused(text::DOCUMENT_GONE);
        };
        let name = changed(account, idempotency_key);
        if body.names.contains(&name) {
            return Ok(given(file, body));
        }
        let may = file.capabilities;
        match (change.as_suggestion, may.can_edit, body.revision.as_deref()) {
            (true, false, _) if !may.can_comment => {
                return refused(text::NO_SUGGESTIONS);
            }
            (true, _, None) => return refused(text::NO_SUGGESTIONS),
            (false, false, _) | (false, _, None) => {
                return refused(text::DOCUMENT_READ_ONLY);
            }
            (_, _, Some(now)) if now != change.revision => {
                return refused(text::DOCUMENT_CHANGED);
            }
            _ => {}
        }
        let edit = Change::new(&body, &change.edit)?;
        let target = Target { account, id, name };
        match self
            .batch(&target, &body, Some(&edit), change.as_suggestion)
            .await
        {
            Ok(()) => self.still(account, id).await,
            Err(CallError::Status {
                provider: _,
                code,
                reason,
                message,
            }) => {
                tracing::info!(
                    http.status = code,
                    reason,
                    message,
                    "Google refused a change"
                );
                self.settled(&target, code, (&body, &edit)).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn find_changed(
        &self,
        account: &Account,
        id: &DocumentId,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError> {
        let body = self.body(account, id).await?;
        let name = changed(account, idempotency_key);
        match body.is_some_and(|body| body.names.contains(&name)) {
            true => self.still(account, id).await.map(Some),
            false => Ok(None),
        }
    }
}
