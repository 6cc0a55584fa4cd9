//! The visible lines of a message: which are quoted, and which are read as markup.

use alfred_testkit::Kept;
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    /// Slack reads markup in the line.
    pub markup: bool,
    /// The line is quoted or preformatted, which marks it as somebody's words.
    pub framed: bool,
}

pub fn lines(kept: &Kept) -> Vec<Line> {
    lines_of(&kept.blocks)
}

pub fn lines_of(blocks: &[Value]) -> Vec<Line> {
    let mut lines = Vec::new();
    for block in blocks {
        of_value(block, false, &mut lines);
    }
    lines
}

fn of_value(value: &Value, framed: bool, lines: &mut Vec<Line>) {
    let Some(fields) = value.as_object() else {
        let items = value.as_array().into_iter().flatten();
        return items.for_each(|item| of_value(item, framed, lines));
    };
    match (fields.get("type").and_then(Value::as_str), &value["text"]) {
        (Some("mrkdwn"), Value::String(text)) => of_mrkdwn(text, lines),
        (Some("plain_text"), Value::String(text)) => push(text, false, framed, lines),
        (Some("rich_text_section" | "rich_text_quote" | "rich_text_preformatted"), _) => {
            let framed = framed || value["type"] != "rich_text_section";
            push(&leaves(&value["elements"]), false, framed, lines);
        }
        _ => fields
            .values()
            .for_each(|part| of_value(part, framed, lines)),
    }
}

fn of_mrkdwn(text: &str, lines: &mut Vec<Line>) {
    let mut in_code = false;
    for line in text.lines() {
        let fence = line.matches("```").count() % 2 == 1;
        let framed = in_code || fence || line.starts_with('>') || line.starts_with("&gt;");
        in_code ^= fence;
        lines.push(Line {
            text: unescaped(line),
            markup: !(in_code || fence),
            framed,
        });
    }
}

fn push(text: &str, markup: bool, framed: bool, lines: &mut Vec<Line>) {
    lines.extend(text.lines().map(|line| Line {
        text: line.to_owned(),
        markup,
        framed,
    }));
}

fn leaves(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(leaves).collect(),
        Value::Object(fields) => {
            let own = ["text", "name", "user_id", "channel_id", "url"];
            let text = own.iter().find_map(|name| fields.get(*name)?.as_str());
            text.map_or_else(|| leaves(&value["elements"]), str::to_owned)
        }
        _ => String::new(),
    }
}

/// Undoes Slack's three escapes.
pub fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

pub fn buttons(blocks: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    for block in blocks {
        let elements = block["elements"].as_array().into_iter().flatten();
        let all = elements.chain([&block["accessory"]]);
        found.extend(all.filter(|element| element["type"] == "button"));
    }
    found
}

pub fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn frames_and_markup_are_told_apart() {
    let blocks = serde_json::json!([
        {"type": "section", "text": {"type": "mrkdwn", "text": "*To:* a &amp; b\n> said"}},
        {"type": "rich_text", "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "To: ", "style": {"bold": true}}, {"type": "text", "text": "*b*"}]},
            {"type": "rich_text_quote", "elements": [{"type": "text", "text": "said\nmore"}]},
        ]},
    ]);
    let found = lines_of(blocks.as_array().unwrap());
    let found = found
        .iter()
        .map(|line| (line.text.as_str(), line.markup, line.framed));
    let expected = [
        ("*To:* a & b", true, false),
        ("> said", true, true),
        ("To: *b*", false, false),
        ("said", false, true),
        ("more", false, true),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
