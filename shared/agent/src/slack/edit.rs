//! Modals in which an owner edits arguments, changes a proposal or gives a reason, and what they hold when submitted.

use alfred_core::text;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

use crate::model::{Approval, InputChoice, Item};
use crate::slack::rich_text;
use crate::slack::written::{rewritten, written};

/// Maximum characters of one text input (Slack's limit). Longer values span several inputs.
const INPUT_CHARS: usize = 3_000;
/// Maximum characters of a label. Slack accepts 2,000.
const LABEL_CHARS: usize = 200;
/// Maximum inputs in a modal, or groups of checkboxes. Slack accepts 100 blocks.
const INPUTS: usize = 90;
pub const CALLBACK: &str = "approval_edit";
pub const REASON_CALLBACK: &str = "approval_reject_reason";
const REASON: &str = "reason";
/// Options of one group of checkboxes; Slack takes 10.
const OPTIONS: usize = 10;
/// Characters of an option's text; Slack takes 75.
const OPTION_CHARS: usize = 74;
const WORDS: &str = "feedback?";
/// Fields of a proposal: the wish that it was made from, and the parts that its owner left out.
const WISH: &str = "wish";
const WITHOUT: &str = "without";

/// The edit modal, or the choice of parts for a proposal. `None` if nothing can be edited in a modal.
pub fn view(approval: &Approval) -> Option<Value> {
    let blocks = if approval.is_proposal() {
        groups(&approval.preview.items)?
    } else {
        inputs(approval)?
    };
    Some(modal(approval, CALLBACK, Some("Save"), blocks))
}

/// One or more inputs per editable argument. `None` if there are none or too many.
fn inputs(approval: &Approval) -> Option<Vec<Value>> {
    let mut blocks = Vec::new();
    for argument in written(approval) {
        let (name, label, text) = (&argument.name, &argument.label, &argument.text);
        if let Some(chosen) = argument.chosen() {
            let options: Vec<Value> = argument.choices.iter().map(choice).collect();
            let element = json!({
                "type": "static_select",
                "action_id": "value",
                "initial_option": choice(chosen),
                "options": options,
            });
            blocks.push(input(&format!("{name}#00"), label, element));
            continue;
        }
        let chunks = chunks(text);
        for (at, chunk) in chunks.iter().enumerate() {
            let label = match chunks.len() {
                1 => label.clone(),
                count => format!("{label} ({} of {count})", at + 1),
            };
            let long = chunks.len() > 1 || text.contains('\n') || text.chars().count() > 80;
            let mut element = long_text();
            element["multiline"] = long.into();
            element["initial_value"] = chunk.as_str().into();
            // The suffix `?` marks an empty value as optional; the receiver requires all other inputs.
            let mark = if text.is_empty() { "?" } else { "" };
            blocks.push(input(&format!("{name}#{at:02}{mark}"), &label, element));
        }
    }
    (!blocks.is_empty() && blocks.len() <= INPUTS).then_some(blocks)
}

pub fn reason_view(approval: &Approval) -> Value {
    let blocks = vec![input(REASON, "Why not? I'll go by it", long_text())];
    modal(approval, REASON_CALLBACK, Some("Reject"), blocks)
}

pub fn notice_view(approval: &Approval, words: &str) -> Value {
    let text = json!({"type": "section", "text": {"type": "plain_text", "text": words}});
    modal(approval, "approval_notice", None, vec![text])
}

fn modal(approval: &Approval, callback: &str, submit: Option<&str>, blocks: Vec<Value>) -> Value {
    let title = match callback {
        REASON_CALLBACK => text::REJECT_TITLE,
        _ if approval.is_proposal() => text::MODIFY_TITLE,
        _ => text::EDIT_TITLE,
    };
    let mut view = json!({
        "type": "modal",
        "callback_id": callback,
        "external_id": approval.button_value(),
        "private_metadata": approval.button_value(),
        "title": {"type": "plain_text", "text": title},
        "blocks": blocks,
    });
    if let Some(submit) = submit {
        view["submit"] = json!({"type": "plain_text", "text": submit});
    }
    view
}

/// Reads the edited arguments from the submitted modal state. Each value keeps its JSON type.
pub fn arguments(approval: &Approval, values: &Value) -> Value {
    if approval.is_proposal() {
        return without_unticked(approval, values);
    }
    // Sorted, so that the parts of a text follow each other.
    let blocks: BTreeMap<&String, &Value> = values.as_object().into_iter().flatten().collect();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (block, input) in blocks {
        if let Some((name, _)) = block.rsplit_once('#') {
            let input = &input["value"];
            let text = input["value"].as_str();
            let text = text.or(input["selected_option"]["value"].as_str());
            let all = texts.entry(name.to_owned()).or_default();
            all.push_str(text.unwrap_or_default());
        }
    }
    rewritten(approval, &texts)
}

