//! Interactive elements: their ids, and finding one.

use serde_json::{Map, Value};
use std::collections::HashSet;

pub(super) fn repeats_action_id(block: &Map<String, Value>) -> bool {
    let elements = block.get("elements").and_then(Value::as_array);
    let kind = block.get("type").and_then(Value::as_str);
    let elements = elements.filter(|_| matches!(kind, Some("actions" | "context_actions")));
    let ids = elements.into_iter().flatten().map(|one| &one["action_id"]);
    let mut seen = HashSet::new();
    ids.filter_map(Value::as_str).any(|id| !seen.insert(id))
}

/// Gives every interactive element without one an `action_id`.
pub(super) fn name(block: &mut Map<String, Value>, index: usize) {
    let kind = block.get("type").and_then(Value::as_str);
    if matches!(kind, Some("context" | "rich_text")) {
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
        let single = ["accessory", "element"].map(|field| &block[field]);
        let mut all = listed.chain(single);
        let element = all.find(|one| one["action_id"] == action_id)?;
        Some((block["block_id"].as_str().unwrap_or(""), element))
    })
}
