//! The requests that append Markdown. Headings and lists are formatted; marks within a line stay as they are.

use serde_json::{Value, json};

use super::markdown::{split, unescaped};
use super::state::State;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Normal,
    Heading(usize),
    Bullet,
    Number,
}

/// A new paragraph.
struct Line {
    format: Format,
    start: u32,
    /// After its newline.
    end: u32,
}

fn format_of(mark: &str) -> Format {
    match mark.trim().as_bytes() {
        [] => Format::Normal,
        [b'#', ..] => Format::Heading(mark.trim().len().min(6)),
        [b'0'..=b'9', ..] => Format::Number,
        _ => Format::Bullet,
    }
}

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

pub(super) fn requests(state: &State, more: &str) -> Vec<Value> {
    let mut text = if state.ends_empty { "" } else { "\n" }.to_owned();
    let begin = state.last + units(&text);
    let (mut lines, mut start) = (Vec::new(), begin);
    for line in more.split('\n') {
        let (mark, words) = split(line);
        let format = format_of(mark);
        let mut line = unescaped(words);
        if matches!(format, Format::Bullet | Format::Number) {
            // Google nests an item by its tabs, and removes them.
            let indent = mark.len() - mark.trim_start().len();
            line.insert_str(0, &"\t".repeat(indent.div_ceil(3)));
        }
        let end = start + units(&line) + 1;
        lines.push(Line { format, start, end });
        text += &line;
        text.push('\n');
        start = end;
    }
    // The document's own last newline ends the last line.
    text.pop();
    let all = || state.range(begin, start);
    // New paragraphs would inherit the format of the one before.
    let fields = "namedStyleType,indentStart,indentFirstLine";
    let mut requests = vec![
        json!({"insertText": {"text": text, "endOfSegmentLocation": {"tabId": state.tab}}}),
        json!({"updateTextStyle": {"range": all(), "textStyle": {}, "fields": "*"}}),
        json!({"deleteParagraphBullets": {"range": all()}}),
        named_style(all(), "NORMAL_TEXT", fields),
    ];
    // From the last to the first, since removing tabs moves what comes after them.
    let alike = lines.chunk_by(|a, b| a.format == b.format);
    requests.extend(alike.rev().filter_map(|group| formatted(state, group)));
    requests
}

fn formatted(state: &State, group: &[Line]) -> Option<Value> {
    let (first, last) = (group.first()?, group.last()?);
    let range = state.range(first.start, last.end);
    let list =
        |preset: &str| json!({"createParagraphBullets": {"range": range, "bulletPreset": preset}});
    match first.format {
        Format::Normal => None,
        Format::Heading(level) => {
            let name = format!("HEADING_{level}");
            Some(named_style(range, &name, "namedStyleType"))
        }
        Format::Bullet => Some(list("BULLET_DISC_CIRCLE_SQUARE")),
        Format::Number => Some(list("NUMBERED_DECIMAL_ALPHA_ROMAN")),
    }
}

fn named_style(range: Value, name: &str, fields: &str) -> Value {
    json!({"updateParagraphStyle": {
        "range": range, "paragraphStyle": {"namedStyleType": name}, "fields": fields,
    }})
}
