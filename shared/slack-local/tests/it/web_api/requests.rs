//! Tokens, methods, bodies, limits.

use alfred_slack_local::Options;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, CHIYO, GENERAL, LEADERS};
use serde_json::{Value, json};
use std::time::Duration;

use crate::web_api::error;
use crate::web_api::support::{self, call, client, form, served};

#[tokio::test]
async fn tokens_methods_and_bodies_are_checked() {
    let (running, _) = served(Options::default()).await;
    let url = format!("{}/auth.test", running.api_url());
    let plain = client().post(&url).send().await.unwrap();
    assert_eq!(plain.json::<Value>().await.unwrap()["error"], "not_authed");
    let wrong = client()
        .post(&url)
        .bearer_auth("xoxb-other")
        .send()
        .await
        .unwrap();
    assert_eq!(
        wrong.json::<Value>().await.unwrap()["error"],
        "invalid_auth"
    );
    let in_form = client()
        .post(&url)
        .form(&[("token", support::TOKEN)])
        .send()
        .await
        .unwrap();
    assert_eq!(in_form.json::<Value>().await.unwrap()["user_id"], ALFRED);
    let in_query = format!("{url}?token={}", support::TOKEN);
    let in_query = client().get(&in_query).send().await.unwrap();
    assert_eq!(
        in_query.json::<Value>().await.unwrap()["error"],
        "not_authed"
    );
    let with_body = client().get(&url).bearer_auth(support::TOKEN).body("{}");
    assert_eq!(with_body.send().await.unwrap().status(), 403);
    assert_eq!(
        error(&running, "chat.shout", json!({})).await,
        "unknown_method"
    );
    let raw = |kind: &str, body: &str| {
        client()
            .post(&url)
            .bearer_auth(support::TOKEN)
            .header("content-type", kind)
            .body(body.to_owned())
            .send()
    };
    for (kind, body, code) in [
        ("application/json", "{", "invalid_json"),
        ("application/json", "[]", "json_not_object"),
        ("text/plain", "hi", "invalid_post_type"),
    ] {
        let answer: Value = raw(kind, body).await.unwrap().json().await.unwrap();
        assert_eq!(answer["error"], code);
    }
    assert!(
        running
            .slack
            .calls()
            .iter()
            .all(|call| call.arguments["token"].is_null())
    );
}

#[tokio::test]
async fn reading_methods_do_not_see_json() {
    let (running, _) = served(Options::default()).await;
    assert_eq!(
        error(&running, "users.info", json!({"user": ANA})).await,
        "invalid_arguments"
    );
    let user = form(&running, "users.info", &[("user", ANA)]).await["user"].clone();
    assert_eq!(user["profile"]["email"], "ana@example.com");
    assert_eq!(user["tz"], "Europe/Lisbon");
    assert_eq!(user["tz_offset"], 0);
    assert_eq!(
        form(&running, "users.info", &[("user", "U0X")]).await["error"],
        "user_not_found"
    );
    let private = form(
        &running,
        "conversations.list",
        &[("types", "private_channel,im")],
    )
    .await;
    assert_eq!(private["channels"].as_array().unwrap().len(), 3);
    let of = async |user, types| {
        let args = [("user", user), ("types", types), ("limit", "2")];
        form(&running, "users.conversations", &args).await
    };
    let shared = of(BEN, "private_channel").await;
    assert_eq!(shared["channels"][0]["id"], LEADERS);
    assert_eq!(shared["channels"][0].get("is_member"), None);
    assert_eq!(
        of(CHIYO, "private_channel").await["channels"],
        json!([]),
        "not a member"
    );
    let public = of(CHIYO, "public_channel").await;
    assert_eq!(public["channels"].as_array().unwrap().len(), 2);
    assert!(public["response_metadata"]["next_cursor"] != "");
    assert_eq!(of("U0X", "im").await["error"], "user_not_found");
    assert_eq!(of(BEN, "groups").await["error"], "invalid_types");
    // JSON isn't read, so these are the bot's own.
    let own = call(&running, "users.conversations", json!({"user": "U0X"})).await;
    assert_eq!(own["channels"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_channel_takes_a_burst_then_one_message_a_second() {
    let (running, clock) = served(Options {
        rate_limit: true,
        ..Options::default()
    })
    .await;
    let post = |channel: &'static str| {
        let sent = client()
            .post(format!("{}/chat.postMessage", running.api_url()))
            .bearer_auth(support::TOKEN)
            .json(&json!({"channel": channel, "text": "x"}))
            .send();
        async move { sent.await.unwrap() }
    };
    for _ in 0..5 {
        assert_eq!(post(GENERAL).await.status(), 200);
    }
    let limited = post(GENERAL).await;
    assert_eq!(
        (
            limited.status().as_u16(),
            limited.headers()["retry-after"].to_str().unwrap()
        ),
        (429, "1")
    );
    assert_eq!(
        limited.json::<Value>().await.unwrap()["error"],
        "ratelimited"
    );
    assert_eq!(post(ANA_DM).await.status(), 200);
    clock.advance(Duration::from_secs(1));
    assert_eq!(post(GENERAL).await.status(), 200);
    assert_eq!(post(GENERAL).await.status(), 429);
}
