//! The adapter over real HTTP: what it sends, and a list of models. What one endpoint may answer
//! stands in `model_conformance`.

use crate::support;

use alfred_core::ports::{Finish, InputFile, Message, Model, ModelError, SystemClock, Usage};
use alfred_models::{Open, WithOthers, by_name};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{bodies, json_answer, model, request, sse, start, text_events, turn};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, ResponseTemplate};

/// Answers with these in turn; the last one again and again.
async fn in_turn(server: &wiremock::MockServer, answers: Vec<ResponseTemplate>) {
    let last = answers.len() - 1;
    for (place, answer) in answers.into_iter().enumerate() {
        let mock = Mock::given(path("/v1/chat/completions")).respond_with(answer);
        if place == last {
            mock.mount(server).await;
        } else {
            mock.up_to_n_times(1).mount(server).await;
        }
    }
}

fn status(code: u16) -> ResponseTemplate {
    ResponseTemplate::new(code).set_body_json(json!({"error": {"message": "no", "code": null}}))
}

#[tokio::test]
async fn a_streamed_answer_has_its_cost() {
    let server = start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer k"))
        .respond_with(sse(&text_events(&["Hel", "lo"])))
        .mount(&server)
        .await;
    let (model, _) = model(&[(&server, "openai:gpt-5.2")]);
    let turn = turn(&model, &request()).await.unwrap();
    assert_eq!((turn.text.as_str(), turn.finish), ("Hello", Finish::Stop));
    assert_eq!(turn.model, "openai:gpt-5.2");
    assert_eq!(turn.usage.cached_tokens, 4);
    assert_eq!(turn.usage.cost_micros, Some(82));
    let body = &bodies(&server).await[0];
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!(body["tools"][0]["function"]["name"], "time_now");
    assert_eq!(
        (&body["max_tokens"], &body["max_completion_tokens"]),
        (&json!(500), &Value::Null)
    );
}

