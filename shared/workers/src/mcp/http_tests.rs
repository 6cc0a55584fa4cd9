//! Servers over HTTP: the current revision without sessions, and earlier ones.

use super::tests::{described, server, with_variable};
use super::*;
use crate::mcp::Host;
use alfred_testkit::wait::out_of_time;
use alfred_testkit::{LIMIT, eventually};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::{Arc, Mutex};

/// A local server with the behaviour of `mode`, which records its requests.
struct Shop {
    mode: &'static str,
    url: String,
    seen: Seen,
}

type Seen = Arc<Mutex<Vec<(Value, String)>>>;

async fn shop(mode: &'static str) -> Shop {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let seen = Seen::default();
    let state = (mode, seen.clone());
    let app = Router::new().fallback(answer).with_state(state);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Shop { mode, url, seen }
}

async fn answer(
    State((mode, seen)): State<(&'static str, Seen)>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let key = headers.get(header::AUTHORIZATION);
    let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default();
    seen.lock().unwrap().push((asked.clone(), key.to_owned()));
    let result = match (mode, asked["method"].as_str().unwrap_or_default()) {
        ("refuses", _) => return (StatusCode::UNAUTHORIZED, "who are you").into_response(),
        ("silent", _) => std::future::pending().await,
        ("silent-call", "tools/call") => std::future::pending().await,
        ("before", "server/discover") => {
            let error = json!({"code": -32601, "message": "no such method"});
            return said(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}));
        }
        (_, "server/discover") => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
            "capabilities": {"tools": {}}, "cacheScope": "private",
        }),
        (_, "initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "shop", "version": "1"},
        }),
        ("vast", "tools/list") => json!({"tools": [], "x": "x".repeat(5 << 20)}),
        (_, "tools/list") => json!({
            "resultType": "complete",
            "tools": [{"name": "look.up", "inputSchema": {"type": "object"}}],
        }),
        (_, "tools/call") => json!({
            "resultType": "complete", "content": [], "structuredContent": {"tea": 3},
        }),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    said(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
}

fn said(message: &Value) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, message.to_string()).into_response()
}

impl Shop {
    fn settings(&self) -> Value {
        json!({"url": self.url, "headers": {"Authorization": "Bearer ${MCP_KEY}"}})
    }

    fn sent(&self, method: &str) -> Vec<(Value, String)> {
        let seen = self.seen.lock().unwrap();
        let of = seen.iter().filter(|(asked, _)| asked["method"] == method);
        of.cloned().collect()
    }
}

fn host() -> Host {
    with_variable(|_| Some("sesame".into()))
}

#[tokio::test]
async fn both_revisions_are_spoken_and_key_and_secret_go_along() {
    for (mode, handshakes) in [("today", 0), ("before", 1)] {
        let (shop, host) = (shop(mode).await, host());
        let server = server(shop.settings(), &host);
        let known = described(shop.settings(), &host).await.unwrap();
        assert_eq!(shop.sent("initialize").len(), handshakes, "{}", shop.mode);
        let answer = call(&server, "look.up", &known, Map::new(), "run_1:c1").await;
        assert_eq!(answer.unwrap().text, "{\"tea\":3}");
        let calls = shop.sent("tools/call");
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].0["params"]["_meta"][KEY], "run_1:c1");
        assert_eq!(calls[0].1, "Bearer sesame");
    }
}

#[tokio::test]
async fn an_address_that_gives_nothing_usable_is_a_typed_error_without_the_secret() {
    for (mode, expected) in [
        ("refuses", "s isn't reached, or speaks no MCP: "),
        ("vast", "s isn't reached, or speaks no MCP: "),
        ("silent", "s didn't answer within 0 s"),
    ] {
        let mut host = host();
        if mode == "silent" {
            host.limits.learn = Duration::from_millis(400);
        }
        let shop = shop(mode).await;
        let said = described(shop.settings(), &host).await.unwrap_err();
        assert!(said.starts_with(expected), "{mode}: {said}");
        assert!(!said.contains("sesame"), "{said}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = shop("today").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let to = elsewhere.url.clone();
    let moved = move || async move { (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]) };
    let app = Router::new().fallback(moved);
    tokio::spawn(async move { axum::serve(listener, app).await });
    let settings = json!({"url": url, "headers": {"Authorization": "Bearer ${MCP_KEY}"}});
    assert!(described(settings, &host()).await.is_err());
    assert!(elsewhere.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_call_without_an_answer_may_have_happened() {
    let host = host();
    let shop = shop("silent-call").await;
    let known = described(shop.settings(), &host).await.unwrap();
    let server = server(shop.settings(), &host);
    let reached = eventually(LIMIT, "the call at the server", async || {
        (!shop.sent("tools/call").is_empty()).then_some(())
    });
    let called = call(&server, "look.up", &known, Map::new(), "k");
    let (answer, ()) = out_of_time(reached, called).await;
    assert!(matches!(answer, Err(CallError::Unknown(_))), "{answer:?}");
    assert_eq!(shop.sent("tools/call").len(), 1);
}
