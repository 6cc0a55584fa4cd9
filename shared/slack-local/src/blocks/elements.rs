//! Interactive elements and images (docs.slack.dev/reference/block-kit/block-elements).

use serde_json::{Map, Value};
use std::collections::HashSet;

use super::{Findings, Only};

pub(super) fn actions(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    found.items(at, block, "elements", 1, 25);
    let mut ids = HashSet::new();
    let elements = block.get("elements").and_then(Value::as_array);
    for (index, one) in elements.into_iter().flatten().enumerate() {
        let at = format!("{at}/elements/{index}");
        element(found, &at, one);
        if let Some(id) = one["action_id"].as_str()
            && !ids.insert(id)
        {
            found.add(
                &format!("{at}/action_id"),
                "must be unique within the block",
            );
        }
    }
}

pub(super) fn element(found: &mut Findings, at: &str, element: &Value) {
    let Some(object) = element.as_object() else {
        found.add(at, "must be an object");
        return;
    };
    found.optional(at, object, "action_id", 255);
    let kind = object.get("type").and_then(Value::as_str).unwrap_or("");
    match kind {
        "button" => button(found, at, object),
        "image" => image(found, at, object),
        "static_select" => {
            placeholder(found, at, object);
            options(found, at, object, 100);
        }
        "checkboxes" => options(found, at, object, 10),
        "plain_text_input" => {
            placeholder(found, at, object);
            found.optional(at, object, "initial_value", 3000);
            if object
                .get("max_length")
                .is_some_and(|n| n.as_u64().is_none_or(|n| n > 3000))
            {
                found.add(&format!("{at}/max_length"), "must be at most 3000");
            }
        }
        other => found.add(&format!("{at}/type"), &format!("unsupported type: {other}")),
    }
}

fn button(found: &mut Findings, at: &str, button: &Map<String, Value>) {
    found.text(at, button, "text", 75, Only::Plain);
    found.optional(at, button, "value", 2000);
    found.optional(at, button, "url", 3000);
    match button.get("style").map(Value::as_str) {
        None | Some(Some("primary" | "danger")) => {}
        Some(_) => found.add(&format!("{at}/style"), "must be \"primary\" or \"danger\""),
    }
}

fn placeholder(found: &mut Findings, at: &str, of: &Map<String, Value>) {
    if of.contains_key("placeholder") {
        found.text(at, of, "placeholder", 150, Only::Plain);
    }
}

fn options(found: &mut Findings, at: &str, of: &Map<String, Value>, most: usize) {
    found.items(at, of, "options", 1, most);
    let options = of.get("options").and_then(Value::as_array);
    for (index, option) in options.into_iter().flatten().enumerate() {
        let at = format!("{at}/options/{index}");
        match option.as_object() {
            Some(option) => {
                found.text(&at, option, "text", 75, Only::Any);
                found.string(&at, option, "value", 1, 150);
            }
            None => found.add(&at, "must be an object"),
        }
    }
}

pub(super) fn image_block(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    image(found, at, block);
    if block.contains_key("title") {
        found.text(at, block, "title", 2000, Only::Plain);
    }
}

fn image(found: &mut Findings, at: &str, image: &Map<String, Value>) {
    match (image.get("image_url"), image.get("slack_file")) {
        (Some(_), None) => found.string(at, image, "image_url", 1, 3000),
        (None, Some(file)) => slack_file(found, &format!("{at}/slack_file"), file),
        _ => found.add(at, "must define either `image_url` or `slack_file`"),
    }
    found.string(at, image, "alt_text", 1, 2000);
}

/// Slack also takes a file's `url_private`; here nothing has one.
fn slack_file(found: &mut Findings, at: &str, file: &Value) {
    match file.as_object() {
        Some(file) if file.len() == 1 && file.contains_key("id") => {
            found.string(at, file, "id", 1, 255);
        }
        _ => found.add(at, "must be an object with the file's `id`"),
    }
}

pub(super) fn input(found: &mut Findings, at: &str, block: &Map<String, Value>) {
    found.text(at, block, "label", 2000, Only::Plain);
    match block.get("element") {
        Some(one) => element(found, &format!("{at}/element"), one),
        None => found.add(&format!("{at}/element"), "missing required field"),
    }
}

/// Gives every interactive element without one an `action_id`.
pub(super) fn name(block: &mut Map<String, Value>, index: usize) {
    let interactive = !matches!(
        block.get("type").and_then(Value::as_str),
        Some("context" | "rich_text")
    );
    if !interactive {
        return;
    }
    let give = |element: &mut Value, place: String| {
        if let Some(object) = element.as_object_mut()
            && object.get("type").is_some_and(|kind| kind != "image")
        {
            object.entry("action_id").or_insert_with(|| place.into());
        }
    };
    if let Some(Value::Array(elements)) = block.get_mut("elements") {
        for (number, element) in elements.iter_mut().enumerate() {
            give(element, format!("b{index}a{number}"));
        }
    }
    for field in ["accessory", "element"] {
        if let Some(element) = block.get_mut(field) {
            give(element, format!("b{index}a0"));
        }
    }
}

/// The element with this `action_id`, and the id of its block.
pub(crate) fn find<'a>(blocks: &'a [Value], action_id: &str) -> Option<(&'a str, &'a Value)> {
    blocks.iter().find_map(|block| {
        let listed = block["elements"].as_array().into_iter().flatten();
        let single = ["accessory", "element"]
            .into_iter()
            .map(|field| &block[field]);
        let element = listed
            .chain(single)
            .find(|one| one["action_id"] == action_id)?;
        Some((block["block_id"].as_str().unwrap_or(""), element))
    })
}
