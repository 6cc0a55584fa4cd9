//! A document: its paragraphs as lines of Markdown, and named ranges at its end.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The only tab.
const TAB: &str = "t.0";
/// Marks within a line that are escaped if they are meant as text.
const MARKS: &str = "\\`*_~[]<>&";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    pub(super) lines: Vec<Line>,
    /// Counts changes.
    pub(super) revision: u64,
    /// Names of ranges at the last newline.
    pub(super) named: Vec<String>,
}

/// A paragraph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// `# `, `- `, `1. `, …
    pub mark: String,
    /// Markdown.
    pub text: String,
}

impl Default for Document {
    fn default() -> Self {
        Self::of_lines("")
    }
}

impl Line {
    fn read(line: &str) -> Self {
        let rest = line.trim_start_matches(' ');
        let words = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "#-*.".contains(c));
        let mark = &line[..line.len() - words.len()];
        let is_mark = !mark.trim().is_empty() && words.starts_with(' ');
        let (mark, text) = line.split_at(if is_mark { mark.len() + 1 } else { 0 });
        Self {
            mark: mark.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The text without marks.
    pub fn plain(&self) -> String {
        let mut plain = String::new();
        let mut chars = self.text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => plain.extend(chars.next()),
                '*' | '_' | '`' | '~' => {}
                c => plain.push(c),
            }
        }
        plain
    }

    /// In UTF-16, with its newline.
    pub fn units(&self) -> usize {
        self.plain().encode_utf16().count() + 1
    }
}

pub(super) fn escaped(text: &str) -> String {
    let mut markdown = String::new();
    for c in text.chars() {
        if MARKS.contains(c) {
            markdown.push('\\');
        }
        markdown.push(c);
    }
    markdown
}

impl Document {
    /// Each line is a paragraph.
    pub fn of_lines(markdown: &str) -> Self {
        Self {
            lines: markdown.split('\n').map(Line::read).collect(),
            revision: 1,
            named: Vec::new(),
        }
    }

    pub fn markdown(&self) -> String {
        let whole = |line: &Line| format!("{}{}", line.mark, line.text);
        let lines: Vec<String> = self.lines.iter().map(whole).collect();
        lines.join("\n")
    }

    /// Somebody rewrites it behind the API's back.
    pub fn rewrite(&mut self, markdown: &str) {
        self.lines = Self::of_lines(markdown).lines;
        self.revision += 1;
    }

    pub fn named_ranges(&mut self) -> &mut Vec<String> {
        &mut self.named
    }

    pub(super) fn revision_id(&self) -> String {
        format!("ALm37BV{:06}", self.revision)
    }

    /// The index after the last newline. The body begins at 1.
    pub(super) fn end(&self) -> usize {
        1 + self.lines.iter().map(Line::units).sum::<usize>()
    }

    pub(super) fn tab(&self) -> Value {
        let mut start = 1;
        let paragraph = |line: &Line| {
            let end = start + line.units();
            let run = json!({"content": format!("{}\n", line.plain())});
            let elements = json!([{"startIndex": start, "endIndex": end, "textRun": run}]);
            let paragraph = json!({"elements": elements});
            let shown = json!({"startIndex": start, "endIndex": end, "paragraph": paragraph});
            start = end;
            shown
        };
        let content: Vec<Value> = self.lines.iter().map(paragraph).collect();
        let end = self.end();
        let named = |name: &String| {
            let range = json!({"tabId": TAB, "startIndex": end - 1, "endIndex": end});
            let range =
                json!({"name": name, "namedRangeId": format!("kix.{name}"), "ranges": [range]});
            (name.clone(), json!({"name": name, "namedRanges": [range]}))
        };
        let named: Value = self.named.iter().map(named).collect();
        json!({
            "tabProperties": {"tabId": TAB, "title": "Tab 1", "index": 0},
            "documentTab": {"body": {"content": content}, "namedRanges": named},
        })
    }
}
