//! The modal of a proposal made of parts. Each part can be left out without a model. Words say what should be
//! different; they become the owner's next request.

use serde_json::{Value, json};
use std::collections::HashSet;

use crate::model::approval::Approval;
use crate::model::preview::Item;
use crate::slack::rich_text;

/// Options of one group of checkboxes; Slack takes 10.
const OPTIONS: usize = 10;
/// Groups of one modal; Slack takes 100 blocks.
const GROUPS: usize = 90;
/// Characters of an option's text; Slack takes 75.
const LABEL_CHARS: usize = 74;
/// The input of the owner's words.
const WORDS: &str = "feedback?";
/// The field of a proposal with the wish that it was made from.
const WISH: &str = "wish";
/// The field of a proposal with the parts that its owner left out.
const WITHOUT: &str = "without";

/// The modal's blocks; `None` when there are more parts than one modal holds.
pub(crate) fn blocks(items: &[Item]) -> Option<Vec<Value>> {
    let groups = items.chunks(OPTIONS).zip(0..);
    let mut blocks: Vec<Value> = groups.map(|(items, at)| group(at, items)).collect();
    let element = json!({
        "type": "plain_text_input",
        "action_id": "value",
        "multiline": true,
        "max_length": 3_000,
        "placeholder": {"type": "plain_text", "text": "No meetings before 10, lunch at one"},
    });
    let fits = blocks.len() <= GROUPS;
    blocks.push(input(WORDS, "What should be different?", element));
    fits.then_some(blocks)
}

fn group(at: usize, items: &[Item]) -> Value {
    let option =
        |item: &Item| json!({"text": rich_text::plain(&item.label, LABEL_CHARS), "value": item.at});
    let options: Vec<Value> = items.iter().map(option).collect();
    let label = match at {
        0 => "Untick what you don't want",
        _ => "More",
    };
    let element = json!({
        "type": "checkboxes",
        "action_id": "value",
        "initial_options": options,
        "options": options,
    });
    input(&format!("items#{at:02}?"), label, element)
}

/// An optional input.
pub(crate) fn input(block_id: &str, label: &str, element: Value) -> Value {
    let label = json!({"type": "plain_text", "text": label});
    json!({"type": "input", "block_id": block_id, "optional": true, "label": label, "element": element})
}

/// The words in a submitted form.
pub(crate) fn words(values: &Value) -> Option<String> {
    typed(values, WORDS)
}

/// The text in an input of a submitted form. `None` if it is blank.
pub(crate) fn typed(values: &Value, block_id: &str) -> Option<String> {
    let text = values[block_id]["value"]["value"].as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The arguments without the parts that the owner unticked. If the form has words too, the arguments list the names
/// of the unticked parts, so that the revision made from the words leaves them out as well.
pub(crate) fn arguments(approval: &Approval, values: &Value) -> Value {
    let blocks = values.as_object().into_iter().flatten();
    let items = blocks.filter(|(block, _)| block.starts_with("items#"));
    let kept = items.filter_map(|(_, block)| block["value"]["selected_options"].as_array());
    let kept = kept.flatten().filter_map(|option| option["value"].as_str());
    let kept: HashSet<&str> = kept.collect();
    let mut left_out: Vec<&Item> = approval.preview.items.iter().collect();
    left_out.retain(|item| !kept.contains(item.at.as_str()));
    let payload = &approval.payload;
    let has_words = words(values).is_some();
    if left_out.len() == approval.preview.items.len() && has_words {
        // Nothing would be left to ask about, so the words alone say what is wanted instead.
        return payload.clone();
    }
    let mut rest = without(payload, left_out.iter().copied());
    if !left_out.is_empty() && has_words && payload.get(WISH).is_some() {
        let mut gone = payload[WITHOUT].as_array().cloned().unwrap_or_default();
        gone.extend(left_out.iter().map(|item| name(payload, item)));
        rest[WITHOUT] = gone.into();
    }
    rest
}

/// An element of a list of ids by its id, since labels may hold other people's words; any other by its label.
fn name(payload: &Value, item: &Item) -> Value {
    let element = payload.pointer(&item.at).and_then(Value::as_str);
    element.unwrap_or(&item.label).into()
}

/// A proposal without these parts.
pub fn without<'a>(payload: &Value, left_out: impl Iterator<Item = &'a Item>) -> Value {
    let places = left_out.filter_map(|item| {
        let (list, at) = item.at.rsplit_once('/')?;
        Some((list, at.parse().ok()?))
    });
    let mut places: Vec<(&str, usize)> = places.collect();
    // From the end, so that the places of the others stay.
    places.sort_by(|a, b| b.cmp(a));
    let mut rest = payload.clone();
    for (list, at) in places {
        if let Some(items) = rest.pointer_mut(list).and_then(Value::as_array_mut)
            && at < items.len()
        {
            items.remove(at);
        }
    }
    rest
}
