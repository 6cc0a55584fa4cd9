//! Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>): bodies of tabs by Google's own indexes,
//! batches that are done whole or not at all, revisions, suggestions, named ranges.

mod apply;
mod body;
mod request;
mod shown;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::drive::{Content, File};
use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Given, Scene, Spec};
use crate::fields;
use crate::scope::DRIVE_FILE;
use crate::state::GoogleLocal;
use body::{Look, Mark, Tab, Traits, Unit};
use request::{Batch, WriteMode};
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

/// What its people do with it, behind the API's back.
impl Document {
    /// One of these lines, as Markdown begins them: `# `, `- `, `1. `, and all others as they are.
    ///
    /// # Errors
    /// When it is more than a document takes.
    pub fn of_lines(lines: &str) -> Result<Self, String> {
        let (mut document, mut index) = (Self::default(), 1);
        let mut requests = Vec::new();
        for (number, line) in lines.split('\n').enumerate() {
            let heading = line.strip_prefix("# ");
            let bullet = line.strip_prefix("- ");
            let item = line.strip_prefix("1. ");
            let text = heading.or(bullet).or(item).unwrap_or(line);
            let text = if number == 0 {
                text.to_owned()
            } else {
                format!("\n{text}")
            };
            let start = index + usize::from(number > 0);
            let range = json!({"startIndex": start, "endIndex": start + 1});
            if !text.is_empty() {
                requests.push(json!({"insertText": {"text": text, "endOfSegmentLocation": {}}}));
            }
            let named = if heading.is_some() {
                "HEADING_1"
            } else {
                "NORMAL_TEXT"
            };
            requests.push(json!({"deleteParagraphBullets": {"range": range}}));
            requests.push(json!({"updateParagraphStyle": {
                "range": range, "paragraphStyle": {"namedStyleType": named}, "fields": "namedStyleType,indentStart",
            }}));
            if bullet.or(item).is_some() {
                let preset = if bullet.is_some() {
                    "BULLET_DISC_CIRCLE_SQUARE"
                } else {
                    "NUMBERED_DECIMAL_ALPHA_ROMAN"
                };
                requests.push(
                    json!({"createParagraphBullets": {"range": range, "bulletPreset": preset}}),
                );
            }
            index += text.encode_utf16().count();
        }
        document.change(&Value::Array(requests))?;
        Ok(document)
    }

    /// Somebody changes it by the requests of a batch.
    ///
    /// # Errors
    /// What Google would say.
    pub fn change(&mut self, requests: &Value) -> Result<(), String> {
        self.batch(json!({"requests": requests}))
    }

    /// Somebody suggests what these would do.
    ///
    /// # Errors
    /// What Google would say.
    pub fn suggest(&mut self, requests: &Value) -> Result<(), String> {
        self.batch(json!({"requests": requests, "writeControl": {"writeMode": "SUGGEST"}}))
    }

    fn batch(&mut self, batch: Value) -> Result<(), String> {
        let batch = serde_json::from_value(batch);
        let batch: Batch = batch.map_err(|error| error.to_string())?;
        self.all(&batch)
            .map(drop)
            .map_err(|error| format!("{error:?}"))
    }

    /// All that is suggested is accepted, or rejected.
    pub fn settle(&mut self, accepted: bool) {
        self.revision += 1;
        self.tabs.iter_mut().for_each(|tab| tab.settle(accepted));
    }

    /// A tab is added.
    pub fn add_tab(&mut self, id: &str, title: &str) {
        self.revision += 1;
        self.tabs.push(Tab::new(id, title));
    }

    /// A table is put behind the first paragraph of the first tab, which stays in front of another one.
    pub fn add_table(&mut self, rows: &[&[&str]]) {
        let mut units = vec![Unit::plain(Mark::TableStart)];
        for row in rows {
            units.push(Unit::plain(Mark::RowStart));
            for cell in *row {
                units.push(Unit::plain(Mark::CellStart));
                let codes = cell.encode_utf16().chain([10]);
                units.extend(codes.map(|code| Unit::plain(Mark::Code(code))));
            }
        }
        units.push(Unit::plain(Mark::TableEnd));
        if let Some(tab) = self.tabs.first_mut() {
            let end = tab.newlines(&(1..2)).first().map_or(1, |end| end + 1);
            if end == tab.units.len() {
                tab.insert(end, vec![Unit::plain(Mark::Code(10))]);
            }
            tab.insert(end, units);
        }
        self.revision += 1;
    }

    /// A picture, or somebody who is mentioned, at an index of the first tab.
    pub fn add_object(&mut self, index: usize, person: Option<&str>) {
        let traits = Traits {
            person: person.map(str::to_owned),
            ..Traits::default()
        };
        let object = Unit {
            mark: Mark::Object,
            traits: Arc::new(traits),
        };
        if let Some(tab) = self.tabs.first_mut() {
            tab.insert(index, vec![object]);
        }
        self.revision += 1;
    }

    /// The names of its named ranges with where they are.
    pub fn named_ranges(&self) -> Vec<(String, std::ops::Range<usize>)> {
        let all = self.tabs.iter().flat_map(|tab| &tab.named);
        all.map(|named| (named.name.clone(), named.range.clone()))
            .collect()
    }

    /// Its tabs as `documents.get` gives them to those who may edit.
    #[must_use]
    pub fn shown(&self) -> Value {
        self.tabs(View::Inline)
    }

    fn tabs(&self, view: View) -> Value {
        let each = self.tabs.iter().enumerate().map(|(index, tab)| {
            let properties = json!({"tabId": tab.id, "title": tab.title, "index": index});
            json!({"tabProperties": properties, "documentTab": shown::tab(tab, view)})
        });
        each.collect()
    }

    /// Who is mentioned in it.
    #[must_use]
    pub fn mentions(&self) -> Vec<String> {
        let units = self.tabs.iter().flat_map(|tab| &tab.units);
        units
            .filter_map(|unit| unit.traits.person.clone())
            .collect()
    }

    /// Every part of its text that looks otherwise than plain, with how.
    #[must_use]
    pub fn looks(&self) -> Vec<(String, String)> {
        let units = self.tabs.iter().flat_map(|tab| &tab.units);
        let units: Vec<&Unit> = units.collect();
        let runs = units.chunk_by(|a, b| a.traits.look == b.traits.look);
        let styled = runs.filter(|run| run[0].traits.look != Look::default());
        let shown = styled.map(|run| {
            let codes = run.iter().filter_map(|unit| match unit.mark {
                Mark::Code(code) => Some(code),
                _ => None,
            });
            let text = String::from_utf16_lossy(&codes.collect::<Vec<u16>>());
            (text, run[0].traits.look.words())
        });
        shown.collect()
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

impl Look {
    fn words(&self) -> String {
        let mut words = Vec::new();
        let flags = [
            ("bold", self.bold),
            ("italic", self.italic),
            ("struck", self.strikethrough),
        ];
        words.extend(
            flags
                .into_iter()
                .filter(|(_, is)| *is)
                .map(|(word, _)| word.to_owned()),
        );
        words.extend(self.link.clone());
        words.extend(self.font.clone());
        words.join(" ")
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
