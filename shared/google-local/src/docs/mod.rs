//! Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>): documents of one tab, kept as
//! Markdown with one paragraph a line. Batches are done whole or not at all.

mod document;
mod request;

use serde_json::json;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};
use crate::fields;
use crate::routes::{GET, POST, Routes, Spec};
use crate::scope::{DOCUMENTS, DRIVE_FILE, DRIVE_READONLY};
pub use document::Document;
use request::Batch;

pub(crate) fn routes() -> Routes {
    let reading = &[DOCUMENTS, DRIVE_READONLY, DRIVE_FILE];
    let update = Spec::new("docs.documents.batchUpdate", &[DOCUMENTS, DRIVE_FILE], 1);
    Routes::at("/v1/documents/{documentId}")
        .method(GET, "", Spec::new("docs.documents.get", reading, 1))
        .by(read)
        .method(POST, "", update)
        .by(batch_update)
}

fn of(file: &mut File) -> Result<&mut Document, ApiError> {
    match &mut file.content {
        Content::Document(document) => Ok(document),
        Content::Spreadsheet(_) => Err(ApiError::invalid(
            "This operation is not supported for this document",
        )),
    }
}

/// <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/get>, with the contents of tabs.
fn read(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let id = asked.param("documentId");
    if asked.query("includeTabsContent") != Some("true") {
        return Err(ApiError::invalid("This stand-in gives tabs alone"));
    }
    let file = scene.file(id)?;
    let mut answer = json!({"documentId": id, "title": file.name});
    let editable = file.editable;
    let document = of(file)?;
    answer["tabs"] = json!([document.tab()]);
    // Readers get no revision.
    if editable {
        answer["revisionId"] = json!(document.revision_id());
    }
    Ok(fields::wanted(&answer, asked.query("fields").unwrap_or("*"))?.into())
}

/// <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/batchUpdate>
fn batch_update(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, now) = (scene.asked, scene.now);
    let id = asked.param("documentId").strip_suffix(":batchUpdate");
    let id = id.ok_or_else(ApiError::not_found)?;
    let batch: Batch = serde_json::from_value(asked.body()?)
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let file = scene.editable(id)?;
    let document = of(file)?;
    let required = batch.write_control.required_revision_id.as_ref();
    if required.is_some_and(|required| *required != document.revision_id()) {
        return Err(ApiError::invalid(
            "The required revision ID does not match the latest revision.",
        ));
    }
    let mut changed = document.clone();
    let replies = batch.requests.iter().map(|request| changed.apply(request));
    let replies: Vec<_> = replies.collect::<Result<_, ApiError>>()?;
    changed.revision += 1;
    *document = changed;
    file.modified = now;
    Ok(json!({"documentId": id, "replies": replies}).into())
}
