//! Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>): documents of one tab, kept as
//! Markdown with one paragraph a line. Batches are done whole or not at all.

mod document;
mod request;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use serde_json::json;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Given, Scene, Spec};
use crate::fields;
use crate::scope::DRIVE_FILE;
use crate::state::GoogleLocal;
pub use document::Document;
use request::Batch;

pub(crate) fn routes() -> Router<GoogleLocal> {
    let served = |id: &'static str, effect: Effect| {
        let spec = Spec::new(id, &[DRIVE_FILE], 1);
        move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect)
    };
    Router::new().route(
        "/v1/documents/{documentId}",
        get(served("docs.documents.get", read))
            .post(served("docs.documents.batchUpdate", batch_update)),
    )
}

/// The document of a file that the app sees.
fn document<'a>(scene: &'a mut Scene<'_>, id: &str) -> Result<&'a mut File, ApiError> {
    let file = scene.account()?.drive.seen(id)?;
    match file.content {
        Content::Document(_) => Ok(file),
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
    let file = document(scene, id)?;
    let Content::Document(document) = &file.content else {
        return Err(ApiError::not_found());
    };
    let mut answer = json!({"documentId": id, "title": file.name, "tabs": [document.tab()]});
    // Readers get no revision.
    if file.editable {
        answer["revisionId"] = json!(document.revision_id());
    }
    Ok(fields::wanted(&answer, asked.query("fields").unwrap_or("*"))?.into())
}

/// <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/batchUpdate>
fn batch_update(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let id = asked.param("documentId").strip_suffix(":batchUpdate");
    let id = id.ok_or_else(ApiError::not_found)?;
    let batch: Batch = serde_json::from_value(asked.body()?)
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let now = scene.now;
    let file = document(scene, id)?;
    if !file.editable {
        let message = "The caller does not have permission";
        return Err(ApiError::new(403, "forbidden", message));
    }
    let Content::Document(document) = &mut file.content else {
        return Err(ApiError::not_found());
    };
    let required = batch.write_control.required_revision_id.as_ref();
    if required.is_some_and(|required| *required != document.revision_id()) {
        return Err(ApiError::invalid(
            "The required revision ID does not match the latest revision.",
        ));
    }
    let mut changed = document.clone();
    let replies: Result<Vec<_>, ApiError> = (batch.requests.iter())
        .map(|request| changed.apply(request))
        .collect();
    let replies = replies?;
    changed.revision += 1;
    *document = changed;
    file.modified = now;
    Ok(json!({"documentId": id, "replies": replies}).into())
}
