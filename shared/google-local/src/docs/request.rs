//! What `documents.batchUpdate` is asked for
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request>): of it what Alfred uses.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Batch {
    pub requests: Vec<Request>,
    #[serde(default)]
    pub write_control: WriteControl,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct WriteControl {
    pub required_revision_id: Option<String>,
    pub write_mode: Option<WriteMode>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum WriteMode {
    Edit,
    Suggest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Request {
    InsertText(InsertText),
    DeleteContentRange(Ranged),
    UpdateTextStyle(UpdateTextStyle),
    UpdateParagraphStyle(UpdateParagraphStyle),
    CreateParagraphBullets(CreateParagraphBullets),
    DeleteParagraphBullets(Ranged),
    CreateNamedRange(CreateNamedRange),
    DeleteNamedRange(DeleteNamedRange),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct InsertText {
    pub text: String,
    pub location: Option<Location>,
    pub end_of_segment_location: Option<EndOfSegment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Location {
    pub index: usize,
    pub tab_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EndOfSegment {
    pub tab_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Span {
    pub start_index: usize,
    pub end_index: usize,
    pub tab_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ranged {
    pub range: Span,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateTextStyle {
    pub range: Span,
    pub text_style: TextStyle,
    pub fields: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
pub(super) struct TextStyle {
    pub bold: bool,
    pub italic: bool,
    pub strikethrough: bool,
    pub link: Option<Link>,
    pub weighted_font_family: Option<FontFamily>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FontFamily {
    pub font_family: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateParagraphStyle {
    pub range: Span,
    pub paragraph_style: ParagraphStyle,
    pub fields: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ParagraphStyle {
    pub named_style_type: Option<String>,
    pub indent_start: Option<Value>,
    pub indent_first_line: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CreateParagraphBullets {
    pub range: Span,
    pub bullet_preset: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateNamedRange {
    pub name: String,
    pub range: Span,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteNamedRange {
    pub name: String,
}
