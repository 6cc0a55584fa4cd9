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
        let element = &block["element"];
        let value = json!({"value": element["initial_value"], "selected_option": element["initial_option"]});
        let id = block["block_id"].as_str().unwrap();
        (id.to_owned(), json!({"value": value}))
    };
    blocks.map(input).collect()
}

#[test]
fn a_modal_nobody_changed_gives_the_same_arguments() {
    let long: String = ('a'..='z').cycle().take(7_001).collect();
    let payload = json!({
        "to": ["a@b.c", "d@e.f"], "guests": ["Doe, Jane", "Roe"], "text": long,
        "count": 3, "flag": true, "note": "", "at": "2026-12-02T13:00",
    });
    let approval = approval(payload.clone());
    let view = view(&approval).unwrap();
    let inputs = view["blocks"].as_array().unwrap().iter();
    let texts = inputs.map(|input| input["element"]["initial_value"].as_str());
    let lengths: Vec<usize> = texts.map(|text| text.map_or(0, str::len)).collect();
    assert_eq!(lengths.len(), 9, "a text of 7,001 characters spans three");
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

/// The year is that of the nearest such day, and a day of the week must be the date's or the one before.
#[test]
fn times_are_edited_in_words() {
    let approval = approval(json!({"times": ["2026-12-30T13:00", "tomorrow 9am"]}));
    let view = view(&approval).unwrap();
    let shown = &view["blocks"][0]["element"]["initial_value"];
    assert_eq!(shown, "Wed 30 Dec 13:00, tomorrow 9am");
    alfred_testkit::cases::check(include_str!("edit_cases.txt"), |typed| {
        let values = json!({"times#00": {"value": {"value": format!("tomorrow 9am, {typed}")}}});
        let times = &arguments(&approval, &values)["times"];
        assert_eq!(times[0], "tomorrow 9am");
        times[1].as_str().unwrap().to_owned()
    });
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
