//! Google Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>), with Drive's metadata.
//! A change names the revision that was read and adds a named range for its key in the same batch. So it
//! happens once and can be looked up.

mod blocks;
mod body;
mod edit;
mod element;
mod glyph;
mod markdown;
mod paragraphs;
mod port;
mod requests;
mod wire;

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Document, DocumentSummary, Edit, Provider,
};
use alfred_core::text;
use alfred_mime::digest;
use serde_json::{Value, json};

use super::Google;
use super::drive::{File, Kind, is_id};
use alfred_accounts::api::{CallError, provider_refused, shaped, unsure};
use alfred_accounts::ask::Ask;
use body::Body;
use edit::Change;

/// Bytes of text that are returned of a longer document.
const MOST_TEXT: usize = 1_000_000;
/// Characters that a document can hold (<https://support.google.com/drive/answer/37603>).
const MOST_HELD: u32 = 1_020_000;

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

fn given(file: File, body: Body) -> Document {
    let summary = summary(&file);
    let mut text = body.text();
    let truncated = text.len() > MOST_TEXT;
    text.truncate(text.floor_char_boundary(MOST_TEXT));
    let (may, editable) = (file.capabilities, body.revision.is_some());
    Document {
        text,
        truncated,
        // Google gives readers no revision.
        revision: body
            .revision
            .unwrap_or_else(|| summary.modified.to_string()),
        summary,
        may_edit: may.can_edit && editable,
        may_suggest: (may.can_edit || may.can_comment) && editable,
        link: file.web_view_link,
    }
}

struct Target<'a> {
    account: &'a Account,
    id: &'a DocumentId,
    /// Name of the named range.
    name: String,
}

impl Google {
    fn documents_url(&self, id: &DocumentId) -> String {
        format!("{}/v1/documents/{id}", self.api.endpoints.docs)
    }

    async fn body(&self, account: &Account, id: &DocumentId) -> Result<Option<Body>, AccountError> {
        if !is_id(id.as_str()) {
            return Ok(None);
        }
        let ask = Ask::get(AccountService::Documents, self.documents_url(id))
            .query("includeTabsContent", true)
            .query("fields", wire::FIELDS);
        match self.api.call(account, &ask).await {
            Ok(answer) => Ok(Some(Body::read(shaped(answer)?))),
            Err(CallError::Status { code: 404, .. }) => Ok(None),
            // A file of another kind.
            Err(CallError::Status { code: 400, .. }) => {
                Err(AccountError::refused(text::DOCUMENT_UNREADABLE))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn opened(
        &self,
        account: &Account,
        id: &DocumentId,
    ) -> Result<Option<(File, Body)>, AccountError> {
        let Some(file) = self.file(account, Kind::Document, id.as_str()).await? else {
            return Ok(None);
        };
        let body = self.body(account, id).await?;
        Ok(body.map(|body| (file, body)))
    }

    /// Reads the document again after a change. It existed before, so its absence is `Unknown`.
    async fn still(&self, account: &Account, id: &DocumentId) -> Result<Document, AccountError> {
        let opened = self.opened(account, id).await.map_err(unsure)?;
        let (file, body) = opened.ok_or_else(removed)?;
        Ok(given(file, body))
    }

    /// Sends a batch for the revision that was read, so repeating it does nothing.
    async fn batch(
        &self,
        target: &Target<'_>,
        body: &Body,
        change: Option<&Change<'_>>,
        as_suggestion: bool,
    ) -> Result<(), CallError> {
        let mut requests = vec![requests::stamp(&target.name, body.last)];
        if let Some(change) = change {
            requests.extend(change.requests(as_suggestion).map_err(CallError::Account)?);
        }
        let mut control = json!({"requiredRevisionId": body.revision});
        if as_suggestion {
            control["writeMode"] = json!("SUGGEST");
        }
        let url = format!("{}:batchUpdate", self.documents_url(target.id));
        let asked = json!({"requests": requests, "writeControl": control});
        let ask = Ask::post(AccountService::Documents, url, asked).repeatable();
        let _: Value = self.api.call(target.account, &ask).await?;
        Ok(())
    }

    /// Writes the text into a new document, unless that was done.
    async fn completed(&self, target: &Target<'_>, text: &str) -> Result<(), AccountError> {
        let body = self.body(target.account, target.id).await?;
        let body = body.ok_or_else(removed)?;
        if is_complete(&body, &target.name) {
            return Ok(());
        }
        let edit = Edit::Append(text.to_owned());
        let change = match text.trim().is_empty() {
            true => None,
            false => Some(Change::new(&body, &edit)?),
        };
        let failed = match self.batch(target, &body, change.as_ref(), false).await {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        let body = self.body(target.account, target.id).await?;
        match body.is_some_and(|body| is_complete(&body, &target.name)) {
            true => Ok(()),
            false => Err(failed.into()),
        }
    }

    /// Handles a refused batch: another batch of the same key may have come first.
    async fn settled(
        &self,
        target: &Target<'_>,
        code: u16,
        change: (&Body, &Change<'_>),
    ) -> Result<Document, AccountError> {
        let now = self.body(target.account, target.id).await.map_err(unsure)?;
        let refused = |words: &str| Err(AccountError::refused(words));
        let (read, change) = change;
        let grown = change
            .inserted()
            .iter()
            .map(|glyph| glyph.units)
            .sum::<u32>();
        match now {
            None => refused(text::DOCUMENT_GONE),
            Some(now) if now.names.contains(&target.name) => {
                self.still(target.account, target.id).await
            }
            Some(now) if now.revision.is_none() || code == 403 => refused(text::DOCUMENT_READ_ONLY),
            Some(now) if now.revision != read.revision => refused(text::DOCUMENT_CHANGED),
            Some(now) if now.length + grown > MOST_HELD => {
                refused("The document is as long as it can be, so nothing was added.")
            }
            Some(_) => refused(&provider_refused(Provider::Google)),
        }
    }
}

/// Whether a new document has its text. A document with any text isn't written again.
fn is_complete(body: &Body, name: &str) -> bool {
    body.names.contains(name) || body.lines.iter().any(|line| !line.text.is_empty())
}

fn created(account: &Account, key: &str) -> String {
    format!("alfred.created.{}", digest(account, key))
}

fn changed(account: &Account, key: &str) -> String {
    format!("alfred.changed.{}", digest(account, key))
}
