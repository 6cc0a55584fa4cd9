//! The adapter over real HTTP: damaged answers, and endpoints with ways of their own.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod support;

use alfred_core::ports::{Finish, ModelError, Output};
use serde_json::{Value, json};
use std::sync::Arc;
use support::{
    bodies, json_answer, model, model_at, raw_server, request, sse, start, text_events, turn,
};
use wiremock::matchers::{body_partial_json, body_string_contains, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

async fn always(server: &MockServer, answer: ResponseTemplate) {
    Mock::given(method("POST"))
        .respond_with(answer)
        .mount(server)
        .await;
}

fn refusal(message: &str) -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({"error": {"message": message}}))
}

#[tokio::test]
async fn a_stream_cut_half_way_is_asked_for_again() {
    let half = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    let body = text_events(&["Hello"]);
    let whole = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let url = raw_server(vec![half.into(), whole]);
    let (model, clock) = model_at(&[(url, "mine:m")]);
    assert_eq!(turn(&model, &request()).await.unwrap().text, "Hello");
    assert_eq!(clock.waits().len(), 1);
}

#[tokio::test]
async fn a_stream_that_ends_early_without_an_error_is_cut_too() {
    let server = start().await;
    always(
        &server,
        sse("data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"),
    )
    .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(error.to_string().contains("cut"), "{error}");
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn damaged_answers_are_unusable_after_three_attempts() {
    for (body, words) in [
        (
            "data: {\"choices\":[{\"delta\"\n\ndata: [DONE]\n\n",
            "invalid JSON",
        ),
        ("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "no choices"),
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\n",
            "neither text nor tool calls",
        ),
        ("data: \u{1}\n\n", "invalid JSON"),
        ("", "cut"),
    ] {
        let server = start().await;
        always(&server, sse(body)).await;
        let (model, _) = model(&[(&server, "mine:m")]);
        let error = turn(&model, &request()).await.unwrap_err();
        assert!(
            matches!(error, ModelError::Unusable { .. }),
            "{body:?}: {error:?}"
        );
        assert!(error.to_string().contains(words), "{body:?}: {error}");
        assert_eq!(bodies(&server).await.len(), 3, "{body:?}");
    }
    let server = start().await;
    always(
        &server,
        ResponseTemplate::new(200).set_body_raw("{\"choices\":[{\"mess", "application/json"),
    )
    .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let error = turn(&model, &request()).await.unwrap_err();
    assert!(error.to_string().contains("invalid JSON"), "{error}");
}

#[tokio::test]
async fn limits_and_filters_are_finishes() {
    for (reason, finish) in [
        ("length", Finish::Length),
        ("content_filter", Finish::Filtered),
    ] {
        let server = start().await;
        let event = json!({"choices": [{"delta": {"content": "Once"}, "finish_reason": reason}]});
        always(&server, sse(&format!("data: {event}\n\ndata: [DONE]\n\n"))).await;
        let (model, _) = model(&[(&server, "mine:m")]);
        let turn = turn(&model, &request()).await.unwrap();
        assert_eq!((turn.finish, turn.text.as_str()), (finish, "Once"));
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_counts_as_its_status() {
    let server = start().await;
    let limited = "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n";
    Mock::given(method("POST"))
        .respond_with(sse(limited))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    always(&server, sse(&text_events(&["ok"]))).await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    assert_eq!(turn(&model, &request()).await.unwrap().text, "ok");
    assert_eq!(clock.waits().len(), 1);
}

#[tokio::test]
async fn done_without_a_reason_is_an_answer_and_so_is_a_reason_without_done() {
    for body in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\ndata: [DONE]\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n",
        ": hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n",
    ] {
        let server = start().await;
        always(&server, sse(body)).await;
        let (model, _) = model(&[(&server, "mine:m")]);
        assert_eq!(
            turn(&model, &request()).await.unwrap().text,
            "ok",
            "{body:?}"
        );
    }
}

#[tokio::test]
async fn events_under_another_content_type_are_read() {
    let server = start().await;
    always(
        &server,
        ResponseTemplate::new(200).set_body_raw(text_events(&["ok"]), "text/plain"),
    )
    .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    assert_eq!(turn(&model, &request()).await.unwrap().text, "ok");
}

#[tokio::test]
async fn the_other_name_of_the_output_limit_is_tried_once_and_remembered() {
    let server = start().await;
    Mock::given(body_string_contains("\"max_tokens\""))
        .respond_with(refusal(
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ))
        .mount(&server)
        .await;
    always(&server, sse(&text_events(&["ok"]))).await;
    let (model, clock) = model(&[(&server, "mine:m")]);
    turn(&model, &request()).await.unwrap();
    turn(&model, &request()).await.unwrap();
    let sent = bodies(&server).await;
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[1]["max_completion_tokens"], 500);
    assert_eq!(sent[2]["max_completion_tokens"], 500);
    assert!(clock.waits().is_empty());
}

#[tokio::test]
async fn an_endpoint_that_refuses_both_names_is_asked_twice_only() {
    let server = start().await;
    always(
        &server,
        refusal("max_tokens and max_completion_tokens are unknown"),
    )
    .await;
    let (model, _) = model(&[(&server, "mine:m")]);
    assert!(matches!(
        turn(&model, &request()).await,
        Err(ModelError::Refused { .. })
    ));
    assert_eq!(bodies(&server).await.len(), 2);
}

#[tokio::test]
async fn stream_options_are_left_out_where_they_are_refused() {
    let server = start().await;
    Mock::given(body_string_contains("stream_options"))
        .respond_with(refusal("extra fields not permitted: stream_options"))
        .mount(&server)
        .await;
    always(&server, sse(&text_events(&["ok"]))).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    assert_eq!(turn(&model, &request()).await.unwrap().text, "ok");
}

#[tokio::test]
async fn json_falls_back_from_schema_to_object_to_words() {
    let server = start().await;
    Mock::given(body_partial_json(
        json!({"response_format": {"type": "json_schema"}}),
    ))
    .respond_with(refusal("no"))
    .mount(&server)
    .await;
    Mock::given(body_partial_json(
        json!({"response_format": {"type": "json_object"}}),
    ))
    .respond_with(refusal("no"))
    .mount(&server)
    .await;
    always(&server, sse(&text_events(&["{\\\"result\\\": true}"]))).await;
    let (model, _) = model(&[(&server, "mine:m")]);
    let mut request = request();
    request.tools = Arc::new([]);
    request.output = Output::Json {
        name: "predicate",
        schema: json!({"type": "object", "properties": {"result": {"type": "boolean"}},
            "required": ["result"], "additionalProperties": false}),
    };
    assert_eq!(
        turn(&model, &request).await.unwrap().text,
        "{\"result\": true}"
    );
    turn(&model, &request).await.unwrap();
    let sent = bodies(&server).await;
    assert_eq!(sent.len(), 4, "the last way is remembered");
    assert_eq!(sent[0]["response_format"]["json_schema"]["strict"], true);
    let words = sent[2]["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(sent[2]["response_format"], Value::Null);
    assert!(words["content"].as_str().unwrap().contains("\"result\""));
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
    always(&server, json_answer(json!({"content": "ok"}))).await;
    let settings = format!("{}/v1", server.uri());
    let model = alfred_services::model::from_settings(
        |name| (name == "ALFRED_MODEL_URL").then(|| settings.clone()),
        Arc::new(support::RecordingClock::default()),
    )
    .unwrap();
    assert_eq!(model.name(), "custom:(first offered)");
    for _ in 0..2 {
        let turn = model.turn(&request(), &mut |_| {}).await.unwrap();
        assert_eq!(turn.model, "custom:qwen3:8b");
    }
    assert_eq!(model.name(), "custom:qwen3:8b");
}

#[tokio::test]
async fn ten_calls_share_one_connection() {
    let (url, connections) = support::counting_server(text_events(&["ok"]));
    let (model, _) = model_at(&[(url, "mine:m")]);
    for _ in 0..10 {
        turn(&model, &request()).await.unwrap();
    }
    assert_eq!(connections.load(std::sync::atomic::Ordering::SeqCst), 1);
}
