//! Builds and reads the modals in which an owner edits arguments, changes a proposal or gives a reason.

use alfred_core::text;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::model::approval::Approval;
use crate::model::preview::{argument, in_words, points};
use crate::slack::{card, choose, rich_text};

/// Maximum characters of one text input (Slack's limit). Longer values span several inputs.
const INPUT_CHARS: usize = 3_000;
/// Maximum characters of a label. Slack accepts 2,000.
const LABEL_CHARS: usize = 200;
/// Maximum inputs in a modal. Slack accepts 100 blocks.
const INPUTS: usize = 90;
pub const CALLBACK: &str = "approval_edit";
pub const REASON_CALLBACK: &str = "approval_reject_reason";
const REASON: &str = "reason";

/// The edit modal, or the choice of parts for a proposal. `None` if nothing can be edited in a modal.
pub fn view(approval: &Approval) -> Option<Value> {
    let blocks = match approval.is_proposal() {
        true => choose::blocks(&approval.preview.items)?,
        false => inputs(approval)?,
    };
    Some(modal(approval, CALLBACK, title(approval), "Save", blocks))
}

pub fn title(approval: &Approval) -> &'static str {
    if approval.is_proposal() {
        text::MODIFY_TITLE
    } else {
        text::EDIT_TITLE
    }
}

/// True if a person can edit the argument as text: not an id, an object or a mixed list.
fn is_written(name: &str, value: &Value) -> bool {
    let is_texts = |items: &Vec<Value>| items.iter().all(Value::is_string);
    !points(name) && !value.is_object() && value.as_array().is_none_or(is_texts)
}

/// The editable arguments as name and text. Empty for a proposal, whose parts are chosen instead.
pub fn written(approval: &Approval) -> Vec<(String, String)> {
    let all = approval.payload.as_object().into_iter().flatten();
    let all = all.filter(|(name, value)| !approval.is_proposal() && is_written(name, value));
    let texts = all.map(|(name, value)| (name.clone(), shown(value)));
    texts.collect()
}

/// A value as it is edited: a list with commas, or an item a line where an item has a comma itself.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) if has_commas(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join("\n")
        }
        other => argument(other),
    }
}

fn has_commas(items: &[Value]) -> bool {
    let mut texts = items.iter().filter_map(Value::as_str);
    texts.any(|text| text.contains(','))
}

/// The arguments with these texts filled in. Each value keeps its JSON type where the text allows it.
pub fn rewritten(approval: &Approval, texts: &BTreeMap<String, String>) -> Value {
    let mut edited = approval.payload.clone();
    for (name, before) in edited.as_object_mut().into_iter().flatten() {
        if let Some(text) = texts.get(name) {
            *before = parsed(text, before);
        }
    }
    edited
}

/// One or more inputs per editable argument. `None` if there are none or too many.
fn inputs(approval: &Approval) -> Option<Vec<Value>> {
    let mut blocks = Vec::new();
    for (name, shown) in written(approval) {
        let called = in_words(&name);
        let chunks = chunks(&shown);
        for (at, chunk) in chunks.iter().enumerate() {
            let label = match chunks.len() {
                1 => called.clone(),
                count => format!("{called} ({} of {count})", at + 1),
            };
            let long = chunks.len() > 1 || shown.contains('\n') || shown.chars().count() > 80;
            blocks.push(json!({
                "type": "input",
                // The suffix `?` marks an empty value as optional; the receiver requires all other inputs.
                "block_id": format!("{name}#{at:02}{}", if shown.is_empty() { "?" } else { "" }),
                "optional": shown.is_empty(),
                "label": rich_text::plain(&label, LABEL_CHARS),
                "element": {
                    "type": "plain_text_input",
                    "action_id": "value",
                    "multiline": long,
                    "initial_value": chunk,
                    "max_length": INPUT_CHARS,
                },
            }));
        }
    }
    (!blocks.is_empty() && blocks.len() <= INPUTS).then_some(blocks)
}

pub fn reason_view(approval: &Approval) -> Value {
    let element = json!({"type": "plain_text_input", "action_id": "value", "multiline": true, "max_length": INPUT_CHARS});
    let blocks = vec![choose::input(REASON, "Why not? I'll go by it", element)];
    let (title, submit) = (text::REJECT_TITLE, "Reject");
    modal(approval, REASON_CALLBACK, title, submit, blocks)
}

/// A modal that only shows a message.
pub fn notice_view(approval: &Approval, title: &str, words: &str) -> Value {
    json!({
        "type": "modal",
        "callback_id": "approval_notice",
        "external_id": card::value(approval),
        "title": {"type": "plain_text", "text": title},
        "blocks": [{"type": "section", "text": {"type": "plain_text", "text": words}}],
    })
}

fn modal(
    approval: &Approval,
    callback: &str,
    title: &str,
    submit: &str,
    blocks: Vec<Value>,
) -> Value {
    json!({
        "type": "modal",
        "callback_id": callback,
        "external_id": card::value(approval),
        "private_metadata": card::value(approval),
        "title": {"type": "plain_text", "text": title},
        "submit": {"type": "plain_text", "text": submit},
        "blocks": blocks,
    })
}

/// Reads the edited arguments from the submitted modal state. Each value keeps its JSON type.
pub fn arguments(approval: &Approval, values: &Value) -> Value {
    if approval.is_proposal() {
        return choose::arguments(approval, values);
    }
    // Sorted, so that the parts of a text follow each other.
    let blocks: BTreeMap<&String, &Value> = values.as_object().into_iter().flatten().collect();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (block, input) in blocks {
        if let Some((name, _)) = block.rsplit_once('#') {
            let text = input["value"]["value"].as_str().unwrap_or_default();
            texts.entry(name.to_owned()).or_default().push_str(text);
        }
    }
    rewritten(approval, &texts)
}

/// The words in a submitted proposal modal.
pub fn words(approval: &Approval, values: &Value) -> Option<String> {
    choose::words(values).filter(|_| approval.is_proposal())
}

/// The reason from a submitted modal, or `None` if it is blank.
pub fn reason(values: &Value) -> Option<String> {
    choose::typed(values, REASON)
}

fn parsed(text: &str, before: &Value) -> Value {
    match before {
        Value::String(_) => Value::String(text.to_owned()),
        unchanged if shown(unchanged) == text => unchanged.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => text
            .split(|c| c == '\n' || (c == ',' && !has_commas(items)))
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| Value::String(part.to_owned()))
            .collect(),
        // Text that isn't valid JSON stays a string; the schema check then reports the field.
        _ => serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// Splits text into pieces of at most `INPUT_CHARS` characters. Empty text gives one empty piece.
fn chunks(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let chunks = characters.chunks(INPUT_CHARS);
    let mut chunks: Vec<String> = chunks.map(|chunk| chunk.iter().collect()).collect();
    chunks.resize(chunks.len().max(1), String::new());
    chunks
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