#[tokio::test]
async fn the_conversation_is_sent_as_the_reference_says() {
    let server = start().await;
    in_turn(&server, vec![sse(&text_events(&["ok"]))]).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    turn(&model, &support::with_history()).await.unwrap();
    assert_eq!(
        bodies(&server).await[0]["messages"],
        json!([
            {"role": "system", "content": "Be Alfred."},
            {"role": "user", "content": "Time?"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "time_now", "arguments": "{}"}}]},
            {"role": "tool", "content": "{\"success\":true}", "tool_call_id": "c1"},
        ])
    );
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_then_unavailable() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (model, clock) = support::model_at(&[(format!("http://127.0.0.1:{port}/v1"), "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(
        matches!(&error, ModelError::Unavailable { .. }),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "model unavailable: mine:m: can't connect"
    );
    assert_eq!(clock.waits().len(), 2);
}

#[tokio::test]
async fn a_model_that_hangs_leaves_the_next_its_share() {
    let (slow, quick) = (start().await, start().await);
    in_turn(
        &slow,
        vec![sse(&text_events(&["late"])).set_delay(Duration::from_secs(60))],
    )
    .await;
    in_turn(&quick, vec![sse(&text_events(&["here"]))]).await;
    let (model, _) = model(&[(&slow, "a:m"), (&quick, "b:m")]);
    let mut request = request();
    // Half of it is ten times what the second one needs on a busy machine.
    request.timeout = Duration::from_secs(6);
    assert_eq!(turn(&model, &request).await.unwrap().model, "b:m");
}

#[tokio::test]
async fn the_next_model_is_asked_after_these_and_not_after_a_conversation_too_long() {
    for (answer, asked) in [
        (status(401), true),
        (status(403), true),
        (status(404), true),
        (status(503), true),
        (sse("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), true),
        (status(400), false),
        (context_length(), false),
    ] {
        let (first, second) = (start().await, start().await);
        in_turn(&first, vec![answer]).await;
        in_turn(&second, vec![sse(&text_events(&["second"]))]).await;
        let (model, _) = model(&[(&first, "a:m"), (&second, "b:m")]);
        let got = turn(&model, &request()).await;
        assert_eq!(bodies(&second).await.len(), usize::from(asked), "{got:?}");
        assert_eq!(got.is_ok(), asked, "{got:?}");
    }
}

fn context_length() -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({"error":
        {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}}))
}

#[tokio::test]
async fn of_several_failures_the_one_to_wait_for_is_told() {
    let (first, second) = (start().await, start().await);
    in_turn(&first, vec![status(429).insert_header("retry-after", "40")]).await;
    in_turn(&second, vec![status(401)]).await;
    let (model, _) = model(&[(&first, "a:m"), (&second, "b:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(
        matches!(
            error,
            ModelError::RateLimited {
                retry_after: Some(_),
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn without_a_name_the_endpoints_first_model_is_taken() {
    let server = start().await;
    Mock::given(method("GET"))
        .and(path("/v1/models"))
        .respond_with(
            ResponseTemplate::new(200).set_body_json(json!({"data": [{"id": "qwen3:8b"}]})),
        )
        .expect(1)
        .mount(&server)
        .await;
    in_turn(&server, vec![json_answer(json!({"content": "ok"}))]).await;
    let settings = format!("{}/v1", server.uri());
    let model = alfred_models::from_settings(
        |name| (name == "ALFRED_MODEL_URL").then(|| settings.clone()),
        None,
        Arc::new(support::RecordingClock::default()),
    )
    .unwrap();
    assert_eq!(model.name(), "custom:(first offered)");
    for _ in 0..2 {
        let turn = model.turn(&request(), &mut Usage::default()).await.unwrap();
        assert_eq!(turn.model, "custom:qwen3:8b");
    }
    assert_eq!(model.name(), "custom:qwen3:8b");
}

#[tokio::test]
async fn a_set_context_limits_the_answer_and_refuses_what_does_not_fit() {
    let server = start().await;
    in_turn(&server, vec![json_answer(json!({"content": "ok"}))]).await;
    let url = format!("{}/v1", server.uri());
    for (context, limit) in [("600", Some(500)), ("500", Some(404)), ("300", None)] {
        let settings = |name: &str| match name {
            "ALFRED_MODEL_URL" => Some(url.clone()),
            "ALFRED_MODEL_CONTEXT" => Some(context.to_owned()),
            _ => None,
        };
        let clock = Arc::new(support::RecordingClock::default());
        let model = by_name("mine:m", settings, None, clock).unwrap();
        let turn = model.turn(&request(), &mut Usage::default()).await;
        let Some(limit) = limit else {
            assert!(matches!(turn, Err(ModelError::TooLong { .. })), "{turn:?}");
            continue;
        };
        turn.unwrap();
        let asked = bodies(&server).await.pop().unwrap();
        assert_eq!(asked["max_tokens"], limit, "{context}");
    }
}

#[tokio::test]
async fn a_picture_counts_as_what_is_seen_of_it_and_not_as_its_length() {
    let server = start().await;
    let counted = text_events(&["A cat."]);
    let uncounted = counted.replace("\"usage\"", "\"other\"");
    in_turn(&server, vec![sse(&counted), sse(&uncounted)]).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let mut request = request();
    let cat = InputFile {
        name: "cat.png".into(),
        media_type: "image/png".into(),
        base64: "A".repeat(400_000).into(),
    };
    request.messages.push(Message::Files {
        files: [cat].into(),
    });
    let read = turn(&model, &request).await.unwrap().usage.input_tokens;
    assert_eq!(read, 42, "so few were counted and nothing was cut");
    let read = turn(&model, &request).await.unwrap().usage.input_tokens;
    assert!((2_000..3_000).contains(&read), "{read}");
}

#[tokio::test]
async fn ten_calls_share_one_connection() {
    let (url, connections) = support::counting_server(text_events(&["ok"]));
    let (model, _) = support::model_at(&[(url, "mine:m")]);
    for _ in 0..10 {
        turn(&model, &request()).await.unwrap();
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// Opens models behind a URL, or at their own addresses without any key.
struct ByUrl {
    url: Option<String>,
    opened: Arc<AtomicUsize>,
}

#[async_trait]
impl Open for ByUrl {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let lookup = |name: &str| self.url.clone().filter(|_| name == "ALFRED_MODEL_URL");
        let opened = by_name(name, lookup, None, Arc::new(SystemClock));
        opened.map_err(|error| ModelError::Refused {
            detail: error.to_string(),
        })
    }
}

#[tokio::test]
async fn a_model_that_is_named_is_opened_by_its_first_turn_and_counted_at_its_own_price() {
    let server = start().await;
    in_turn(&server, vec![sse(&text_events(&["ok"]))]).await;
    let read = Usage {
        input_tokens: 1_000_000,
        ..Usage::default()
    };
    for (url, name, price, refused) in [
        (true, "openai:gpt-5-mini", Some(250_000), None),
        (true, "mine:two", None, None),
        (
            false,
            "anthropic:claude-haiku-4-5",
            Some(1_000_000),
            Some("set ANTHROPIC_API_KEY"),
        ),
        (false, "mine:two", None, Some("set ALFRED_MODEL_URL")),
    ] {
        let (own, _) = model(&[(&server, "openai:gpt-5.2")]);
        let opened = Arc::new(AtomicUsize::default());
        let open = ByUrl {
            url: url.then(|| format!("{}/v1", server.uri())),
            opened: opened.clone(),
        };
        let model = WithOthers::new(Arc::new(own), open);
        let named = model.named(name).unwrap();
        assert_eq!(
            (named.name().as_str(), named.costs_at_most(&read)),
            (name, price)
        );
        assert_eq!(opened.load(Ordering::SeqCst), 0, "{name}");
        for _ in 0..2 {
            let named = model.named(name).unwrap();
            match (named.turn(&request(), &mut Usage::default()).await, refused) {
                (Ok(turn), None) => {
                    assert_eq!(
                        (turn.model.as_str(), turn.usage.cost_micros.is_some()),
                        (name, price.is_some())
                    );
                    let asked = bodies(&server).await.pop().unwrap();
                    assert_eq!(
                        Some(asked["model"].as_str().unwrap()),
                        name.split(':').nth(1)
                    );
                }
                (Err(ModelError::Refused { detail }), Some(why)) => {
                    assert!(detail.contains(why), "{detail}");
                }
                (answer, _) => panic!("{name}: {answer:?}"),
            }
        }
        // What failed is tried again: a key may be there by then.
        let times = if refused.is_some() { 2 } else { 1 };
        assert_eq!(opened.load(Ordering::SeqCst), times, "{name}");
        let turn = model.turn(&request(), &mut Usage::default()).await.unwrap();
        assert_eq!(turn.model, "openai:gpt-5.2");
    }
}
