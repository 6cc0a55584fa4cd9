//! The person's side as a page uses it.

use crate::support;

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN};
use alfred_slack_local::{Options, Running};
use serde_json::{Value, json};
use support::{call, client, picture, png, served, soon, uploaded};

struct Page {
    running: Running,
    url: String,
}

async fn with_page() -> Page {
    let (running, _) = served(Options::default()).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/client", listener.local_addr().unwrap());
    let routes = running.slack.person_routes();
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    Page { running, url }
}

async fn get(page: &Page, path: &str) -> (u16, Value) {
    let sent = client().get(format!("{}/{path}", page.url)).send();
    let answer = soon(sent).await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn post(page: &Page, path: &str, body: Value) -> (u16, Value) {
    let to = format!("{}/{path}", page.url);
    let answer = soon(client().post(to).json(&body).send()).await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn a_page_writes_reads_and_follows() {
    let page = with_page().await;
    let (_, team) = get(&page, "team").await;
    assert_eq!(
        (&team["bot_user"], team["users"].as_array().unwrap().len()),
        (&json!(ALFRED), 4)
    );
    let mut events = client()
        .get(format!("{}/events", page.url))
        .send()
        .await
        .unwrap();
    let (status, written) = post(&page, "post", json!({"user": ANA, "text": "hi"})).await;
    assert_eq!(
        (status, &written["message"]["channel"]),
        (200, &json!(ANA_DM))
    );
    let seen = soon(events.chunk()).await.unwrap().unwrap();
    let seen = String::from_utf8(seen.to_vec()).unwrap();
    let change: Value = serde_json::from_str(seen.strip_prefix("data: ").unwrap().trim()).unwrap();
    assert_eq!(
        (&change["kind"], &change["message"]["text"]),
        (&json!("posted"), &json!("hi"))
    );
    let ts = written["message"]["ts"].as_str().unwrap();
    call(
        &page.running,
        "chat.postMessage",
        json!({"channel": ANA_DM, "text": "Hello", "thread_ts": ts}),
    )
    .await;
    let (_, thread) = get(&page, &format!("thread?channel={ANA_DM}&thread_ts={ts}")).await;
    assert_eq!(thread["messages"][1]["text"], "Hello");
    let (_, messages) = get(&page, &format!("messages?channel={ANA_DM}")).await;
    assert_eq!(messages["messages"][0]["reply_count"], 1);
    let (_, channels) = get(&page, &format!("channels?user={BEN}")).await;
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
    let page = with_page().await;
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
            post(&page, path, body).await,
            (status, json!({"ok": false, "error": error}))
        );
    }
    let typo = client()
        .post(format!("{}/post", page.url))
        .json(&json!({"user": ANA, "text": "x", "chanel": ANA_DM}))
        .send();
    assert_eq!(typo.await.unwrap().status(), 422);
}

#[tokio::test]
async fn a_picture_is_served_to_who_sees_its_message() {
    let page = with_page().await;
    let bytes = png(1200, 700);
    let id = uploaded(&page.running, bytes.clone()).await;
    let post = json!({"channel": ANA_DM, "text": "Your day", "blocks": [picture(&id)]});
    call(&page.running, "chat.postMessage", post).await;
    let fetch = async |user: &str| {
        let address = format!("{}/file?user={user}&file={id}", page.url);
        soon(client().get(address).send()).await.unwrap()
    };
    let shown = fetch(ANA).await;
    assert_eq!(shown.status(), 200);
    let header = |name: &str| shown.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    assert!(header("content-security-policy").contains("sandbox"));
    assert_eq!(shown.bytes().await.unwrap(), bytes);
    for user in [BEN, "U0X"] {
        let refused = fetch(user).await;
        assert_eq!(refused.status(), 404, "{user}");
        assert_eq!(refused.json::<Value>().await.unwrap()["ok"], false);
    }
    let (_, messages) = get(&page, &format!("messages?channel={ANA_DM}")).await;
    let block = &messages["messages"][0]["blocks"][0];
    assert_eq!(
        (&block["image_width"], &block["image_height"]),
        (&json!(1200), &json!(700))
    );
}
