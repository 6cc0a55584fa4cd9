//! The requests of a batch
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request>). Indexes hold
//! whether text is deleted or only marked: deletions lie after the insertion.

use serde_json::{Map, Value, json};

use alfred_core::ports::AccountError;

use super::edit::Change;
use super::glyph::{Glyph, Style};

/// The font for code.
const FONT: &str = "Roboto Mono";

pub(super) fn range(tab: &str, start: u32, end: u32) -> Value {
    json!({"tabId": tab, "startIndex": start, "endIndex": end})
}

pub(super) fn insert(tab: &str, index: u32, text: &str) -> Value {
    json!({"insertText": {"text": text, "location": {"tabId": tab, "index": index}}})
}

/// Adds a named range at the newline that can't be deleted.
pub(super) fn stamp(name: &str, last: u32) -> Value {
    let range = json!({"startIndex": last, "endIndex": last + 1});
    json!({"createNamedRange": {"name": name, "range": range}})
}

impl Change<'_> {
    /// Fails as [`Change::index`].
    pub fn requests(&self, as_suggestion: bool) -> Result<Vec<Value>, AccountError> {
        let index = self.index()?;
        let (old, _) = self.lines();
        let tab = &*self.old[old.start].tab;
        let removed = self.removed_indexes().into_iter();
        let mut requests: Vec<Value> = removed
            .map(|gone| json!({"deleteContentRange": {"range": range(tab, gone.start, gone.end)}}))
            .collect();
        let text: String = self.inserted().iter().map(|glyph| glyph.letter).collect();
        if !text.is_empty() {
            requests.push(insert(tab, index, &text));
            self.looks(tab, index, &mut requests);
        }
        self.paragraphs(index, as_suggestion, &mut requests);
        Ok(requests)
    }

    /// Sets styles explicitly, since inserted text otherwise inherits those of its neighbours.
    fn looks(&self, tab: &str, index: u32, requests: &mut Vec<Value>) {
        let inserted = self.inserted();
        let near =
            self.head.saturating_sub(1)..self.before.len().min(self.before.len() - self.tail + 1);
        let near = self.before[near].iter().chain(inserted);
        let near: Vec<&Style> = near.map(|glyph| &*glyph.style).collect();
        let mut fields = vec!["bold", "italic", "strikethrough"];
        if near.iter().any(|style| style.link.is_some()) {
            fields.push("link");
        }
        if near.iter().any(|style| style.code) {
            fields.push("weightedFontFamily");
        }
        let update = |start: u32, end: u32, style: Value, fields: String| json!({"updateTextStyle": {"range": range(tab, start, end), "textStyle": style, "fields": fields}});
        let length = |glyphs: &[Glyph]| glyphs.iter().map(|glyph| glyph.units).sum::<u32>();
        requests.push(update(
            index,
            index + length(inserted),
            json!({}),
            fields.join(","),
        ));
        let mut start = index;
        for run in inserted.chunk_by(|a, b| a.style == b.style) {
            let end = start + length(run);
            let style = text_style(&run[0].style);
            if !style.is_empty() {
                let fields: Vec<&str> = style.keys().map(String::as_str).collect();
                let fields = fields.join(",");
                requests.push(update(start, end, Value::Object(style), fields));
            }
            start = end;
        }
    }
}

fn text_style(style: &Style) -> Map<String, Value> {
    let Style {
        bold,
        italic,
        struck,
        code,
        link,
    } = style;
    let all = [
        ("bold", bold.then(|| json!(true))),
        ("italic", italic.then(|| json!(true))),
        ("strikethrough", struck.then(|| json!(true))),
        (
            "weightedFontFamily",
            code.then(|| json!({"fontFamily": FONT})),
        ),
        ("link", link.as_ref().map(|url| json!({"url": url}))),
    ];
    let set = all
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    set.collect()
}
