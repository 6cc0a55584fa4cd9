//! Google Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>). Documents are read and
//! created as Drive's Markdown. A change names the revision that was read and adds a named range for its key
//! in the same batch. So it happens once and can be looked up.

mod append;
mod markdown;
mod replace;
mod sharing;
mod state;

pub(super) use sharing::Permission;

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Document, DocumentChange, DocumentSummary, Documents,
    DocumentsAccount, Edit, OutgoingFile, Share,
};
use alfred_core::text;
use alfred_mime::digest;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::Google;
use super::drive::{BY_CONTENT, Drive, File, Kind};
use crate::{Result, found, is_id};
use alfred_accounts::api::{CallError, CallResult, unsure};
use alfred_accounts::ask::Ask;
use state::State;

/// Bytes of text that are returned of a longer document.
const MOST_TEXT: usize = 1_000_000;
const NOT_EXPORTED: &str =
    "Google doesn't give this document to me: it is larger than 10 MB, or may not be downloaded.";

fn removed() -> AccountError {
    AccountError::unknown("the document was removed")
}

fn not_own(verb: &str) -> AccountError {
    AccountError::refused(format!(
        "Google lets me {verb} only documents of your own that were made with me. Please {verb} this one in Google Drive."
    ))
}

/// Google gives readers no revision.
fn revision(file: &File, state: State) -> String {
    (state.revision).unwrap_or_else(|| file.modified_time.to_string())
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

    async fn described(&self, id: &str, fields: &str) -> Result<Option<(File, State)>> {
        let (file, state) = (self.file(id).await?, self.state(id, fields).await?);
        Ok(file.zip(state))
    }

    /// Reads a document. The revision is read before the text: if somebody writes in between, a change for
    /// this revision is refused.
    async fn opened(&self, id: &str) -> Result<Option<Document>> {
        let Some((file, state)) = self.described(id, state::STAMPS).await? else {
            return Ok(None);
        };
        let Some(text) = self.exported(id, "text/markdown").await? else {
            return Ok(None);
        };
        let mut text = markdown::without_pictures(&String::from_utf8_lossy(&text));
        let truncated = text.len() > MOST_TEXT;
        text.truncate(text.floor_char_boundary(MOST_TEXT));
        Ok(Some(Document {
            summary: file.summary(),
            text,
            truncated,
            may_edit: file.capabilities.can_edit && state.revision.is_some(),
            revision: revision(&file, state),
            shares: sharing::shares(&file),
            link: file.web_view_link,
        }))
    }

    async fn exported(&self, id: &str, mime_type: &str) -> Result<Option<Vec<u8>>> {
        if !is_id(id) {
            return Ok(None);
        }
        let url = format!("{}/{id}/export", self.google.files_url());
        let ask = Ask::get(AccountService::Documents, url).query("mimeType", mime_type);
        let answer = self.google.api.bytes(self.account, &ask).await;
        if matches!(answer, Err(CallError::Status { code: 403, .. })) {
            return Err(AccountError::refused(NOT_EXPORTED));
        }
        found(answer, &[404])
    }

    /// Reads the document again after a change. It existed before, so its absence is `Unknown`.
    async fn still(&self, id: &str) -> Result<Document> {
        let opened = self.opened(id).await.map_err(unsure)?;
        opened.ok_or_else(removed)
    }

    /// Sends a batch for the revision that was read, so repeating it does nothing.
    async fn batch(&self, id: &str, digest: &str, state: &State, edit: &Edit) -> CallResult<()> {
        let mut requests = state.stamp(digest, self.google.clock.now());
        let own = requests.len();
        requests.extend(match edit {
            Edit::Append(more) => append::requests(state, more),
            Edit::Replace { old, new } => replace::requests(&state.paragraphs, old, new)?,
        });
        let control = json!({"requiredRevisionId": state.revision});
        let url = format!("{}:batchUpdate", self.document_url(id));
        let asked = json!({"requests": requests, "writeControl": control});
        let ask = Ask::post(AccountService::Documents, url, asked).repeatable();
        let answer: Value = self.google.call(self.account, &ask).await?;
        let replies = answer["replies"].as_array().into_iter().flatten().skip(own);
        let is_once = |reply: &Value| reply["replaceAllText"]["occurrencesChanged"] == 1;
        if matches!(edit, Edit::Replace { .. }) && !replies.into_iter().all(is_once) {
            return Err(AccountError::unknown("Google replaced the passage elsewhere too").into());
        }
        Ok(())
    }

    /// Handles a refused batch: another batch of the same key may have come first.
    async fn settled(
        &self,
        id: &str,
        digest: &str,
        error: CallError,
        read: &State,
    ) -> Result<Document> {
        tracing::info!(?error, "Google refused a change");
        let now = self.state(id, state::STAMPS).await.map_err(unsure)?;
        let now = now.ok_or_else(|| AccountError::refused(text::DOCUMENT_GONE))?;
        if now.has(digest) {
            return self.still(id).await;
        }
        let is_read_only = matches!(error, CallError::Status { code: 403, .. });
        Err(if now.revision.is_none() || is_read_only {
            AccountError::refused(text::DOCUMENT_READ_ONLY)
        } else if now.revision != read.revision {
            AccountError::refused(text::DOCUMENT_CHANGED)
        } else {
            error.into()
        })
    }
}

