//! The adapter over real HTTP: what it sends, and a list of models. What one endpoint may answer
//! stands in `model_conformance`.

use crate::support;

use alfred_core::ports::{Clock, InputFile, Message, Model, ModelError, SystemClock, Usage};
use alfred_models::{Open, WithOthers, by_name};
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::{End, Reply};
use async_trait::async_trait;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use support::{
    flooding_server, in_turn, model, model_at, request, says, serving, sse, text_events, turn,
};

fn status(code: u16) -> Reply {
    let body = json!({"error": {"message": "no", "code": null}});
    Reply::new(code, "application/json", body.to_string())
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_then_unavailable() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let clock = ManualClock::default();
    let url = format!("http://{free}/v1");
    let error = turn(&model_at(&[(&url, "mine:m")], &clock), &request()).await;
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "model unavailable: mine:m: can't connect");
    let waited = Duration::try_from(clock.now() - ManualClock::default().now()).unwrap();
    // Two pauses: between half and all of 0.5 s and 1 s.
    let pauses = Duration::from_millis(750)..=Duration::from_millis(1_500);
    assert!(pauses.contains(&waited), "{waited:?}");
}

#[tokio::test]
async fn a_model_that_hangs_leaves_the_next_its_share() {
    let hanging = Reply {
        end: End::Hanging,
        ..sse("")
    };
    let ((slow, _), (quick, _)) = (in_turn(vec![hanging]), in_turn(vec![says("here")]));
    let model = model_at(&[(&slow, "a:m"), (&quick, "b:m")], &ManualClock::default());
    let mut request = request();
    // Half of it is ten times what the second one needs on a busy machine.
    request.timeout = Duration::from_secs(6);
    assert_eq!(turn(&model, &request).await.unwrap().model, "b:m");
}

