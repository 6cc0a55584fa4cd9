//! The fields that are read of `documents.get`
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents>).

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

pub(super) const FIELDS: &str =
    "revisionId,tabs(tabProperties(tabId,title),documentTab(body,lists,namedRanges),childTabs)";

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Resource {
    /// Only for accounts that may edit.
    pub revision_id: Option<String>,
    pub tabs: Vec<Tab>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tab {
    pub tab_properties: TabProperties,
    pub document_tab: DocumentTab,
    pub child_tabs: Vec<Tab>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TabProperties {
    pub tab_id: String,
    pub title: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct DocumentTab {
    pub body: Body,
    pub lists: HashMap<String, List>,
    /// Keyed by name.
    pub named_ranges: BTreeMap<String, serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Body {
    pub content: Vec<Structural>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Structural {
    pub start_index: u32,
    pub end_index: u32,
    pub paragraph: Option<Paragraph>,
    pub table: Option<Table>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Paragraph {
    pub elements: Vec<Element>,
    pub paragraph_style: ParagraphStyle,
    pub bullet: Option<Bullet>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ParagraphStyle {
    pub named_style_type: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Bullet {
    pub list_id: String,
    pub nesting_level: u8,
}

/// Only the element kinds that contain text.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Element {
    pub start_index: u32,
    pub text_run: Option<Inline>,
    pub person: Option<Inline>,
    pub rich_link: Option<Inline>,
    pub date_element: Option<Inline>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Inline {
    pub content: String,
    pub text_style: TextStyle,
    pub suggested_insertion_ids: Vec<serde::de::IgnoredAny>,
    pub person_properties: Words,
    pub rich_link_properties: Words,
    pub date_element_properties: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Words {
    pub name: String,
    pub email: String,
    pub title: String,
    pub uri: String,
    pub display_text: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TextStyle {
    pub bold: bool,
    pub italic: bool,
    pub strikethrough: bool,
    pub link: Link,
    pub weighted_font_family: FontFamily,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Link {
    pub url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FontFamily {
    pub font_family: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Table {
    pub table_rows: Vec<Row>,
    pub suggested_insertion_ids: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Row {
    pub table_cells: Vec<Body>,
    pub suggested_insertion_ids: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct List {
    pub list_properties: ListProperties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ListProperties {
    pub nesting_levels: Vec<NestingLevel>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct NestingLevel {
    pub glyph_type: String,
    pub start_number: Option<u32>,
}
