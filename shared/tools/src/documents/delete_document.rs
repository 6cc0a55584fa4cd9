//! `docs_deleteDocument`, and the restoring that undoes it.

use alfred_core::id::DocumentId;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::Document;

use super::{TOOLSET, file};
use crate::prelude::*;

pub const DELETE: &str = "docs_deleteDocument";
const RESTORE: &str = "docs_restoreDocument";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title that fit it alone.
    document_id: String,
}

pub fn tool() -> SharedTool {
    let description = "Moves a document to the bin. A card asks first.";
    let def = ToolDef::new(TOOLSET, DELETE, description)
        .effect(Effect::Destructive)
        .with(|def| def.behind_intent = true);
    tool::shown(def, card, delete)
}

pub fn restore() -> SharedTool {
    let def = ToolDef::new(TOOLSET, RESTORE, "Puts a document back from the bin.")
        .effect(Effect::ReversibleWrite);
    tool::shown(def, put_back_card, put_back)
}

/// A newer version of the document voids the approval.
async fn card(context: ToolContext, args: Arguments) -> Result<Preview> {
    let document: Document = file::one(&context, &args.document_id).await?;
    let card = Preview::new("Delete a document").field("Document", &*document.summary.title);
    Ok(card.bound([document.summary.modified.to_string()]))
}

async fn delete(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let document: Document = file::one(&context, &args.document_id).await?;
    let title = shown_on_one_line(&document.summary.title);
    context.ensure_as_left(&title, true, &json!(document.revision))?;
    let id = &document.summary.id;
    let output = moved(&context, id, true).await?;
    Ok(output.undone_by(RESTORE, [json!({"documentId": id})]))
}

/// The port reads no title of a document in the bin.
async fn put_back_card(_: ToolContext, _: Arguments) -> Result<Preview> {
    Ok(Preview::new("Put a document back from the bin"))
}

async fn put_back(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    moved(&context, &args.document_id.into(), false).await
}

async fn moved(context: &ToolContext, id: &DocumentId, deleted: bool) -> Result<ToolOutput> {
    let documents = &context.accounts.documents;
    let moved = documents.set_deleted(&context.account(), id, deleted).await;
    let moved = moved.map_err(not_done)?;
    let moved = moved.ok_or_else(|| ToolError::failed(text::DOCUMENT_GONE))?;
    let title = shown_on_one_line(&moved.title);
    let what = if deleted {
        format!("Deleted the document \"{title}\"")
    } else {
        format!("Put the document \"{title}\" back")
    };
    let data = ToolOutput::data(&json!({"documentId": id, "deleted": deleted}))?;
    let data = data.with_effect(what, Vec::new());
    Ok(data.at_place("your documents"))
}
