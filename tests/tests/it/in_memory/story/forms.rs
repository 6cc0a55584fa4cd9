//! The forms that people fill in.

use alfred_core::envelope::ViewSubmission;
use alfred_core::{Envelope, Payload};
use alfred_testkit::wording::is_for_people;
use alfred_tests::event;
use serde_json::{Map, Value, json};

/// A form as Slack sends it, with this text in a field, or with these boxes ticked alone.
pub fn submitted(user: &str, view: &Value, filled: &str, trigger: &str) -> Envelope {
    is_for_people_too(view);
    let (only, filled) = match filled.strip_prefix("only ") {
        Some(filled) => {
            let (only, words) = filled.split_once(" saying ").unwrap_or((filled, ""));
            (Some(only), format!("feedback {words}"))
        }
        None => (None, filled.to_owned()),
    };
    let (field, text) = filled.split_once(' ').unwrap();
    let blocks = view["blocks"].as_array().unwrap().iter();
    let ids = blocks.filter_map(|block| block["block_id"].as_str());
    let ids: Vec<&str> = ids.collect();
    let is_there = ids.iter().any(|id| id.starts_with(field));
    assert!(is_there || text.is_empty(), "no field {field}: {ids:?}");
    let mut values = Map::new();
    for block in view["blocks"].as_array().unwrap() {
        let Some(id) = block["block_id"].as_str() else {
            continue;
        };
        let element = &block["element"];
        let value = if element["type"] == "static_select" {
            let mut options = element["options"].as_array().unwrap().iter();
            let chosen = options.find(|it| id.starts_with(field) && it["text"]["text"] == text);
            json!({"selected_option": chosen.unwrap_or(&element["initial_option"])})
        } else if element["options"].is_array() {
            json!({"type": element["type"], "selected_options": ticked(element, only)})
        } else if id.starts_with(field) && !text.is_empty() {
            json!({"type": element["type"], "value": text})
        } else {
            json!({"type": element["type"], "value": element["initial_value"]})
        };
        values.insert(id.into(), json!({"value": value}));
    }
    let submission = ViewSubmission {
        callback_id: view["callback_id"].as_str().unwrap().into(),
        view_id: "V1".into(),
        private_metadata: view["private_metadata"].as_str().unwrap().into(),
        values: Value::Object(values),
    };
    event(user, &format!("trg:{trigger}"), Payload::View(submission))
}

/// The label of each field, with its text or choices; `[Chosen]` comes first.
pub fn fields(view: &Value) -> String {
    is_for_people_too(view);
    let label = |of: &Value| of["text"]["text"].as_str().unwrap().to_owned();
    let fields = view["blocks"].as_array().unwrap().iter().map(|block| {
        let (element, name) = (&block["element"], block["label"]["text"].as_str().unwrap());
        let text = element["initial_value"].as_str().unwrap_or_default();
        let options = element["options"].as_array().into_iter().flatten();
        let options = options.filter(|option| **option != element["initial_option"]);
        let labels: Vec<String> = options.map(label).collect();
        let chosen = element.get("initial_option").map(label);
        let chosen = chosen.map_or_else(String::new, |it| format!("[{it}] "));
        let shown = [chosen, text.replace('\n', " / "), labels.join(", ")].concat();
        format!("{name}: {shown}").trim_end().to_owned()
    });
    fields.collect::<Vec<_>>().join("\n")
}

/// The ticked boxes: those whose labels begin with these words, or as they were.
fn ticked(element: &Value, only: Option<&str>) -> Value {
    let Some(only) = only else {
        return element["initial_options"].clone();
    };
    let options = element["options"].as_array().unwrap().iter();
    let is_ticked = |option: &&Value| {
        let label = option["text"]["text"].as_str().unwrap();
        only.split(", ").any(|words| label.starts_with(words))
    };
    let ticked: Vec<Value> = options.filter(is_ticked).cloned().collect();
    assert!(!ticked.is_empty(), "no box is called {only}");
    ticked.into()
}

/// Checks the labels and the values of a form for internal terms.
fn is_for_people_too(part: &Value) {
    match part {
        Value::Array(parts) => parts.iter().for_each(is_for_people_too),
        Value::Object(fields) => {
            let texts = [fields.get("text"), fields.get("initial_value")];
            let texts = texts.into_iter().flatten().filter_map(Value::as_str);
            texts.for_each(is_for_people);
            fields.values().for_each(is_for_people_too);
        }
        _ => {}
    }
}
