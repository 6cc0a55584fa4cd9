use alfred_core::ResponseType;
use serde_json::json;

use super::*;
use crate::model::approval::{Question, Status};
use crate::model::preview::Preview;

fn approval(payload: Value) -> Approval {
    let at = "2026-11-21T12:00:00Z".parse().unwrap();
    Approval {
        v: 2,
        id: "apr_00000000000000000000000000000001".into(),
        revision: 3,
        team: "T1".into(),
        owner: "U1".into(),
        run: "run_1".into(),
        call_id: "c1".into(),
        session: alfred_core::SessionId("T1/U1/D1".into()),
        worker: "utility".into(),
        path: Vec::new(),
        question: Question::MayItRun,
        action_type: "slack_sendMessage".into(),
        payload,
        digest: "d".into(),
        preview: Preview::new("Send"),
        trouble: None,
        reasons: Vec::new(),
        recipients: Vec::new(),
        outside: Vec::new(),
        taint: alfred_core::Taint::default(),
        asked_in: alfred_core::SlackContext {
            channel_id: "D1".into(),
            thread_ts: None,
            response_type: ResponseType::Dm,
        },
        status: Status::Pending,
        created_at: at,
        expires_at: at,
        resolved_at: None,
        resolved_by: None,
        resolved_trigger: None,
        note: None,
    }
}

/// The state Slack submits for an unchanged modal.
fn unchanged(view: &Value) -> Value {
    let mut values = Map::new();
    for block in view["blocks"].as_array().unwrap() {
        let text = block["element"]["initial_value"].clone();
        let id = block["block_id"].as_str().unwrap();
        values.insert(
            id.into(),
            json!({"value": {"type": "plain_text_input", "value": text}}),
        );
    }
    Value::Object(values)
}

#[test]
fn a_modal_nobody_changed_gives_the_same_arguments() {
    let long: String = ('a'..='z').cycle().take(7_001).collect();
    let payload =
        json!({"to": ["a@b.c", "d@e.f"], "text": long, "count": 3, "flag": true, "note": ""});
    let approval = approval(payload.clone());
    let view = view(&approval).unwrap();
    let inputs = view["blocks"].as_array().unwrap();
    assert_eq!(inputs.len(), 7, "a text of 7,001 characters spans three");
    assert!(inputs.iter().all(|input| {
        input["element"]["initial_value"]
            .as_str()
            .unwrap()
            .chars()
            .count()
            <= 3_000
    }));
    assert_eq!(arguments(&approval, &unchanged(&view)), payload);
}

#[test]
fn what_is_changed_keeps_its_kind() {
    let approval = approval(json!({"to": ["a@b.c"], "count": 3}));
    let values = json!({
        "to#00": {"value": {"value": "x@y.z, a@b.c"}},
        "count#00": {"value": {"value": "many"}},
    });
    let edited = arguments(&approval, &values);
    assert_eq!(edited, json!({"to": ["x@y.z", "a@b.c"], "count": "many"}));
}

#[test]
fn foreign_fields_are_ignored() {
    let approval = approval(json!({"text": "hi"}));
    let values =
        json!({"text#00": {"value": {"value": "ho"}}, "owner#00": {"value": {"value": "U9"}}});
    assert_eq!(arguments(&approval, &values), json!({"text": "ho"}));
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

#[test]
fn an_unchanged_list_keeps_items_with_commas() {
    let payload = json!({"guests": ["Doe, Jane", "Roe"], "tags": ["a", "b"]});
    let approval = approval(payload.clone());
    let view = view(&approval).unwrap();
    assert_eq!(arguments(&approval, &unchanged(&view)), payload);
    let texts = BTreeMap::from([
        ("guests".to_owned(), "Doe, Jane\nPoe, Max".to_owned()),
        ("tags".to_owned(), "a, c".to_owned()),
    ]);
    let edited = json!({"guests": ["Doe, Jane", "Poe, Max"], "tags": ["a", "c"]});
    assert_eq!(rewritten(&approval, &texts), edited);
}