pub fn words(approval: &Approval, values: &Value) -> Option<String> {
    typed(values, WORDS).filter(|_| approval.is_proposal())
}

/// The reason from a submitted modal, or `None` if it is blank.
pub fn reason(values: &Value) -> Option<String> {
    typed(values, REASON)
}

/// The modal's blocks; `None` when there are more parts than one modal holds.
fn groups(items: &[Item]) -> Option<Vec<Value>> {
    let groups = items.chunks(OPTIONS).zip(0..);
    let mut blocks: Vec<Value> = groups.map(|(items, at)| group(at, items)).collect();
    let mut element = long_text();
    element["placeholder"] =
        rich_text::plain("Only what is urgent, the rest tomorrow", LABEL_CHARS);
    blocks.push(input(WORDS, "What should be different?", element));
    (blocks.len() <= INPUTS).then_some(blocks)
}

fn choice(choice: &InputChoice) -> Value {
    json!({"text": rich_text::plain(&choice.label, OPTION_CHARS), "value": choice.value})
}

fn group(at: usize, items: &[Item]) -> Value {
    let option = |item: &Item| json!({"text": rich_text::plain(&item.label, OPTION_CHARS), "value": item.at});
    let options: Vec<Value> = items.iter().map(option).collect();
    let label = ["Untick what you don't want", "More"][at.min(1)];
    let element = json!({
        "type": "checkboxes",
        "action_id": "value",
        "initial_options": options,
        "options": options,
    });
    input(&format!("items#{at:02}?"), label, element)
}

fn long_text() -> Value {
    json!({"type": "plain_text_input", "action_id": "value", "multiline": true, "max_length": INPUT_CHARS})
}

fn input(block_id: &str, label: &str, element: Value) -> Value {
    let label = rich_text::plain(label, LABEL_CHARS);
    let optional = block_id.ends_with('?') || block_id == REASON;
    json!({"type": "input", "block_id": block_id, "optional": optional, "label": label, "element": element})
}

/// The text in an input of a submitted form. `None` if it is blank.
fn typed(values: &Value, block_id: &str) -> Option<String> {
    let text = values[block_id]["value"]["value"].as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The arguments without the parts that the owner unticked.
fn without_unticked(approval: &Approval, values: &Value) -> Value {
    let blocks = values.as_object().into_iter().flatten();
    let items = blocks.filter(|(block, _)| block.starts_with("items#"));
    let kept = items.filter_map(|(_, block)| block["value"]["selected_options"].as_array());
    let kept = kept.flatten().filter_map(|option| option["value"].as_str());
    let kept: HashSet<&str> = kept.collect();
    let mut left_out: Vec<&Item> = approval.preview.items.iter().collect();
    left_out.retain(|item| !kept.contains(item.at.as_str()));
    if left_out.len() == approval.preview.items.len() && typed(values, WORDS).is_some() {
        // Nothing would be left to ask about, so the words alone say what is wanted instead.
        return approval.payload.clone();
    }
    without(&approval.payload, &left_out)
}

/// The name by which later revisions know a part. In a list of ids it is the id, since labels may hold other people's
/// words. An existing block has its list and id before its label; all others have the label.
fn name(payload: &Value, item: &Item) -> Value {
    let part = payload.pointer(&item.at).unwrap_or(&Value::Null);
    let list = item.at.rsplit('/').nth(1).unwrap_or_default();
    match (part.as_str(), part["id"].as_str()) {
        (Some(id), _) => id.into(),
        (None, Some(id)) => format!("{list}/{id} {}", item.label).into(),
        (None, None) => item.label.as_str().into(),
    }
}

/// The arguments without these parts. Those of a workflow name them, so that later revisions leave them out too.
pub fn without(payload: &Value, left_out: &[&Item]) -> Value {
    let mut rest = payload.clone();
    if !left_out.is_empty() && payload.get(WISH).is_some() {
        let mut gone = payload[WITHOUT].as_array().cloned().unwrap_or_default();
        gone.extend(left_out.iter().map(|item| name(payload, item)));
        rest[WITHOUT] = gone.into();
    }
    let places = left_out.iter().filter_map(|item| {
        let (list, at) = item.at.rsplit_once('/')?;
        Some((list, at.parse().ok()?))
    });
    let mut places: Vec<(&str, usize)> = places.collect();
    // From the end, so that the places of the others stay.
    places.sort_by(|a, b| b.cmp(a));
    for (list, at) in places {
        if let Some(items) = rest.pointer_mut(list).and_then(Value::as_array_mut)
            && at < items.len()
        {
            items.remove(at);
        }
    }
    rest
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
