//! What a change needs to know of a document, from `documents.get`
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents>): its revision, its end,
//! the text of its paragraphs, and the named ranges ("stamps") of earlier changes.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const STAMPS: &str = "revisionId,tabs(tabProperties/tabId,\
    documentTab(namedRanges,body/content(startIndex,endIndex)),childTabs)";
pub(super) const TEXTS: &str = "revisionId,tabs(tabProperties/tabId,\
    documentTab(namedRanges,body,headers,footers,footnotes),childTabs)";

/// Stamps that are kept in a document.
const KEPT: usize = 50;
/// No retry asks for a change that is older than this.
const SETTLED: SignedDuration = SignedDuration::from_hours(24);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource {
    /// Only for accounts that may edit.
    revision_id: Option<String>,
    #[serde(default)]
    tabs: Vec<Tab>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Tab {
    tab_properties: TabProperties,
    document_tab: DocumentTab,
    child_tabs: Vec<Tab>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct TabProperties {
    tab_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DocumentTab {
    /// Keyed by name.
    named_ranges: Map<String, Value>,
    body: Value,
    headers: Value,
    footers: Value,
    footnotes: Value,
}

#[derive(Default)]
pub(super) struct State {
    pub revision: Option<String>,
    /// The last tab.
    pub tab: String,
    /// The index of its last newline, which can't be deleted.
    pub last: u32,
    /// Whether its last paragraph is empty.
    pub ends_empty: bool,
    /// The texts of all paragraphs, if they were requested. An element other than text is one U+FFFC.
    pub paragraphs: Vec<String>,
    /// Oldest first.
    stamps: Vec<Stamp>,
}

struct Stamp {
    /// Milliseconds since 1970.
    at: i64,
    name: String,
}

impl State {
    pub fn read(document: Resource) -> Self {
        let mut state = Self {
            revision: document.revision_id,
            ..Self::default()
        };
        state.add(document.tabs);
        state.stamps.sort_by_key(|stamp| stamp.at);
        state
    }

    fn add(&mut self, tabs: Vec<Tab>) {
        for tab in tabs {
            let of_it = tab.document_tab;
            self.tab = tab.tab_properties.tab_id;
            let content = of_it.body["content"].as_array();
            let end = content.and_then(|all| all.last());
            let index = |name: &str| {
                let index = end.and_then(|end| end[name].as_u64()).unwrap_or_default();
                u32::try_from(index).unwrap_or_default()
            };
            self.last = index("endIndex").saturating_sub(1);
            self.ends_empty = index("startIndex") == self.last;
            for part in [of_it.body, of_it.headers, of_it.footers, of_it.footnotes] {
                self.add_paragraphs(&part);
            }
            let names = of_it.named_ranges.into_iter().map(|(name, _)| name);
            self.stamps.extend(names.filter_map(Stamp::read));
            self.add(tab.child_tabs);
        }
    }

    fn add_paragraphs(&mut self, part: &Value) {
        match part {
            Value::Array(all) => all.iter().for_each(|one| self.add_paragraphs(one)),
            Value::Object(fields) => match fields.get("paragraph") {
                Some(paragraph) => self.paragraphs.push(text_of(paragraph)),
                None => fields.values().for_each(|one| self.add_paragraphs(one)),
            },
            _ => {}
        }
    }

    pub fn has(&self, digest: &str) -> bool {
        let mut stamps = self.stamps.iter();
        stamps.any(|stamp| stamp.name.ends_with(&format!(".{digest}")))
    }

    /// Whether the stamp of a recent change may have been deleted.
    pub fn may_have_forgotten(&self, now: Timestamp) -> bool {
        let settled = now.saturating_sub(SETTLED).unwrap_or(now).as_millisecond();
        let oldest = self.stamps.first().filter(|_| self.stamps.len() >= KEPT);
        oldest.is_some_and(|oldest| oldest.at > settled)
    }

    /// The requests that add a stamp at the last newline and delete the oldest ones.
    pub fn stamp(&self, digest: &str, now: Timestamp) -> Vec<Value> {
        let over = (self.stamps.len() + 1).saturating_sub(KEPT);
        let old = self.stamps.iter().take(over);
        let mut requests: Vec<Value> = old
            .map(|stamp| json!({"deleteNamedRange": {"name": stamp.name}}))
            .collect();
        let name = format!("alfred.{}.{digest}", now.as_millisecond());
        let range = self.range(self.last, self.last + 1);
        requests.push(json!({"createNamedRange": {"name": name, "range": range}}));
        requests
    }

    pub fn range(&self, start: u32, end: u32) -> Value {
        json!({"tabId": self.tab, "startIndex": start, "endIndex": end})
    }
}

impl Stamp {
    fn read(name: String) -> Option<Self> {
        let (at, _) = name.strip_prefix("alfred.")?.split_once('.')?;
        let at = at.parse().ok()?;
        Some(Self { at, name })
    }
}

fn text_of(paragraph: &Value) -> String {
    let elements = paragraph["elements"].as_array().into_iter().flatten();
    elements
        .map(|element| element["textRun"]["content"].as_str().unwrap_or("\u{fffc}"))
        .collect()
}
