//! Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>): bodies of tabs by Google's own indexes,
//! batches that are done whole or not at all, revisions, suggestions, named ranges.

mod apply;
mod body;
mod people;
mod request;
mod rules;
mod shown;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Given, Scene, Spec};
use crate::fields;
use crate::scope::DRIVE_FILE;
use crate::state::GoogleLocal;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use body::Tab;
use request::{Batch, WriteMode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shown::View;

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

/// What is in a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    tabs: Vec<Tab>,
    /// Counts changes.
    revision: u64,
    /// Counts lists, ranges and suggestions.
    sequence: u64,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            tabs: vec![Tab::new("t.0", "Tab 1")],
            revision: 1,
            sequence: 0,
        }
    }
}

impl Document {
    fn tabs(&self, view: View) -> Value {
        let each = self.tabs.iter().enumerate().map(|(index, tab)| {
            let properties = json!({"tabId": tab.id, "title": tab.title, "index": index});
            json!({"tabProperties": properties, "documentTab": shown::tab(tab, view)})
        });
        each.collect()
    }

    fn revision_id(&self) -> String {
        format!("ALm37BV{:06}", self.revision)
    }

    /// Does all of a batch, or nothing; the replies.
    fn all(&mut self, batch: &Batch) -> Result<Vec<Value>, ApiError> {
        let mut changed = self.clone();
        changed.sequence += 1;
        let suggests = batch.write_control.write_mode == Some(WriteMode::Suggest);
        let suggestion = suggests.then_some(changed.sequence);
        let requests = batch.requests.iter();
        let replies: Result<Vec<Value>, ApiError> = requests
            .map(|request| changed.apply(request, suggestion))
            .collect();
        let replies = replies?;
        changed.revision += 1;
        *self = changed;
        Ok(replies)
    }
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

/// <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/get>
fn read(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let id = asked.param("documentId");
    let mask = asked.query("fields");
    let tabs = asked.query("includeTabsContent") == Some("true")
        || mask.is_some_and(|mask| mask.contains("tabs"));
    let file = document(scene, id)?;
    let view = view(asked, file.editable)?;
    let Content::Document(document) = &file.content else {
        return Err(ApiError::not_found());
    };
    let mut answer = json!({
        "documentId": id,
        "title": file.name,
        "suggestionsViewMode": view.name(),
    });
    if file.editable {
        answer["revisionId"] = json!(document.revision_id());
    }
    if tabs {
        answer["tabs"] = document.tabs(view);
    } else if let (Value::Object(answer), Some(Value::Object(first))) = (
        &mut answer,
        document.tabs.first().map(|tab| shown::tab(tab, view)),
    ) {
        answer.extend(first);
    }
    match mask {
        Some(mask) => Ok(fields::wanted(&answer, mask)?.into()),
        None => Ok(answer.into()),
    }
}

fn view(asked: &Asked, editable: bool) -> Result<View, ApiError> {
    match asked.query("suggestionsViewMode") {
        None | Some("DEFAULT_FOR_CURRENT_ACCESS") if editable => Ok(View::Inline),
        None | Some("DEFAULT_FOR_CURRENT_ACCESS" | "PREVIEW_WITHOUT_SUGGESTIONS") => {
            Ok(View::Without)
        }
        Some("SUGGESTIONS_INLINE") if editable => Ok(View::Inline),
        Some("PREVIEW_SUGGESTIONS_ACCEPTED") if editable => Ok(View::Accepted),
        Some("SUGGESTIONS_INLINE" | "PREVIEW_SUGGESTIONS_ACCEPTED") => Err(forbidden()),
        Some(_) => Err(ApiError::invalid("Invalid suggestionsViewMode")),
    }
}

fn forbidden() -> ApiError {
    ApiError::new(403, "forbidden", "The caller does not have permission")
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
        return Err(forbidden());
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
    if batch.requests.is_empty() {
        return Err(ApiError::invalid("Must specify at least one request."));
    }
    let replies = document.all(&batch)?;
    let answer = json!({
        "documentId": id,
        "replies": replies,
        "writeControl": {"requiredRevisionId": document.revision_id()},
    });
    file.modified = now;
    Ok(answer.into())
}

#[cfg(test)]
mod tests;
