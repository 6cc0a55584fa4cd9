use serde_json::json;

use super::*;
use crate::model::Preview;

fn approval(payload: Value) -> Approval {
    let at = "2026-11-21T12:00:00Z";
    let stored = json!({
        "v": 2, "id": "apr_1", "revision": 3, "team": "T1", "owner": "U1", "run": "run_1",
        "call_id": "c1", "session": "T1/U1/D1", "worker": "utility", "question": "may_it_run",
        "action_type": "slack_sendMessage", "payload": payload, "digest": "d",
        "preview": Preview::new("Send"), "reasons": [], "recipients": [], "path": [], "outside": [],
        "taint": alfred_core::Taint::default(),
        "asked_in": {"channel_id": "D1", "response_type": alfred_core::ResponseType::Dm},
        "status": "pending", "created_at": at, "expires_at": at,
    });
    serde_json::from_value(stored).unwrap()
}

/// The state Slack submits for an unchanged modal.
fn unchanged(view: &Value) -> Value {
    let blocks = view["blocks"].as_array().unwrap().iter();
    let input = |block: &Value| {
        let text = json!({"value": {"value": block["element"]["initial_value"]}});
        (block["block_id"].as_str().unwrap().to_owned(), text)
    };
    blocks.map(input).collect()
}

#[test]
fn a_modal_nobody_changed_gives_the_same_arguments() {
    let long: String = ('a'..='z').cycle().take(7_001).collect();
    let payload = json!({
        "to": ["a@b.c", "d@e.f"], "guests": ["Doe, Jane", "Roe"], "text": long,
        "count": 3, "flag": true, "note": "",
    });
    let approval = approval(payload.clone());
    let view = view(&approval).unwrap();
    let inputs = view["blocks"].as_array().unwrap().iter();
    let text = |input: &Value| input["element"]["initial_value"].as_str().unwrap().len();
    let lengths: Vec<usize> = inputs.map(text).collect();
    assert_eq!(lengths.len(), 8, "a text of 7,001 characters spans three");
    assert!(lengths.iter().all(|length| *length <= 3_000));
    assert_eq!(arguments(&approval, &unchanged(&view)), payload);
}

#[test]
fn what_is_changed_keeps_its_kind_and_foreign_fields_are_ignored() {
    let approval = approval(json!({
        "to": ["a@b.c"], "count": 3, "guests": ["Doe, Jane", "Roe"], "tags": ["a", "b"],
    }));
    let typed = |text: &str| json!({"value": {"value": text}});
    let values = json!({
        "to#00": typed("x@y.z, a@b.c"),
        "count#00": typed("many"),
        "guests#00": typed("Doe, Jane\nPoe, Max"),
        "tags#00": typed("a, c"),
        "owner#00": typed("U9"),
    });
    let edited = json!({
        "to": ["x@y.z", "a@b.c"], "count": "many", "guests": ["Doe, Jane", "Poe, Max"], "tags": ["a", "c"],
    });
    assert_eq!(arguments(&approval, &values), edited);
}

/// Labels may hold other people's text, so an id list names the omitted item by its id.
#[test]
fn what_is_left_out_of_a_list_of_ids_is_named_by_its_id() {
    let mut approval = approval(json!({
        "wish": {"changes": {"keep": ["m9"]}}, "without": ["m0"],
        "confirmation": {"approved": true, "ids": ["m1", "m2"], "blocks": [{"title": "Lunch"}]},
        "proposal": {"notes": {}},
    }));
    approval.preview = Preview::new("Triage")
        .item("/confirmation/ids/0", "Ben: hi")
        .item("/confirmation/ids/1", "Boss: hi")
        .item("/confirmation/blocks/0", "12:00–13:00 Lunch");
    let values = json!({
        "items#00?": {"value": {"selected_options": [{"value": "/confirmation/ids/0"}]}},
        "feedback?": {"value": {"value": "fewer"}},
    });
    let edited = arguments(&approval, &values);
    let without = json!(["m0", "m2", "12:00–13:00 Lunch"]);
    assert_eq!(edited["without"], without);
    assert_eq!(edited["wish"], approval.payload["wish"]);
    let rest = json!({"approved": true, "ids": ["m1"], "blocks": []});
    assert_eq!(edited["confirmation"], rest);
    assert_eq!(words(&approval, &values).as_deref(), Some("fewer"));
}
