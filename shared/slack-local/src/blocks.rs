//! Block Kit, with Slack's limits (docs.slack.dev/reference/block-kit). What
//! isn't known is refused: a typo must not pass here and fail in Slack.

use serde_json::{Map, Value};
use std::collections::HashSet;

pub(crate) mod elements;
pub(crate) mod files;
mod rich_text;

pub const MESSAGE_BLOCKS: usize = 50;
pub const VIEW_BLOCKS: usize = 100;
/// Characters of the blocks' JSON together, measured by users of `chat.postMessage`
/// (github.com/slackapi/bolt-js/issues/2509); the documentation doesn't say.
pub const BLOCKS_CHARACTERS: usize = 13_200;

/// Where blocks are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    Message,
    View,
}

/// Checks blocks and adds the ids Slack adds. Whether the files they name are there is another question.
pub fn check(blocks: &[Value], surface: Surface) -> Result<Vec<Value>, Vec<String>> {
    let mut found = Findings::default();
    let most = match surface {
        Surface::Message => MESSAGE_BLOCKS,
        Surface::View => VIEW_BLOCKS,
    };
    if blocks.len() > most {
        found.add("/blocks", &format!("no more than {most} items allowed"));
    }
    let mut ids = HashSet::new();
    let mut out = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let at = format!("/blocks/{index}");
        let Some(object) = block.as_object() else {
            found.add(&at, "must be an object");
            continue;
        };
        check_block(&mut found, &at, object);
        let mut object = object.clone();
        let id = object
            .entry("block_id")
            .or_insert_with(|| format!("b{index}").into());
        match id.as_str() {
            Some(id) if id.chars().count() > 255 => {
                found.add(
                    &format!("{at}/block_id"),
                    "must be less than 256 characters",
                );
            }
            Some(id) if !ids.insert(id.to_owned()) => {
                found.add(
                    &format!("{at}/block_id"),
                    "must be unique within the message",
                );
            }
            Some(_) => {}
            None => found.add(&format!("{at}/block_id"), "must be a string"),
        }
        elements::name(&mut object, index);
        out.push(Value::Object(object));
    }
    found.into_result(out)
}

/// Characters of the blocks' JSON together, as [`BLOCKS_CHARACTERS`] counts.
pub fn size(blocks: &[Value]) -> usize {
    let each = blocks.iter().map(|block| block.to_string().chars().count());
    each.sum()
}

fn check_block(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or("");
    match kind {
        "divider" => {}
        "section" => section(found, at, block),
        "header" => found.text(at, block, "text", 150, Only::Plain),
        "context" => context(found, at, block),
        "actions" => elements::actions(found, at, block),
        "image" => elements::image_block(found, at, block),
        "input" => elements::input(found, at, block),
        "rich_text" => rich_text::block(found, at, block),
        other => found.add(&format!("{at}/type"), &format!("unsupported type: {other}")),
    }
}

fn section(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    match (block.get("text"), block.get("fields")) {
        (None, None) => found.add(at, "must define either `text` or `fields`"),
        (Some(_), _) => found.text(at, block, "text", 3000, Only::Any),
        (None, Some(_)) => {}
    }
    if block.contains_key("fields") {
        found.items(at, block, "fields", 1, 10);
        let fields = block.get("fields").and_then(Value::as_array);
        for (index, field) in fields.into_iter().flatten().enumerate() {
            found.text_object(&format!("{at}/fields/{index}"), field, 2000, Only::Any);
        }
    }
    if let Some(accessory) = block.get("accessory") {
        elements::element(found, &format!("{at}/accessory"), accessory);
    }
}

fn context(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    found.items(at, block, "elements", 1, 10);
    let elements = block.get("elements").and_then(Value::as_array);
    for (index, element) in elements.into_iter().flatten().enumerate() {
        let at = format!("{at}/elements/{index}");
        if element["type"] == "image" {
            elements::element(found, &at, element);
        } else {
            found.text_object(&at, element, 3000, Only::Any);
        }
    }
}

/// Which kind of text an object may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Only {
    Any,
    Plain,
}

