//! Modals that a click opens. A trigger expires too soon for the queue, so the receiver opens a placeholder.

use alfred_core::text;
use serde_json::{Map, Value, json};

const EDIT: &str = "approval_edit";
const MAX_EXTERNAL_ID: usize = 255;

/// The button's value becomes the view's `external_id`, so a second click on the same revision opens no second view.
pub fn skeleton(action_id: &str, value: &str) -> Option<Value> {
    // A title has at most 24 characters.
    let (callback_id, title) = match action_id {
        EDIT => (EDIT, text::EDIT_TITLE),
        "approval_modify" => (EDIT, text::MODIFY_TITLE),
        "approval_reject_reason" => ("approval_reject_reason", text::REJECT_TITLE),
        _ => return None,
    };
    if value.is_empty() || value.len() > MAX_EXTERNAL_ID {
        return None;
    }
    Some(json!({
        "type": "modal",
        "callback_id": callback_id,
        "external_id": value,
        "private_metadata": value,
        "title": {"type": "plain_text", "text": title},
        "blocks": [{
            "type": "section",
            "text": {"type": "plain_text", "text": "One moment…"},
        }],
    }))
}

/// Errors by `block_id`. `values` is `block_id` → `action_id` → element. A block whose id ends with `?` is optional.
pub fn errors(callback_id: &str, values: &Value) -> Map<String, Value> {
    let has_blank = |block: &Value| {
        let elements = block.as_object();
        elements.is_some_and(|elements| elements.values().any(is_blank))
    };
    let blocks = values.as_object().into_iter().flatten();
    blocks
        .filter(|_| callback_id == EDIT)
        .filter(|(id, block)| !id.ends_with('?') && has_blank(block))
        .map(|(block_id, _)| (block_id.clone(), "Please fill this in.".into()))
        .collect()
}

fn is_blank(element: &Value) -> bool {
    match element.get("value") {
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Null) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_registered_action_opens_a_view() {
        let proposal = skeleton("approval_modify", "apr_1:2").unwrap();
        assert_eq!(proposal["title"]["text"], text::MODIFY_TITLE);
        assert_eq!(proposal["callback_id"], "approval_edit");
        let view = skeleton("approval_edit", "apr_1:2").unwrap();
        assert_eq!(view["external_id"], "apr_1:2");
        assert!(view["title"]["text"].as_str().unwrap().chars().count() <= 24);
        assert_eq!(skeleton("approval_approve", "apr_1:2"), None);
        assert_eq!(skeleton("approval_edit", &"x".repeat(256)), None);
    }

    #[test]
    fn blank_fields_are_named_by_their_block() {
        let values = json!({
            "to": {"input": {"type": "plain_text_input", "value": "ana@example.org"}},
            "body": {"input": {"type": "plain_text_input", "value": "  "}},
            "subject": {"input": {"type": "plain_text_input", "value": null}},
            "pick": {"menu": {"type": "static_select", "selected_option": null}},
        });
        let errors = errors("approval_edit", &values);
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["body", "subject"]);
        assert!(super::errors("another", &values).is_empty());
        assert!(super::errors("approval_edit", &json!([1, "x"])).is_empty());
    }
}
