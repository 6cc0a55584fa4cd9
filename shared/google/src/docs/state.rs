//! What a change needs to know of a document, from `documents.get`
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents>): its revision, its end,
//! the text of its paragraphs, and the named ranges ("stamps") of earlier changes.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Result, check_stamps};

pub(super) const STAMPS: &str = "revisionId,tabs(tabProperties/tabId,\
    documentTab(namedRanges,body/content(startIndex,endIndex)),childTabs)";
pub(super) const TEXTS: &str = "revisionId,tabs(tabProperties/tabId,\
    documentTab(namedRanges,body,headers,footers,footnotes),childTabs)";

/// Stamps that are kept in a document.
const KEPT: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource {
    /// Only for accounts that may edit.
    revision_id: Option<String>,
    #[serde(default)]
    tabs: Vec<Value>,
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
        state.add(&document.tabs);
        state.stamps.sort_by_key(|stamp| stamp.at);
        state
    }

    fn add(&mut self, tabs: &[Value]) {
        for tab in tabs {
            let content = &tab["documentTab"];
            let id = tab["tabProperties"]["tabId"].as_str();
            self.tab = id.unwrap_or_default().to_owned();
            let all = content["body"]["content"].as_array();
            let end = all.and_then(|all| all.last());
            let index = |name: &str| {
                let index = end.and_then(|end| end[name].as_u64()).unwrap_or_default();
                u32::try_from(index).unwrap_or_default()
            };
            self.last = index("endIndex").saturating_sub(1);
            self.ends_empty = index("startIndex") == self.last;
            for part in ["body", "headers", "footers", "footnotes"] {
                self.add_paragraphs(&content[part]);
            }
            let ranges = content["namedRanges"].as_object().into_iter().flatten();
            self.stamps
                .extend(ranges.filter_map(|(name, _)| Stamp::read(name)));
            let children = tab["childTabs"].as_array();
            self.add(children.map_or(&[], Vec::as_slice));
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
        let end = format!(".{digest}");
        self.stamps.iter().any(|stamp| stamp.name.ends_with(&end))
    }

    /// `Unknown` if the stamp of a recent change may have been deleted.
    pub fn check_stamps(&self, now: Timestamp) -> Result<()> {
        let oldest = self.stamps.first().filter(|_| self.stamps.len() >= KEPT);
        check_stamps(oldest.map(|oldest| oldest.at), now)
    }

    /// The requests that add a stamp at the last newline and delete the oldest ones.
    pub fn stamp(&self, digest: &str, now: Timestamp) -> Vec<Value> {
        let over = (self.stamps.len() + 1).saturating_sub(KEPT);
        let delete = |stamp: &Stamp| json!({"deleteNamedRange": {"name": stamp.name}});
        let mut requests: Vec<Value> = self.stamps.iter().take(over).map(delete).collect();
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
    fn read(name: &str) -> Option<Self> {
        let (at, _) = name.strip_prefix("alfred.")?.split_once('.')?;
        Some(Self {
            at: at.parse().ok()?,
            name: name.to_owned(),
        })
    }
}

fn text_of(paragraph: &Value) -> String {
    let elements = paragraph["elements"].as_array().into_iter().flatten();
    elements
        .map(|element| element["textRun"]["content"].as_str().unwrap_or("\u{fffc}"))
        .collect()
}
