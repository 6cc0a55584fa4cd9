//! `docs_appendToDocument` and `docs_updateDocument`.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{AccountError, Document, DocumentChange, Edit};

use super::file::{Change, Prepared, Wanted};
use super::{MAX_TEXT, TOOLSET, diff};
use crate::prelude::*;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Append {
    /// As of docs_readDocument.
    document_id: String,
    /// Markdown that goes below the last line.
    text: String,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    /// As of docs_readDocument.
    document_id: String,
    /// The exact passage, long enough to occur only once.
    old_text: String,
    /// What it becomes, as plain text; empty removes it.
    new_text: String,
}

pub fn append() -> SharedTool {
    let description = "Adds text to the end of a document. A card asks first.";
    let def = ToolDef::new(TOOLSET, Append::NAME, description);
    outward::tool::<Prepared<Append>>(def.flow(Flow::UNKNOWN))
}

pub fn update() -> SharedTool {
    let description = "Replaces a passage of a document. A card asks first.";
    let def = ToolDef::new(TOOLSET, Update::NAME, description);
    outward::tool::<Prepared<Update>>(def.flow(Flow::UNKNOWN))
}

struct Edited {
    change: DocumentChange,
    after: String,
}

impl Edited {
    fn check(context: &ToolContext, document: &Document, edit: Edit) -> Result<Self> {
        if !document.may_edit {
            return Err(ToolError::failed(text::DOCUMENT_READ_ONLY));
        }
        let title = shown_on_one_line(&document.summary.title);
        context.ensure_as_left(&title, true, &json!(document.revision))?;
        let after = edit.applied_to(&document.text).map_err(not_read)?;
        let revision = document.revision.clone();
        let change = DocumentChange { edit, revision };
        Ok(Self { change, after })
    }
}

#[async_trait]
impl Change for Edited {
    type File = Document;
    type Done = Document;
    const UNDO: &'static str = Update::NAME;

    fn show(&self, document: &Document, preview: Preview) -> Preview {
        if let Edit::Append(text) = &self.change.edit {
            return preview.body(text.trim_end());
        }
        let (before, after) = diff::shown(&document.text, &self.after);
        preview.change(text::LINES_LABEL, before, after)
    }

    async fn make(&self, context: &ToolContext, file: &Document) -> Result<Document, AccountError> {
        let (account, key) = (context.account(), &context.call.key);
        let (documents, id) = (&context.accounts.documents, &file.summary.id);
        documents.change(&account, id, &self.change, key).await
    }

    async fn look(
        context: &ToolContext,
        file: &Document,
    ) -> Result<Option<Document>, AccountError> {
        let (account, key) = (context.account(), &context.call.key);
        let (documents, id) = (&context.accounts.documents, &file.summary.id);
        documents.find_changed(&account, id, key).await
    }

    fn changed(done: &Document) -> &Document {
        done
    }

    /// `None` for a truncated text, which can't be compared. A provider may write the same text with other
    /// Markdown marks or line breaks, so only letters and digits are compared.
    fn undo(&self, document: &Document, done: &Document) -> Option<(Value, Value)> {
        let letters =
            |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
        if document.truncated || letters(&done.text) != letters(&self.after) {
            return None;
        }
        let (before, now) = diff::anchored(&document.text, &done.text)?;
        let id = &document.summary.id;
        let undo = json!({"documentId": id, "oldText": now, "newText": before});
        Some((undo, json!(done.revision)))
    }
}

#[async_trait]
impl Wanted for Append {
    const NAME: &'static str = "docs_appendToDocument";
    type Change = Edited;

    fn file(&self) -> &str {
        &self.document_id
    }

    async fn check(&self, context: &ToolContext, document: &Document) -> Result<Edited> {
        text_up_to("text", &self.text, MAX_TEXT).map_err(invalid)?;
        let text = self.text.trim_end();
        if text.is_empty() {
            return Err(refused("text", &self.text, "is empty."));
        }
        let edit = Edit::Append(format!("{text}\n"));
        Edited::check(context, document, edit)
    }

    fn card_title(&self) -> String {
        "Add to a document".to_owned()
    }

    fn did(&self, _: &Document) -> String {
        "Added to".to_owned()
    }
}

#[async_trait]
impl Wanted for Update {
    const NAME: &'static str = "docs_updateDocument";
    type Change = Edited;

    fn file(&self) -> &str {
        &self.document_id
    }

    async fn check(&self, context: &ToolContext, document: &Document) -> Result<Edited> {
        let (old, new) = (&self.old_text, &self.new_text);
        for (field, value) in [("oldText", old), ("newText", new)] {
            text_up_to(field, value, MAX_TEXT).map_err(invalid)?;
        }
        if old.is_empty() {
            let problem = "is empty. Give the passage as it is.";
            return Err(refused("oldText", "", problem));
        }
        if old == new {
            return Err(refused("newText", new, "is what is there already."));
        }
        let (old, new) = (old.clone(), new.clone());
        Edited::check(context, document, Edit::Replace { old, new })
    }

    fn card_title(&self) -> String {
        "Change a document".to_owned()
    }

    fn did(&self, _: &Document) -> String {
        "Changed".to_owned()
    }
}
