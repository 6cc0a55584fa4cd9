//! A change of a document, used for both the card and the run.

use alfred_agent::tool::Settled;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Document, DocumentChange, Edit};

use super::{DocumentView, diff, find, namesake, receipt, update_document, version};
use crate::account::{not_done, not_read};
use crate::outward::settled;
use crate::prelude::*;

pub struct Change {
    pub document: Document,
    pub change: DocumentChange,
    pub after: String,
    has_namesake: bool,
}

impl Change {
    /// Fails if the change can't be made.
    pub async fn prepare(
        context: &ToolContext,
        named: &str,
        edit: Edit,
        as_suggestion: bool,
    ) -> Result<Self, ToolError> {
        let document = find::one(context, named).await?;
        let can = if as_suggestion {
            (document.may_suggest, text::NO_SUGGESTIONS.to_owned())
        } else {
            (document.may_edit, text::DOCUMENT_READ_ONLY.to_owned())
        };
        if let (false, why) = can {
            return Err(ToolError::failed(why));
        }
        let title = shown_on_one_line(&document.summary.title);
        context.ensure_as_left(&title, true, &json!(document.revision))?;
        let after = edit.applied_to(&document.text).map_err(not_read)?;
        let revision = document.revision.clone();
        let has_namesake = find::has_namesake(context, &document.summary).await?;
        Ok(Self {
            change: DocumentChange {
                edit,
                revision,
                as_suggestion,
            },
            document,
            after,
            has_namesake,
        })
    }

    /// The common fields of all cards. A newer version of the document voids the approval.
    pub fn preview(&self, context: &ToolContext, title: &str) -> Preview {
        let summary = &self.document.summary;
        Preview::new(title)
            .field("Document", &summary.title)
            .field("Version", version(context, summary.modified))
            .any(text::CAREFUL, namesake(self.has_namesake))
    }

    pub async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, documents) = (&self.document.summary.id, &context.accounts.documents);
        let changed = documents.change(&account, id, &self.change, key).await;
        let changed = changed.map_err(not_done)?;
        let output = done(
            context,
            &changed,
            &self.change.edit,
            self.change.as_suggestion,
        )?;
        // No undo: a truncated text can't be compared, and a suggestion hasn't changed the text.
        if self.document.truncated || self.change.as_suggestion || changed.text != self.after {
            return Ok(output);
        }
        let back = diff::anchored(&self.document.text, &self.after);
        let undo = back
            .map(|back| json!({"documentId": id, "oldText": back.after, "newText": back.before}));
        let output = output.undone_by(update_document::NAME, undo);
        Ok(output.leaving([json!(changed.revision)]))
    }
}

fn done(
    context: &ToolContext,
    document: &Document,
    edit: &Edit,
    as_suggestion: bool,
) -> Result<ToolOutput, ToolError> {
    let title = shown_on_one_line(&document.summary.title);
    let what = match (edit, as_suggestion) {
        (_, true) => format!("Suggested a change of \"{title}\""),
        (Edit::Append(_), false) => format!("Added to \"{title}\""),
        (Edit::Replace { .. }, false) => format!("Changed \"{title}\""),
    };
    let view = DocumentView::new(context, &document.summary);
    let data = json!({"document": view, "suggested": as_suggestion});
    let receipt = receipt(context, document, what);
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}

pub async fn settle(
    context: &ToolContext,
    tool: &str,
    named: &str,
    (edit, as_suggestion): (&Edit, bool),
) -> Result<Settled, ToolError> {
    let document = match find::one(context, named).await {
        Ok(document) => document,
        // The document is gone, or its words now match several documents.
        Err(ToolError::Failed(_)) => return Ok(Settled::Unknown),
        Err(other) => return Err(other),
    };
    let (account, key) = (context.account(), &context.call.key);
    let documents = &context.accounts.documents;
    let found = documents.find_changed(&account, &document.summary.id, key);
    settled(tool, found.await, |changed| {
        done(context, changed, edit, as_suggestion)
    })
}
