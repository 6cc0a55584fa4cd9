use crate::common;

use alfred_slack_receiver::{FunctionUrlRequest, RawRequest, Reply};
use common::{NOW, SECRET, click, door, message, signature, signed};
use proptest::prelude::*;
use serde_json::{Value, json};

fn answer(request: RawRequest) -> (Reply, usize) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.build().unwrap();
    let door = door();
    let reply = runtime.block_on(door.receiver.handle(request));
    (reply, door.sent().len())
}

fn expected(reply: &Reply, sent: usize) -> Result<(), TestCaseError> {
    let is_known = [200, 400, 401, 413, 415].contains(&reply.status);
    prop_assert!(is_known, "{reply:?}");
    prop_assert!(sent == 0 || reply.status == 200);
    Ok(())
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"id": [{}]})),
    ]
}

fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                places(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                places(value, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn payloads() -> Vec<(Value, bool)> {
    let threaded = json!({"channel": "D1", "thread_ts": "17.1"});
    let stop = json!({"type": "agent_session_stopped", "thread_ts": "17.1"});
    let view = json!({"id": "V1", "callback_id": "approval_edit", "state": {"values": {"b": {"a": {"value": "x"}}}}});
    let submission = json!({"type": "view_submission", "view": view});
    vec![
        (message(threaded), false),
        (message(json!({"type": "app_mention"})), false),
        (message(stop), false),
        (json!({"type": "url_verification", "challenge": "c"}), false),
        (click(json!({})), true),
        (click(submission), true),
    ]
}

fn request_of(payload: &Value, is_form: bool) -> RawRequest {
    if is_form {
        let body = serde_urlencoded::to_string([("payload", payload.to_string())]).unwrap();
        signed("application/x-www-form-urlencoded", body.as_bytes())
    } else {
        signed("application/json", payload.to_string().as_bytes())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_signed_bytes(body in prop::collection::vec(any::<u8>(), 0..400), media in prop_oneof![
        Just("application/json".to_owned()), Just("application/x-www-form-urlencoded".to_owned()), ".{0,30}",
    ]) {
        let (reply, sent) = answer(signed(&media, &body));
        prop_assert_eq!(sent, 0);
        expected(&reply, sent)?;
    }

    #[test]
    fn arbitrary_headers(headers in prop::collection::vec((
        prop_oneof![Just("x-slack-signature".to_owned()), Just("X-Slack-Request-Timestamp".to_owned()), ".{0,20}"],
        prop_oneof![Just(NOW.to_string()), "v0=[0-9a-f]{60,68}", ".{0,40}"],
    ), 0..5), body in prop::collection::vec(any::<u8>(), 0..50)) {
        let (reply, sent) = answer(RawRequest::new(headers, body));
        prop_assert_eq!((reply.status, sent), (401, 0));
    }

    #[test]
    fn payloads_with_one_field_replaced_or_gone(which in 0..6_usize, place in any::<prop::sample::Index>(), with in prop::option::of(leaf())) {
        let (mut payload, is_form) = payloads().swap_remove(which);
        let mut all = Vec::new();
        places(&payload, "", &mut all);
        let pointer = place.get(&all).clone();
        match (with, pointer.rsplit_once('/')) {
            (None, Some((parent, key))) => match payload.pointer_mut(parent).unwrap() {
                Value::Object(map) => { map.remove(key); }
                Value::Array(items) => { items.clear(); }
                _ => unreachable!(),
            },
            (with, _) => *payload.pointer_mut(&pointer).unwrap() = with.unwrap_or_default(),
        }
        let (reply, sent) = answer(request_of(&payload, is_form));
        expected(&reply, sent)?;
    }

    #[test]
    fn payloads_cut_or_flipped(which in 0..6_usize, at in any::<prop::sample::Index>(), flip in any::<u8>()) {
        let (payload, _) = payloads().swap_remove(which);
        let mut body = payload.to_string().into_bytes();
        let at = at.index(body.len());
        if flip == 0 { body.truncate(at) } else { body[at] ^= flip }
        let (reply, sent) = answer(signed("application/json", &body));
        expected(&reply, sent)?;
    }

    #[test]
    fn a_forged_byte_anywhere_is_refused(at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let (payload, is_form) = payloads().swap_remove(0);
        let mut request = request_of(&payload, is_form);
        let at = at.index(request.body.len());
        request.body[at] ^= flip;
        let (reply, sent) = answer(request);
        prop_assert_eq!((reply.status, sent), (401, 0));
    }

    #[test]
    fn function_url_events_keep_the_raw_bytes(text in ".{0,80}") {
        let event = json!({"headers": {}, "body": text});
        let request: RawRequest = serde_json::from_value::<FunctionUrlRequest>(event).unwrap().into();
        let at = NOW.to_string();
        prop_assert_eq!(signature(SECRET, &at, &request.body), signature(SECRET, &at, text.as_bytes()));
    }
}
