//! The adapter over real HTTP: each way an endpoint can answer has one outcome.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod support;

use alfred_core::ports::{Delta, Finish, Model, ModelError};
use serde_json::{Value, json};
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
async fn a_streamed_answer_arrives_piece_by_piece_with_its_cost() {
    let server = start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer k"))
        .respond_with(sse(&text_events(&["Hel", "lo"])))
        .mount(&server)
        .await;
    let (model, _) = model(&[(&server, "openai:gpt-5.2")]);
    let mut seen = Vec::new();
    let turn = model
        .turn(&request(), &mut |delta| seen.push(delta))
        .await
        .unwrap();
    assert_eq!(seen, [Delta::Text("Hel".into()), Delta::Text("lo".into())]);
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
async fn a_plain_json_answer_to_a_streamed_request_is_taken() {
    let server = start().await;
    let message = json!({"role": "assistant", "content": null, "tool_calls": [
        {"function": {"name": "time_now", "arguments": {"timezone": "Asia/Tokyo"}}}]});
    in_turn(&server, vec![json_answer(message)]).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let turn = turn(&model, &request()).await.unwrap();
    assert_eq!(turn.finish, Finish::ToolCalls);
    assert_eq!(
        turn.tool_calls[0].arguments,
        "{\"timezone\":\"Asia/Tokyo\"}"
    );
    assert!(!turn.tool_calls[0].id.is_empty());
    assert_eq!(turn.usage.cost_micros, None);
    assert!(turn.usage.input_tokens > 0);
}

#[tokio::test]
async fn broken_arguments_of_a_tool_call_are_passed_on_as_they_are() {
    let server = start().await;
    let message = json!({"tool_calls": [{"id": "c1", "function": {"name": "time_now", "arguments": "{\"timezone\":"}}]});
    in_turn(&server, vec![json_answer(message)]).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let turn = turn(&model, &request()).await.unwrap();
    assert_eq!(turn.tool_calls[0].arguments, "{\"timezone\":");
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
async fn the_time_limit_bounds_everything() {
    let server = start().await;
    in_turn(
        &server,
        vec![sse(&text_events(&["late"])).set_delay(Duration::from_secs(60))],
    )
    .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let mut request = request();
    request.timeout = Duration::from_millis(80);
    let error = turn(&model, &request).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error:?}");
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
    request.timeout = Duration::from_millis(600);
    assert_eq!(turn(&model, &request).await.unwrap().model, "b:m");
}

#[tokio::test]
async fn retry_after_in_seconds_is_waited_for() {
    let server = start().await;
    let limited = status(429).insert_header("retry-after", "7");
    in_turn(&server, vec![limited, sse(&text_events(&["ok"]))]).await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    assert_eq!(turn(&model, &request()).await.unwrap().text, "ok");
    assert_eq!(clock.waits(), [Duration::from_secs(7)]);
}

#[tokio::test]
async fn retry_after_as_a_date_is_waited_for() {
    let server = start().await;
    let limited = status(429).insert_header("retry-after", "Sat, 21 Nov 2026 09:00:11 GMT");
    in_turn(&server, vec![limited, sse(&text_events(&["ok"]))]).await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    turn(&model, &request()).await.unwrap();
    assert_eq!(clock.waits(), [Duration::from_secs(11)]);
}

#[tokio::test]
async fn a_wait_that_is_too_long_goes_back_to_the_caller() {
    for (seconds, limit) in [("21", 60), ("9", 8)] {
        let server = start().await;
        in_turn(
            &server,
            vec![status(429).insert_header("retry-after", seconds)],
        )
        .await;
        let (model, clock) = model(&[(&server, "mine:m")]);
        let mut request = request();
        request.timeout = Duration::from_secs(limit);
        let error = turn(&model, &request).await.unwrap_err();
        let expected = Some(Duration::from_secs(seconds.parse().unwrap()));
        assert!(
            matches!(&error, ModelError::RateLimited { retry_after, .. } if *retry_after == expected),
            "{error:?}"
        );
        assert!(clock.waits().is_empty());
    }
}

#[tokio::test]
async fn too_many_requests_without_a_time_is_tried_three_times() {
    let server = start().await;
    in_turn(&server, vec![status(429)]).await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(
        matches!(
            error,
            ModelError::RateLimited {
                retry_after: None,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(bodies(&server).await.len(), 3);
    let waits = clock.waits();
    let between = |wait: Duration, low: u64, high: u64| {
        (Duration::from_millis(low)..=Duration::from_millis(high)).contains(&wait)
    };
    assert!(
        between(waits[0], 250, 500) && between(waits[1], 500, 1000),
        "{waits:?}"
    );
}

#[tokio::test]
async fn server_errors_are_tried_again() {
    for code in [500, 502, 503, 529, 408] {
        let server = start().await;
        in_turn(
            &server,
            vec![status(code), status(code), sse(&text_events(&["ok"]))],
        )
        .await;
        let (model, _) = model(&[(&server, "mine:m")]);
        assert_eq!(turn(&model, &request()).await.unwrap().text, "ok", "{code}");
    }
    let server = start().await;
    in_turn(&server, vec![status(503)]).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn a_refusal_is_final_at_its_endpoint_and_names_no_secret() {
    for code in [400, 401, 403, 404] {
        let server = start().await;
        let body = json!({"error": {"message": "key k is wrong for: Time?", "code": "nope"}});
        in_turn(
            &server,
            vec![ResponseTemplate::new(code).set_body_json(body)],
        )
        .await;
        let (model, clock) = model(&[(&server, "mine:m")]);
        let error = turn(&model, &request()).await.unwrap_err();
        assert!(
            matches!(error, ModelError::Refused { .. }),
            "{code}: {error:?}"
        );
        let text = format!("{error:?}");
        assert!(!text.contains("Time?") && !text.contains("key k"), "{text}");
        assert!(text.contains("nope"), "{text}");
        assert_eq!(
            (bodies(&server).await.len(), clock.waits().len()),
            (1, 0),
            "{code}"
        );
    }
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
async fn a_conversation_too_long_is_known_in_each_providers_words() {
    for (code, message) in [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        ),
        (
            400,
            "'max_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 1200 input tokens",
        ),
        (
            400,
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        ),
        (
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (
            400,
            "Please reduce the length of the messages or completion.",
        ),
        (400, "Input is too long for requested model."),
        (413, "Request too large for model"),
    ] {
        let server = start().await;
        let body = json!({"error": {"message": message}});
        in_turn(
            &server,
            vec![ResponseTemplate::new(code).set_body_json(body)],
        )
        .await;
        let (model, _) = model(&[(&server, "mine:m")]);
        let error = turn(&model, &request()).await.unwrap_err();
        assert!(
            matches!(error, ModelError::TooLong { .. }),
            "{message}: {error:?}"
        );
    }
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
async fn an_account_without_credit_is_not_waited_for() {
    let server = start().await;
    let broke = json!({"error": {"message": "no", "type": "insufficient_quota", "code": "insufficient_quota"}});
    in_turn(
        &server,
        vec![ResponseTemplate::new(429).set_body_json(broke)],
    )
    .await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(error.to_string().contains("no credit"), "{error}");
    assert!(clock.waits().is_empty());
}
