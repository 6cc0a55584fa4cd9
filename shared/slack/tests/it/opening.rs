//! Opening a connection of Socket Mode: what each of Slack's and a proxy's failures is called.

use alfred_core::ports::SystemClock;
use alfred_slack::SlackClient;
use alfred_slack::socket::Dial;
use alfred_slack_local::{Hold, Options, Release};
use alfred_testkit::stand_in::{self, Reply};
use alfred_testkit::wait::out_of_time;
use serde_json::json;
use std::sync::Arc;
use tokio::net::TcpListener;

use crate::world::World;

fn client(api: &str, token: &str) -> SlackClient {
    let _ = rustls::crypto::ring::default_provider().install_default();
    SlackClient::new(api, token.to_owned().into(), Arc::new(SystemClock))
}

async fn refused(client: &SlackClient) -> String {
    let refused = client.dial().await.err();
    refused.map_or("opened".into(), |error| error.to_string())
}

/// The failure when Slack names this address for the WebSocket.
async fn refused_at(url: &str) -> String {
    let body = json!({"ok": true, "url": url}).to_string();
    let (api, _) = stand_in::serve_in_turn(vec![Reply::new(200, "application/json", body)]);
    refused(&client(&api, "xapp-1")).await
}

#[tokio::test]
async fn a_call_and_a_handshake_without_an_answer_are_given_up() {
    let world = World::with(Options {
        socket_mode: true,
        ..Options::default()
    })
    .await;
    let slack = &world.running.slack;
    let client = client(&world.running.api_url(), &slack.seed().app_token);
    let mut gate = slack.hold("apps.connections.open", Hold::BeforeEffect);
    let (failed, held) = out_of_time(gate.arrived(), refused(&client)).await;
    assert!(failed.ends_with("operation timed out"), "{failed}");
    held.release(Release::Complete);
    drop(gate);
    assert_eq!(refused(&client).await, "opened");
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/link", silent.local_addr().unwrap());
    let (failed, _connection) = out_of_time(silent.accept(), refused_at(&url)).await;
    assert_eq!(failed, "no answer within 30 s");
}

#[tokio::test]
async fn a_handshake_that_fails_says_why_and_never_the_ticket() {
    let server = |reply| {
        let (url, _) = stand_in::serve_in_turn(vec![reply]);
        format!("{}/link/?ticket=secret", url.replace("http", "ws"))
    };
    let forbidden = server(Reply::new(403, "text/plain", ""));
    let proxy = server(Reply::new(200, "text/html", "Please log in"));
    let other = Reply::new(101, "text/plain", "").with("sec-websocket-accept", "wrong");
    let open = "the WebSocket's address isn't encrypted";
    let cases = [
        (&*forbidden, "Slack refused the WebSocket with HTTP 403"),
        (&*proxy, "Slack refused the WebSocket with HTTP 200"),
        (&*server(other), "it answers as no WebSocket"),
        ("ws://slack.example/?ticket=secret", open),
        ("http://127.0.0.1/?ticket=secret", open),
        ("?ticket=secret", "the WebSocket's address is no URL"),
    ];
    for (url, why) in cases {
        assert_eq!(refused_at(url).await, why, "{url}");
    }
    let closed = refused_at("ws://127.0.0.1:1/?ticket=secret").await;
    assert!(
        closed.contains("refused") && !closed.contains("secret"),
        "{closed}"
    );
}
