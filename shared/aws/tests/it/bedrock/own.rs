//! What is Bedrock's own: marks of the cache, ways that a model refuses, errors of an account.

use alfred_core::ports::{Model, ModelError, Output, TurnRequest, Usage};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::model::{Say, go_on, question};
use alfred_testkit::stand_in::{self, Reply};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

use super::stream::{error, reply};
use super::{CLAUDE, model};

/// A model that is answered with these in turn, then with noon; and what it was asked.
fn answered(id: &str, replies: Vec<Reply>) -> (Arc<dyn Model>, Arc<Mutex<Vec<Value>>>) {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let (noted, mut replies) = (bodies.clone(), replies.into_iter());
    let url = stand_in::serve(move |asked| {
        noted.lock().unwrap().push(asked.json());
        let noon = || reply(&Say::Text(&["{\"result\":true}"]));
        replies.next().unwrap_or_else(noon)
    });
    (model(&url, id, Arc::new(ManualClock::default())), bodies)
}

/// Where a request is cached up to: behind the system prompt, the tools, each message.
fn marks(body: &Value) -> Vec<&'static str> {
    let marked = |list: &Value| {
        let last = list.as_array().and_then(|list| list.last());
        last.is_some_and(|it| it.get("cachePoint").is_some())
    };
    let messages = body["messages"].as_array().unwrap().iter();
    let messages = messages.map(|it| ("message", marked(&it["content"])));
    [
        ("system", marked(&body["system"])),
        ("tools", marked(&body["toolConfig"]["tools"])),
    ]
    .into_iter()
    .chain(messages)
    .filter_map(|(name, marked)| marked.then_some(name))
    .collect()
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

#[tokio::test]
async fn what_is_cached_is_what_the_model_takes() {
    let call = || reply(&Say::Calls("", &[("toolu_1", "time_now", &["{}"])]));
    let all = ["system", "tools", "message", "message"];
    for (id, first, later) in [
        (CLAUDE, &all[..3], &all[..]),
        (
            "amazon.nova-pro-v1:0",
            &["system", "message"],
            &["system", "message", "message"],
        ),
        ("meta.llama4-maverick-17b-instruct-v1:0", &[], &[]),
    ] {
        let (model, bodies) = answered(id, vec![call()]);
        let mut request = question();
        let turn = model.turn(&request, &mut Usage::default()).await.unwrap();
        go_on(&mut request, &turn);
        model.turn(&request, &mut Usage::default()).await.unwrap();
        let bodies = bodies.lock().unwrap();
        assert_eq!(marks(&bodies[0]), first, "{id}");
        assert_eq!(marks(&bodies[1]), later, "{id}");
    }
    let (model, bodies) = answered(CLAUDE, vec![]);
    model
        .turn(&json_question(), &mut Usage::default())
        .await
        .unwrap();
    assert!(marks(&bodies.lock().unwrap()[0]).is_empty());
}

#[tokio::test]
async fn what_a_model_refuses_is_said_differently_from_then_on() {
    let tools = "Malformed input request: #/toolConfig/tools/1: extraneous key [cachePoint] is not permitted";
    let caching = "You invoked an unsupported model or your request did not allow prompt caching.";
    let refusals = vec![
        error(400, "ValidationException", tools),
        error(403, "AccessDeniedException", caching),
    ];
    let (model, bodies) = answered(CLAUDE, refusals);
    for _ in 0..2 {
        model
            .turn(&question(), &mut Usage::default())
            .await
            .unwrap();
    }
    let bodies = bodies.lock().unwrap().clone();
    let asked: Vec<usize> = bodies.iter().map(|body| marks(body).len()).collect();
    assert_eq!(asked, [3, 2, 0, 0]);

    let schema = "This model doesn't support the outputConfig field.";
    let refusals = vec![error(400, "ValidationException", schema)];
    let (model, bodies) = answered("meta.llama4-maverick-17b-instruct-v1:0", refusals);
    for _ in 0..2 {
        model
            .turn(&json_question(), &mut Usage::default())
            .await
            .unwrap();
    }
    let bodies = bodies.lock().unwrap();
    let asked: Vec<(bool, usize)> = bodies
        .iter()
        .map(|body| {
            (
                body["outputConfig"].is_object(),
                body["system"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(asked, [(true, 1), (false, 2), (false, 2)]);
}

#[tokio::test]
async fn a_turn_has_its_price() {
    let (model, _) = answered(CLAUDE, vec![]);
    let turn = model
        .turn(&question(), &mut Usage::default())
        .await
        .unwrap();
    assert_eq!(turn.usage.cache_write_tokens, 250);
    // 350 at 3, 250 at 3.75, 400 at 0.3 and 20 at 15; a tenth more by a region's profile.
    assert_eq!(turn.usage.cost_micros, Some(2_649));
}

#[tokio::test]
async fn an_account_without_the_model_is_told_what_to_check() {
    for (status, name, message) in [
        (
            403,
            "AccessDeniedException",
            "You don't have access to the model with the specified model ID.",
        ),
        (
            404,
            "ResourceNotFoundException",
            "This Model is marked by provider as Legacy.",
        ),
        (
            400,
            "ValidationException",
            "Invocation of model ID x with on-demand throughput isn\u{2019}t supported.",
        ),
    ] {
        let (model, bodies) = answered(CLAUDE, vec![error(status, name, message)]);
        let failed = model
            .turn(&question(), &mut Usage::default())
            .await
            .unwrap_err();
        assert!(matches!(failed, ModelError::Refused { .. }), "{failed:?}");
        let text = failed.to_string();
        assert!(text.contains("check") && text.contains(name), "{text}");
        assert!(!text.contains(message), "{text}");
        assert_eq!(bodies.lock().unwrap().len(), 1);
    }
}
