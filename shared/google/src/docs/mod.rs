//! Google Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>). Documents are read and
//! created as Drive's Markdown. A change names the revision that was read and adds a named range for its key
//! in the same batch. So it happens once and can be looked up.

mod append;
mod markdown;
mod port;
mod replace;
mod state;

use alfred_core::id::DocumentId;
use alfred_core::ports::{AccountError, AccountService, Document, DocumentSummary, Edit, Provider};
use alfred_core::text;
use serde_json::{Value, json};

use super::drive::{Drive, File, is_id};
use crate::{Result, found};
use alfred_accounts::api::{CallError, provider_refused, unsure};
use alfred_accounts::ask::Ask;
use state::State;

/// Bytes of text that are returned of a longer document.
const MOST_TEXT: usize = 1_000_000;
const NOT_EXPORTED: &str =
    "Google doesn't give this document to me: it is larger than 10 MB, or may not be downloaded.";

fn removed() -> AccountError {
    AccountError::Unknown {
        detail: "the document was removed".into(),
    }
}

fn summary(file: &File) -> DocumentSummary {
    DocumentSummary {
        id: DocumentId(file.id.clone()),
        title: file.name.clone(),
        modified: file.modified_time,
    }
}

impl Drive<'_> {
    fn document_url(&self, id: &str) -> String {
        format!("{}/v1/documents/{id}", self.google.api.endpoints.docs)
    }

    async fn state(&self, id: &str, fields: &str) -> Result<Option<State>> {
        if !is_id(id) {
            return Ok(None);
        }
        let ask = Ask::get(AccountService::Documents, self.document_url(id))
            .query("includeTabsContent", true)
            .query("fields", fields);
        let answer = self.google.call(self.account, &ask).await;
        // A file of another kind.
        if matches!(answer, Err(CallError::Status { code: 400, .. })) {
            return Err(AccountError::refused(text::DOCUMENT_UNREADABLE));
        }
        Ok(found(answer, &[404])?.map(State::read))
    }

    /// Reads a document. The revision is read before the text: if somebody writes in between, a change for
    /// this revision is refused.
    async fn opened(&self, id: &str) -> Result<Option<Document>> {
        let Some(file) = self.file(id).await? else {
            return Ok(None);
        };
        let Some(state) = self.state(id, state::STAMPS).await? else {
            return Ok(None);
        };
        let Some(mut text) = self.exported(id).await? else {
            return Ok(None);
        };
        let truncated = text.len() > MOST_TEXT;
        text.truncate(text.floor_char_boundary(MOST_TEXT));
        let summary = summary(&file);
        Ok(Some(Document {
            text,
            truncated,
            may_edit: file.capabilities.can_edit && state.revision.is_some(),
            // Google gives readers no revision.
            revision: (state.revision).unwrap_or_else(|| summary.modified.to_string()),
            summary,
            link: file.web_view_link,
        }))
    }

    /// The text as Markdown.
    async fn exported(&self, id: &str) -> Result<Option<String>> {
        let url = format!("{}/{id}/export", self.google.files_url());
        let ask = Ask::get(AccountService::Documents, url).query("mimeType", "text/markdown");
        let answer = self.google.api.bytes(self.account, &ask).await;
        if matches!(answer, Err(CallError::Status { code: 403, .. })) {
            return Err(AccountError::refused(NOT_EXPORTED));
        }
        let bytes = found(answer, &[404])?;
        Ok(bytes.map(|bytes| markdown::without_pictures(&String::from_utf8_lossy(&bytes))))
    }

    /// Reads the document again after a change. It existed before, so its absence is `Unknown`.
    async fn still(&self, id: &str) -> Result<Document> {
        let opened = self.opened(id).await.map_err(unsure)?;
        opened.ok_or_else(removed)
    }

    /// Sends a batch for the revision that was read, so repeating it does nothing.
    async fn batch(
        &self,
        id: &str,
        digest: &str,
        state: &State,
        edit: &Edit,
    ) -> Result<(), CallError> {
        let mut requests = state.stamp(digest, self.google.clock.now());
        let own = requests.len();
        requests.extend(match edit {
            Edit::Append(more) => append::requests(state, more),
            Edit::Replace { old, new } => {
                replace::requests(&state.paragraphs, old, new).map_err(CallError::Account)?
            }
        });
        let control = json!({"requiredRevisionId": state.revision});
        let url = format!("{}:batchUpdate", self.document_url(id));
        let asked = json!({"requests": requests, "writeControl": control});
        let ask = Ask::post(AccountService::Documents, url, asked).repeatable();
        let answer: Value = self.google.api.call(self.account, &ask).await?;
        let replies = answer["replies"].as_array().into_iter().flatten().skip(own);
        let is_once = |reply: &Value| reply["replaceAllText"]["occurrencesChanged"] == 1;
        if matches!(edit, Edit::Replace { .. }) && !replies.into_iter().all(is_once) {
            return Err(CallError::Account(AccountError::Unknown {
                detail: "Google replaced the passage in other places than expected".into(),
            }));
        }
        Ok(())
    }

    /// Handles a refused batch: another batch of the same key may have come first.
    async fn settled(&self, id: &str, digest: &str, code: u16, read: &State) -> Result<Document> {
        let now = self.state(id, state::STAMPS).await;
        let refused = |words: &str| Err(AccountError::refused(words));
        match now.map_err(unsure)? {
            None => refused(text::DOCUMENT_GONE),
            Some(now) if now.has(digest) => self.still(id).await,
            Some(now) if now.revision.is_none() || code == 403 => refused(text::DOCUMENT_READ_ONLY),
            Some(now) if now.revision != read.revision => refused(text::DOCUMENT_CHANGED),
            Some(_) => refused(&provider_refused(Provider::Google)),
        }
    }
}