#[derive(Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    pub fn add(&mut self, at: &str, what: &str) {
        self.0.push(format!("{what} [json-pointer:{at}]"));
    }

    pub fn extend(&mut self, more: Vec<String>) {
        self.0.extend(more);
    }

    pub fn into_result<T>(self, value: T) -> Result<T, Vec<String>> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self.0)
        }
    }

    /// A required string of `least..=most` characters.
    pub fn string(
        &mut self,
        at: &str,
        of: &Map<String, Value>,
        field: &str,
        least: usize,
        most: usize,
    ) {
        let at = format!("{at}/{field}");
        match of.get(field) {
            None => self.add(&at, "missing required field"),
            Some(Value::String(text)) => self.length(&at, text, least, most),
            Some(_) => self.add(&at, "must be a string"),
        }
    }

    /// The same, when it is there.
    pub fn optional(&mut self, at: &str, of: &Map<String, Value>, field: &str, most: usize) {
        if of.contains_key(field) {
            self.string(at, of, field, 0, most);
        }
    }

    fn length(&mut self, at: &str, text: &str, least: usize, most: usize) {
        let length = text.chars().count();
        if length < least {
            self.add(at, &format!("must be more than {} characters", least - 1));
        }
        if length > most {
            self.add(at, &format!("must be less than {} characters", most + 1));
        }
    }

    /// A required text object.
    pub fn text(
        &mut self,
        at: &str,
        of: &Map<String, Value>,
        field: &str,
        most: usize,
        only: Only,
    ) {
        let at = format!("{at}/{field}");
        match of.get(field) {
            None => self.add(&at, "missing required field"),
            Some(text) => self.text_object(&at, text, most, only),
        }
    }

    pub fn text_object(&mut self, at: &str, text: &Value, most: usize, only: Only) {
        let Some(object) = text.as_object() else {
            self.add(at, "must be an object");
            return;
        };
        match object.get("type").and_then(Value::as_str) {
            Some("plain_text") => {}
            Some("mrkdwn") if only == Only::Any => {}
            _ => self.add(&format!("{at}/type"), "unsupported type of text"),
        }
        self.string(at, object, "text", 1, most);
    }

    /// A required list of `least..=most` items.
    pub fn items(
        &mut self,
        at: &str,
        of: &Map<String, Value>,
        field: &str,
        least: usize,
        most: usize,
    ) {
        let at = format!("{at}/{field}");
        match of.get(field).and_then(Value::as_array) {
            None => self.add(&at, "missing required field"),
            Some(items) if items.len() < least => {
                self.add(&at, &format!("must provide at least {least} items"));
            }
            Some(items) if items.len() > most => {
                self.add(&at, &format!("no more than {most} items allowed"));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn section(length: usize) -> Value {
        json!({"type": "section", "text": {"type": "mrkdwn", "text": "é".repeat(length)}})
    }

    fn wrong(blocks: &[Value]) -> String {
        check(blocks, Surface::Message).unwrap_err().join("\n")
    }

    #[test]
    fn limits_hold_at_their_edge() {
        assert!(check(&[section(3000)], Surface::Message).is_ok());
        assert!(wrong(&[section(3001)]).contains("/blocks/0/text/text"));
        assert!(wrong(&[section(0)]).contains("more than 0 characters"));
        assert!(check(&vec![section(1); 50], Surface::Message).is_ok());
        assert!(wrong(&vec![section(1); 51]).contains("no more than 50"));
        let header =
            |n| json!({"type": "header", "text": {"type": "plain_text", "text": "x".repeat(n)}});
        assert!(check(&[header(150)], Surface::Message).is_ok());
        assert!(wrong(&[header(151)]).contains("less than 151"));
    }

    #[test]
    fn buttons_are_checked_and_named() {
        let button = |value: usize, id: &str| {
            json!({"type": "actions", "elements": [
                {"type": "button", "action_id": id, "value": "v".repeat(value), "text": {"type": "plain_text", "text": "Go"}},
                {"type": "button", "text": {"type": "plain_text", "text": "Stop"}}]})
        };
        let named = check(&[button(2000, "go")], Surface::Message).unwrap();
        assert_eq!(named[0]["elements"][0]["action_id"], "go");
        assert_eq!(named[0]["elements"][1]["action_id"], "b0a1");
        assert_eq!(named[0]["block_id"], "b0");
        assert!(wrong(&[button(2001, "go")]).contains("/elements/0/value"));
        assert!(wrong(&[button(1, &"i".repeat(256))]).contains("/elements/0/action_id"));
    }

    #[test]
    fn a_picture_has_one_source_and_words() {
        let image = |fields: Value| {
            let mut image = json!({"type": "image", "alt_text": "A day"});
            let fields = fields.as_object().unwrap().clone();
            image.as_object_mut().unwrap().extend(fields);
            [image]
        };
        let title = |kind, n| json!({"type": kind, "text": "x".repeat(n)});
        let file = json!({"id": "F1"});
        let right = json!({"slack_file": file, "title": title("plain_text", 2000)});
        assert!(check(&image(right), Surface::Message).is_ok());
        let web = json!({"image_url": "https://example.com/a.png", "alt_text": "x".repeat(2000)});
        assert!(check(&image(web), Surface::View).is_ok());
        for (fields, expected) in [
            (json!({}), "either `image_url` or `slack_file`"),
            (
                json!({"slack_file": file, "image_url": "https://example.com/a.png"}),
                "either `image_url` or `slack_file`",
            ),
            (json!({"slack_file": "F1"}), "/blocks/0/slack_file"),
            (
                json!({"slack_file": {"url": "https://example.com"}}),
                "/blocks/0/slack_file",
            ),
            (
                json!({"slack_file": file, "alt_text": null}),
                "/blocks/0/alt_text",
            ),
            (
                json!({"slack_file": file, "alt_text": ""}),
                "/blocks/0/alt_text",
            ),
            (
                json!({"slack_file": file, "alt_text": "x".repeat(2001)}),
                "/blocks/0/alt_text",
            ),
            (
                json!({"slack_file": file, "title": title("plain_text", 2001)}),
                "/blocks/0/title",
            ),
            (
                json!({"slack_file": file, "title": title("mrkdwn", 1)}),
                "/blocks/0/title/type",
            ),
        ] {
            let why = wrong(&image(fields.clone()));
            assert!(why.contains(expected), "{fields}: {why}");
        }
    }

    #[test]
    fn what_slack_does_not_know_is_refused() {
        assert!(wrong(&[json!({"type": "sektion"})]).contains("unsupported type: sektion"));
        assert!(wrong(&[json!({"type": "section"})]).contains("`text` or `fields`"));
        assert!(wrong(&[json!("section")]).contains("must be an object"));
        let twice = json!({"type": "divider", "block_id": "same"});
        assert!(wrong(&[twice.clone(), twice]).contains("unique"));
        let mrkdwn_header = json!({"type": "header", "text": {"type": "mrkdwn", "text": "x"}});
        assert!(wrong(&[mrkdwn_header]).contains("/blocks/0/text/type"));
    }
}