#[tokio::test]
async fn the_next_model_is_asked_unless_it_would_refuse_the_same() {
    let too_long = json!({"error": {"message": "no", "code": "context_length_exceeded"}});
    for (answer, is_asked) in [
        (status(401), true),
        (status(403), true),
        (status(404), true),
        (status(503), true),
        (sse("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), true),
        (status(400), false),
        (
            Reply::new(400, "application/json", too_long.to_string()),
            false,
        ),
    ] {
        let ((first, _), (second, asked)) = (in_turn(vec![answer]), in_turn(vec![says("second")]));
        let model = model_at(
            &[(&first, "a:m"), (&second, "b:m")],
            &ManualClock::default(),
        );
        let got = turn(&model, &request()).await;
        assert_eq!(
            asked.lock().unwrap().len(),
            usize::from(is_asked),
            "{got:?}"
        );
        assert_eq!(got.is_ok(), is_asked, "{got:?}");
    }
}

#[tokio::test]
async fn of_several_failures_the_one_to_wait_for_is_told() {
    let (first, _) = in_turn(vec![status(429).with("retry-after", "40")]);
    let (second, _) = in_turn(vec![status(401)]);
    let model = model_at(
        &[(&first, "a:m"), (&second, "b:m")],
        &ManualClock::default(),
    );
    let error = turn(&model, &request()).await.unwrap_err();
    let after = Some(Duration::from_secs(40));
    assert!(matches!(error, ModelError::RateLimited { retry_after, .. } if retry_after == after));
}

#[tokio::test]
async fn without_a_name_the_endpoints_first_model_is_taken() {
    let (url, asked) = serving(|asked| match &*asked.path {
        "/v1/models" => Reply::new(200, "application/json", r#"{"data":[{"id":"qwen3:8b"}]}"#),
        _ => says("ok"),
    });
    let lookup = |name: &str| (name == "ALFRED_MODEL_URL").then(|| url.clone());
    let model = alfred_models::from_settings(lookup, None, Arc::new(SystemClock)).unwrap();
    assert_eq!(model.name(), "custom:(first offered)");
    for _ in 0..2 {
        let turn = turn(&*model, &request()).await.unwrap();
        assert_eq!(turn.model, "custom:qwen3:8b");
    }
    assert_eq!(model.name(), "custom:qwen3:8b");
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_set_context_limits_the_answer_and_refuses_what_does_not_fit() {
    let (url, asked) = in_turn(vec![says("ok")]);
    let mut request = request();
    for (context, wanted, limit) in [
        ("600", 500, Some(500)),
        ("500", 500, Some(404)),
        ("300", 500, None),
        ("300", 200, Some(200)),
    ] {
        request.max_output_tokens = wanted;
        let settings = |name: &str| match name {
            "ALFRED_MODEL_URL" => Some(url.clone()),
            "ALFRED_MODEL_CONTEXT" => Some(context.to_owned()),
            _ => None,
        };
        let model = by_name("mine:m", settings, None, Arc::new(SystemClock)).unwrap();
        let turn = turn(&*model, &request).await;
        let Some(limit) = limit else {
            assert!(matches!(turn, Err(ModelError::TooLong { .. })), "{turn:?}");
            continue;
        };
        turn.unwrap();
        let asked = asked.lock().unwrap().pop().unwrap().json();
        assert_eq!(asked["max_tokens"], limit, "{context}");
    }
}

#[tokio::test]
async fn a_picture_counts_as_what_is_seen_of_it_and_not_as_its_length() {
    let counted = text_events("A cat.");
    let uncounted = counted.replace("\"usage\"", "\"other\"");
    let (url, _) = in_turn(vec![sse(counted), sse(uncounted)]);
    let model = model(&url, "mine:m");
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
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let body = text_events("ok");
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes();
    let length = chunks.len();
    let (url, connections) = flooding_server(head, chunks, length);
    let model = model(&url, "mine:m");
    for _ in 0..10 {
        turn(&model, &request()).await.unwrap();
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

/// Opens models at a server, once its address is known.
#[derive(Clone, Default)]
struct AtServer {
    url: Arc<OnceLock<String>>,
    opened: Arc<AtomicUsize>,
}

#[async_trait]
impl Open for AtServer {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let url = self.url.get().cloned();
        let lookup = |name: &str| url.clone().filter(|_| name == "ALFRED_MODEL_URL");
        let opened = by_name(name, lookup, None, Arc::new(SystemClock));
        opened.map_err(|error| ModelError::Refused {
            detail: error.to_string(),
        })
    }
}

#[tokio::test]
async fn a_named_model_is_opened_once_by_its_first_turn_and_again_after_a_failure() {
    let (url, asked) = in_turn(vec![says("ok")]);
    let open = AtServer::default();
    let model = WithOthers::new(Arc::new(model(&url, "openai:gpt-5.2")), open.clone());
    let named = |name| model.named(name).unwrap();
    let mini = "openai:gpt-5-mini";
    assert_eq!(named(mini).name(), mini);
    let read = Usage {
        input_tokens: 1_000_000,
        ..Usage::default()
    };
    assert_eq!(model.costs_at_most(&read), Some(1_750_000));
    assert_eq!(named(mini).costs_at_most(&read), Some(250_000));
    assert_eq!(named("mine:two").costs_at_most(&read), None);
    assert_eq!(open.opened.load(Ordering::SeqCst), 0);
    let failed = turn(&*named(mini), &request()).await.unwrap_err();
    assert!(
        failed.to_string().contains("set OPENAI_API_KEY"),
        "{failed}"
    );
    // A key or an address may be there by then.
    open.url.set(url).unwrap();
    for _ in 0..2 {
        let turn = turn(&*named(mini), &request()).await.unwrap();
        assert_eq!(turn.model, mini);
    }
    assert_eq!(open.opened.load(Ordering::SeqCst), 2);
    assert_eq!(asked.lock().unwrap()[0].json()["model"], "gpt-5-mini");
    let own = turn(&model, &request()).await.unwrap();
    assert_eq!(own.model, "openai:gpt-5.2");
}
