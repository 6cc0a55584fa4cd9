//! The person's side as a page uses it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod support;

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN};
use alfred_slack_local::{Options, Running};
use serde_json::{Value, json};
use support::{TOKEN, answer, call, client, picture, png, served, soon, uploaded};

async fn with_page() -> Running {
    let options = Options {
        page_token: Some("page".into()),
        ..Options::default()
    };
    served(options).await.0
}

async fn get(running: &Running, path: &str) -> (u16, Value) {
    let url = format!("{}/client/{path}", running.url);
    answer(client().get(url).bearer_auth("page")).await
}

async fn post(running: &Running, path: &str, body: Value) -> (u16, Value) {
    let url = format!("{}/client/{path}", running.url);
    answer(client().post(url).bearer_auth("page").json(&body)).await
}

#[tokio::test]
async fn nothing_is_shown_without_the_page_token() {
    let running = with_page().await;
    for header in [None, Some("xoxb-local")] {
        let mut request = client().get(format!("{}/client/team", running.url));
        if let Some(token) = header {
            request = request.bearer_auth(token);
        }
        assert_eq!(request.send().await.unwrap().status(), 401);
    }
    let in_query = client()
        .get(format!("{}/client/team?token=page", running.url))
        .send();
    assert_eq!(in_query.await.unwrap().status(), 401);
    let (closed, _) = served(Options::default()).await;
    let no_routes = client().get(format!("{}/client/team", closed.url)).send();
    assert_eq!(no_routes.await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_page_writes_reads_and_follows() {
    let running = with_page().await;
    let (_, team) = get(&running, "team").await;
    assert_eq!(
        (&team["bot_user"], team["users"].as_array().unwrap().len()),
        (&json!(ALFRED), 4)
    );
    let mut events = client()
        .get(format!("{}/client/events", running.url))
        .bearer_auth("page")
        .send()
        .await
        .unwrap();
    let (status, written) = post(&running, "post", json!({"user": ANA, "text": "hi"})).await;
    assert_eq!(status, 200);
    assert_eq!(written["message"]["channel"], ANA_DM);
    let seen = soon(events.chunk()).await.unwrap().unwrap();
    let seen = String::from_utf8(seen.to_vec()).unwrap();
    let change: Value = serde_json::from_str(seen.strip_prefix("data: ").unwrap().trim()).unwrap();
    assert_eq!(change["kind"], "posted");
    assert_eq!(change["message"]["text"], "hi");
    let ts = written["message"]["ts"].as_str().unwrap();
    call(
        &running,
        "chat.postMessage",
        json!({"channel": ANA_DM, "text": "Hello", "thread_ts": ts}),
    )
    .await;
    let (_, thread) = get(&running, &format!("thread?channel={ANA_DM}&thread_ts={ts}")).await;
    assert_eq!(thread["messages"][1]["text"], "Hello");
    let (_, messages) = get(&running, &format!("messages?channel={ANA_DM}")).await;
    assert_eq!(messages["messages"][0]["reply_count"], 1);
    let (_, channels) = get(&running, &format!("channels?user={BEN}")).await;
    assert!(
        channels["channels"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["id"] != ANA_DM)
    );
}

#[tokio::test]
async fn what_cannot_be_done_is_told_apart() {
    let running = with_page().await;
    for (path, body, status, error) in [
        (
            "post",
            json!({"user": "U0X", "text": "x"}),
            404,
            "user_not_found",
        ),
        (
            "post",
            json!({"user": BEN, "channel": ANA_DM, "text": "x"}),
            404,
            "channel_not_found",
        ),
        ("post", json!({"user": ANA, "text": "  "}), 400, "no_text"),
        (
            "post",
            json!({"user": ANA, "text": "x".repeat(40_001)}),
            400,
            "msg_too_long",
        ),
        (
            "post",
            json!({"user": ANA, "text": "x", "thread_ts": "1.1"}),
            404,
            "message_not_found",
        ),
        (
            "command",
            json!({"user": ANA, "channel": ANA_DM, "command": "/alfred"}),
            502,
            "no request URL is set",
        ),
        (
            "view/submit",
            json!({"user": ANA, "view_id": "V0"}),
            404,
            "view_not_found",
        ),
    ] {
        assert_eq!(
            post(&running, path, body).await,
            (status, json!({"ok": false, "error": error}))
        );
    }
    let typo = client()
        .post(format!("{}/client/post", running.url))
        .bearer_auth("page")
        .json(&json!({"user": ANA, "text": "x", "chanel": ANA_DM}))
        .send();
    assert_eq!(typo.await.unwrap().status(), 422);
}

#[tokio::test]
async fn a_picture_is_served_to_who_sees_its_message() {
    let running = with_page().await;
    let bytes = png(1200, 700);
    let id = uploaded(&running, bytes.clone()).await;
    let post = json!({"channel": ANA_DM, "text": "Your day", "blocks": [picture(&id)]});
    call(&running, "chat.postMessage", post).await;
    let fetch = async |user: &str, token: &str| {
        let address = format!("{}/client/file?user={user}&file={id}", running.url);
        let sent = client().get(address).bearer_auth(token).send();
        soon(sent).await.unwrap()
    };
    let shown = fetch(ANA, "page").await;
    assert_eq!(shown.status(), 200);
    let header = |name: &str| shown.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    assert!(header("content-security-policy").contains("sandbox"));
    assert_eq!(shown.bytes().await.unwrap(), bytes);
    for (user, token, status) in [
        (ANA, "", 401),
        (ANA, TOKEN, 401),
        (BEN, "page", 404),
        ("U0X", "page", 404),
    ] {
        let refused = fetch(user, token).await;
        assert_eq!(refused.status(), status, "{user} {token}");
        assert_eq!(refused.json::<Value>().await.unwrap()["ok"], false);
    }
    let (_, messages) = get(&running, &format!("messages?channel={ANA_DM}")).await;
    let block = &messages["messages"][0]["blocks"][0];
    assert_eq!(block["image_width"], 1200);
    assert_eq!(block["image_height"], 700);
}
