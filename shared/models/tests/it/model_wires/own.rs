//! What is one form's own: marks of the cache, and ways to ask that a model refuses.

use alfred_core::ports::{Message, Model, Output, TurnRequest, Usage};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::model::{Provider, Said, Say, Scene, go_on, question};
use alfred_testkit::stand_in::{self, Reply};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

use crate::model_wires::anthropic::{self, Anthropic};
use crate::model_wires::responses::{self, Responses};

/// A model that is answered with these in turn, then with an object; and what it was asked.
fn answered(
    provider: impl Provider,
    replies: Vec<Reply>,
) -> (Arc<dyn Model>, impl Fn() -> Vec<Value>) {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let last = provider.reply(&Say::Text(&["{\"result\":true}"])).unwrap();
    let (noted, mut replies) = (bodies.clone(), replies.into_iter());
    let url = stand_in::serve(move |asked| {
        noted.lock().unwrap().push(asked.json());
        replies.next().unwrap_or_else(|| last.clone())
    });
    let model = provider.model(&url, Arc::new(ManualClock::default()));
    (model, move || bodies.lock().unwrap().clone())
}

fn json_question() -> TurnRequest {
    let mut request = question();
    request.tools = Arc::new([]);
    request.output = Output::Json {
        name: "predicate",
        schema: json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
    };
    request
}

/// Where a request is cached up to, as paths into it.
fn marked(value: &Value, path: &str, found: &mut Vec<String>) {
    if value.get("cache_control").is_some() {
        found.push(path.to_owned());
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, it)| marked(it, &format!("{path}/{name}"), found)),
        Value::Array(items) => (0..)
            .zip(items)
            .for_each(|(place, it)| marked(it, &format!("{path}/{place}"), found)),
        _ => {}
    }
}

#[tokio::test]
async fn a_loop_is_cached_up_to_what_was_said_last_and_before() {
    let call = Say::Calls("", &[("toolu_1", "time_now", &["{}"])]);
    let (model, asked) = answered(Anthropic, vec![Anthropic.reply(&call).unwrap()]);
    let mut request = question();
    let turn = model.turn(&request, &mut Usage::default()).await.unwrap();
    assert_eq!(turn.usage.cache_write_tokens, 250);
    // 350 at 3, 250 at 3.75, 400 at 0.3 and 20 at 15.
    assert_eq!(turn.usage.cost_micros, Some(2_408));
    go_on(&mut request, &turn);
    model.turn(&request, &mut Usage::default()).await.unwrap();
    model
        .turn(&json_question(), &mut Usage::default())
        .await
        .unwrap();
    let marks = |body: &Value| {
        let mut found = Vec::new();
        marked(body, "", &mut found);
        found
    };
    let bodies = asked();
    let first = ["/messages/0/content/0", "/system/0", "/tools/0"];
    assert_eq!(marks(&bodies[0]), first);
    let second = [
        "/messages/0/content/0",
        "/messages/2/content/0",
        "/system/0",
        "/tools/0",
    ];
    assert_eq!(marks(&bodies[1]), second);
    assert!(marks(&bodies[2]).is_empty(), "asked once");
}

#[tokio::test]
async fn a_model_without_schemas_is_asked_in_words_from_then_on() {
    let message = "output_config.format: not supported";
    for refusal in [
        anthropic::told(400, "invalid_request_error", message),
        anthropic::told(500, "internal_server_error", message),
    ] {
        let (model, asked) = answered(Anthropic, vec![refusal]);
        for _ in 0..2 {
            model
                .turn(&json_question(), &mut Usage::default())
                .await
                .unwrap();
        }
        let ways: Vec<(bool, usize)> = asked()
            .iter()
            .map(|body| {
                let system = body["system"].as_array().unwrap();
                (body["output_config"].is_object(), system.len())
            })
            .collect();
        assert_eq!(ways, [(true, 1), (false, 2), (false, 2)]);
    }
}

#[tokio::test]
async fn a_model_without_reasoning_is_no_longer_asked_for_it() {
    let message = "Encrypted content is not supported with this model.";
    let unsupported = responses::told(400, "invalid_value", message);
    let (model, asked) = answered(Responses, vec![unsupported]);
    for _ in 0..2 {
        model
            .turn(&question(), &mut Usage::default())
            .await
            .unwrap();
    }
    let bodies = asked();
    let ways: Vec<bool> = bodies.iter().map(|it| it["include"].is_array()).collect();
    assert_eq!(ways, [true, false, false]);
}

#[tokio::test]
async fn nothing_empty_is_sent_and_turns_alternate() {
    let scene = Scene::new(&Arc::new(Anthropic), &[Say::Text(&["Noon."])]).unwrap();
    let mut request = question();
    let nothing = Message::Assistant {
        text: " ".into(),
        tool_calls: [].into(),
    };
    request.messages.extend([nothing, Message::user("Well?")]);
    scene.turn(&request).await;
    let asked = scene.heard().pop().unwrap();
    let said = ["What time is it?", "Well?"].map(|it| Said::User(it.into()));
    assert_eq!(asked.messages[1..], said);
}
