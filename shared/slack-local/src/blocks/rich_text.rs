//! `rich_text` blocks (docs.slack.dev/reference/block-kit/blocks/rich-text-block).

use serde_json::{Map, Value};

use super::Findings;

/// Styles of a text.
const STYLES: [&str; 8] = [
    "bold",
    "italic",
    "strike",
    "underline",
    "code",
    "highlight",
    "client_highlight",
    "unlink",
];
const MOST_INDENT: u64 = 8;

pub(super) fn block(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    found.items(at, block, "elements", 1, usize::MAX);
    each(found, at, block, part);
}

fn each(
    found: &mut Findings,
    at: &str,
    of: &Map<String, Value>,
    check: impl Fn(&mut Findings, &str, &Map<String, Value>),
) {
    let elements = of.get("elements").and_then(Value::as_array);
    for (index, one) in elements.into_iter().flatten().enumerate() {
        let at = format!("{at}/elements/{index}");
        match one.as_object() {
            Some(one) => check(found, &at, one),
            None => found.add(&at, "must be an object"),
        }
    }
}

fn kind(of: &Map<String, Value>) -> &str {
    of.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn part(found: &mut Findings, at: &str, part: &Map<String, Value>) {
    match kind(part) {
        "rich_text_section" => fields(found, at, part, &["type", "elements"]),
        "rich_text_quote" | "rich_text_preformatted" => {
            fields(found, at, part, &["type", "elements", "border"]);
        }
        "rich_text_list" => return list(found, at, part),
        other => return unsupported(found, at, other),
    }
    found.items(at, part, "elements", 0, usize::MAX);
    each(found, at, part, element);
}

fn list(found: &mut Findings, at: &str, list: &Map<String, Value>) {
    let known = ["type", "elements", "style", "indent", "offset", "border"];
    fields(found, at, list, &known);
    let style = list.get("style").and_then(Value::as_str);
    if !matches!(style, Some("bullet" | "ordered")) {
        found.add(&format!("{at}/style"), "must be bullet or ordered");
    }
    if list
        .get("indent")
        .is_some_and(|n| n.as_u64().is_none_or(|n| n > MOST_INDENT))
    {
        found.add(&format!("{at}/indent"), "must be at most 8");
    }
    found.items(at, list, "elements", 1, usize::MAX);
    each(found, at, list, |found, at, item| match kind(item) {
        "rich_text_section" => part(found, at, item),
        other => unsupported(found, at, other),
    });
}

fn element(found: &mut Findings, at: &str, element: &Map<String, Value>) {
    let (known, required): (&[&str], &str) = match kind(element) {
        "text" => (&["type", "text", "style"], "text"),
        "link" => (&["type", "url", "text", "unsafe", "style"], "url"),
        "emoji" => (&["type", "name", "unicode", "url", "style"], "name"),
        "user" => (&["type", "user_id", "style"], "user_id"),
        "channel" => (&["type", "channel_id", "style"], "channel_id"),
        "usergroup" => (&["type", "usergroup_id", "style"], "usergroup_id"),
        "broadcast" => (&["type", "range", "style"], "range"),
        "color" => (&["type", "value"], "value"),
        "date" => (
            &["type", "timestamp", "format", "url", "fallback"],
            "format",
        ),
        other => return unsupported(found, at, other),
    };
    fields(found, at, element, known);
    found.string(at, element, required, 1, usize::MAX);
    let styles = element.get("style").and_then(Value::as_object);
    for (name, value) in styles.into_iter().flatten() {
        if !STYLES.contains(&name.as_str()) || !value.is_boolean() {
            found.add(&format!("{at}/style/{name}"), "unsupported style");
        }
    }
    if element.contains_key("style") && styles.is_none() {
        found.add(&format!("{at}/style"), "must be an object");
    }
}

fn fields(found: &mut Findings, at: &str, of: &Map<String, Value>, known: &[&str]) {
    for name in of.keys().filter(|name| !known.contains(&name.as_str())) {
        found.add(&format!("{at}/{name}"), "no such field");
    }
}

fn unsupported(found: &mut Findings, at: &str, kind: &str) {
    found.add(&format!("{at}/type"), &format!("unsupported type: {kind}"));
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Surface, check};
    use serde_json::{Value, json};

    fn checked(elements: Value) -> Result<Vec<Value>, Vec<String>> {
        check(
            &[json!({"type": "rich_text", "elements": elements})],
            Surface::Message,
        )
    }

    #[test]
    fn what_slack_takes_is_taken() {
        let text = json!({"type": "text", "text": "hi", "style": {"bold": true}});
        let section = json!({"type": "rich_text_section", "elements": [
            text, {"type": "link", "url": "https://x.y", "text": "x"}, {"type": "emoji", "name": "wave"},
            {"type": "user", "user_id": "U1"}, {"type": "broadcast", "range": "here"},
            {"type": "date", "timestamp": 1, "format": "{date}"}]});
        checked(json!([
            section,
            {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [section]},
            {"type": "rich_text_quote", "elements": [text]},
            {"type": "rich_text_preformatted", "elements": [text], "border": 0},
            {"type": "rich_text_section", "elements": []},
        ]))
        .unwrap();
    }

    #[test]
    fn what_slack_refuses_is_refused() {
        let in_section = |one: Value| json!([{"type": "rich_text_section", "elements": [one]}]);
        for (elements, wrong) in [
            (json!([]), "/blocks/0/elements"),
            (json!(["x"]), "must be an object"),
            (json!([{"type": "section"}]), "unsupported type: section"),
            (
                json!([{"type": "rich_text_section"}]),
                "/elements/0/elements",
            ),
            (
                in_section(json!({"type": "mrkdwn", "text": "x"})),
                "unsupported type: mrkdwn",
            ),
            (
                in_section(json!({"type": "text", "text": ""})),
                "more than 0",
            ),
            (
                in_section(json!({"type": "text"})),
                "missing required field",
            ),
            (
                in_section(json!({"type": "text", "text": "x", "verbatim": true})),
                "/verbatim",
            ),
            (
                in_section(json!({"type": "text", "text": "x", "style": {"big": true}})),
                "/style/big",
            ),
            (
                in_section(json!({"type": "text", "text": "x", "style": {"bold": "yes"}})),
                "/style/bold",
            ),
            (in_section(json!({"type": "link", "text": "x"})), "/url"),
            (
                json!([{"type": "rich_text_list", "elements": [{"type": "rich_text_section", "elements": []}]}]),
                "bullet or ordered",
            ),
            (
                json!([{"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text", "text": "x"}]}]),
                "unsupported type: text",
            ),
            (
                json!([{"type": "rich_text_list", "style": "bullet", "indent": 9, "elements": [{"type": "rich_text_section", "elements": []}]}]),
                "/indent",
            ),
        ] {
            let why = checked(elements.clone()).unwrap_err().join("\n");
            assert!(why.contains(wrong), "{elements}: {why}");
        }
    }
}