#[async_trait]
impl DocumentsAccount for Drive<'_> {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<DocumentSummary>> {
        self.titled(words, limit).await
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
        let Some((file, state)) = self.described(id, fields).await? else {
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
            Err(refused @ CallError::Status { .. }) => {
                self.settled(id, &digest, refused, &state).await
            }
            Err(CallError::Account(error)) => Err(error),
        }
    }

    async fn find_changed(&self, id: &DocumentId, key: &str) -> Result<Option<Document>> {
        let id = id.as_str();
        let Some(state) = self.state(id, state::STAMPS).await? else {
            return Ok(None);
        };
        if state.has(&digest(self.account, key)) {
            return self.still(id).await.map(Some);
        }
        state.check_stamps(self.google.clock.now())?;
        Ok(None)
    }

    async fn set_deleted(&self, id: &DocumentId, deleted: bool) -> Result<Option<DocumentSummary>> {
        let Some(file) = self.file_or_trashed(id.as_str()).await? else {
            return Ok(None);
        };
        if file.trashed != deleted {
            let url = format!("{}/{id}", self.google.files_url());
            let ask = Ask::patch(AccountService::Documents, url, json!({"trashed": deleted}));
            let ask = ask.query("supportsAllDrives", true).repeatable();
            match self.google.call::<Value>(self.account, &ask).await {
                Err(CallError::Status { code: 403, .. }) => return Err(not_own("delete")),
                answer => drop(answer?),
            }
        }
        Ok(Some(file.summary()))
    }

    /// Drive finds whole words by content.
    async fn search(&self, words: &[String], limit: usize) -> Result<(Vec<DocumentSummary>, bool)> {
        let mut found: Vec<DocumentSummary> = self.titled(words, limit).await?;
        if words.is_empty() {
            return Ok((found, true));
        }
        let mut condition = "trashed = false".to_owned();
        for word in words {
            let word = word.replace('\\', r"\\").replace('\'', r"\'");
            condition += &format!(" and {BY_CONTENT} '{word}'");
        }
        let page = self.page(&condition, None).await?;
        found.extend(page.files.iter().map(File::summary));
        found.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
        found.dedup();
        found.truncate(limit.clamp(1, 100));
        Ok((found, page.next_page_token.is_none()))
    }

    /// The revision is read after the content, since somebody may write in between.
    async fn export(&self, id: &DocumentId, revision: &str) -> Result<Option<OutgoingFile>> {
        let id = id.as_str();
        let content = self.exported(id, "application/pdf").await?;
        let described = self.described(id, state::STAMPS).await?;
        let Some((content, (file, state))) = content.zip(described) else {
            return Ok(None);
        };
        let name = format!("{}.pdf", file.name);
        if self::revision(&file, state) != revision {
            return Err(AccountError::refused(text::DOCUMENT_CHANGED));
        }
        Ok(Some(OutgoingFile {
            name,
            content_type: "application/pdf".to_owned(),
            content,
            version: Some(format!("{id} {revision}")),
        }))
    }

    async fn set_access(&self, id: &DocumentId, to: &Share) -> Result<()> {
        self.share(id.as_str(), to).await
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
