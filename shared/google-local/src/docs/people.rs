//! What people do with a document, behind the API's back.

use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;

use super::Document;
use super::body::{Mark, Paragraph, Tab, Traits, Unit};
use super::request::Batch;
use super::shown::View;

/// How a line begins, and its paragraph's style and list.
const MARKS: [(&str, &str, Option<&str>); 3] = [
    ("# ", "HEADING_1", None),
    ("- ", "NORMAL_TEXT", Some("BULLET_DISC_CIRCLE_SQUARE")),
    ("1. ", "NORMAL_TEXT", Some("NUMBERED_DECIMAL_ALPHA_ROMAN")),
];

impl Document {
    /// One of these lines, as Markdown begins them: `# `, `- `, `1. `, and all others as they are.
    pub fn of_lines(lines: &str) -> Self {
        let (mut document, mut tab) = (Self::default(), Tab::new("t.0", "Tab 1"));
        tab.units.truncate(1);
        let mut list = None;
        for line in lines.split('\n') {
            let mark = MARKS.iter().find(|(mark, ..)| line.starts_with(mark));
            let (mark, named_style, preset) = mark.copied().unwrap_or(("", "NORMAL_TEXT", None));
            // An item goes on with the list before it.
            list = preset.map(|preset| {
                let same = list.filter(|(_, before)| *before == preset);
                same.unwrap_or_else(|| {
                    document.sequence += 1;
                    (document.sequence, preset)
                })
            });
            let lists = list.map(|(id, preset)| (id, preset.to_owned()));
            tab.lists.extend(lists);
            let paragraph = Paragraph {
                named_style: named_style.into(),
                bullet: list.map(|(id, _)| (id, 0)),
                indented: false,
            };
            let traits = Arc::new(Traits {
                paragraph,
                ..Traits::default()
            });
            let codes = line[mark.len()..].encode_utf16().chain([10]);
            tab.units.extend(codes.map(|code| Unit {
                mark: Mark::Code(code),
                traits: traits.clone(),
            }));
        }
        document.tabs = vec![tab];
        document
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
    pub fn named_ranges(&self) -> Vec<(String, Range<usize>)> {
        let all = self.tabs.iter().flat_map(|tab| &tab.named);
        all.map(|named| (named.name.clone(), named.range.clone()))
            .collect()
    }

    /// Its tabs as `documents.get` gives them to those who may edit.
    pub fn shown(&self) -> Value {
        self.tabs(View::Inline)
    }
}
