//! The Web API: tokens, bodies, limits, error codes.

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, CHIYO, GENERAL, LEADERS, RANDOM};
use alfred_slack_local::{Hold, Options, Release, SlackLocal};
use alfred_testkit::{LIMIT, within};
use serde_json::{Value, json};
use std::time::Duration;

use crate::support::{TOKEN, call, client, form, method, send, served};

fn section(length: usize) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": "x".repeat(length)}})
}

#[tokio::test]
async fn tokens_methods_and_bodies_are_checked() {
    let (running, _) = served(Options::default()).await;
    let url = format!("{}/auth.test", running.api_url());
    let typed = |kind: &str, body: &'static str| {
        let request = client().post(&url).bearer_auth(TOKEN);
        request.header("content-type", kind).body(body)
    };
    for (request, code) in [
        (client().post(&url), json!("not_authed")),
        (client().post(&url).bearer_auth("x"), json!("invalid_auth")),
        (
            client().get(format!("{url}?token={TOKEN}")),
            json!("not_authed"),
        ),
        (method(&running, "chat.shout"), json!("unknown_method")),
        (typed("application/json", "{"), json!("invalid_json")),
        (typed("application/json", "[]"), json!("json_not_object")),
        (typed("text/plain", "hi"), json!("invalid_post_type")),
    ] {
        let answer: Value = send(request).await.json().await.unwrap();
        assert_eq!(answer["error"], code);
    }
    let with_body = client().get(&url).bearer_auth(TOKEN).body("{}");
    assert_eq!(send(with_body).await.status(), 403);
}

#[tokio::test]
async fn reading_methods_do_not_see_json() {
    let (running, _) = served(Options::default()).await;
    let unseen = call(&running, "users.info", json!({"user": ANA})).await;
    assert_eq!(unseen["error"], "invalid_arguments");
    let seen = form(&running, "users.info", &[("user", ANA)]).await;
    assert_eq!(seen["user"]["tz"], "Europe/Lisbon");
    // A private channel is listed for its members only.
    for (user, channels) in [(ANA, 1), (CHIYO, 0)] {
        let arguments = [("user", user), ("types", "private_channel")];
        let listed = form(&running, "users.conversations", &arguments).await;
        assert_eq!(listed["channels"].as_array().unwrap().len(), channels);
    }
}

#[tokio::test]
async fn messages_are_refused_with_slacks_codes() {
    let (running, _) = served(Options::default()).await;
    let posted = json!({"channel": GENERAL, "text": "a", "blocks": [section(1)]});
    let own = call(&running, "chat.postMessage", posted).await;
    let theirs = running.slack.post_as(ANA, GENERAL, "mine", None).unwrap();
    let (post, update) = ("chat.postMessage", "chat.update");
    for (method, arguments, code) in [
        (post, json!({"channel": RANDOM}), "not_in_channel"),
        (post, json!({"channel": "U0NOBODY"}), "channel_not_found"),
        (post, json!({"channel": ALFRED}), "cannot_dm_bot"),
        (post, json!({"text": " "}), "no_text"),
        (post, json!({"text": 7}), "invalid_arguments"),
        (post, json!({"text": "x".repeat(40_001)}), "msg_too_long"),
        (post, json!({"blocks": "{"}), "invalid_blocks_format"),
        (post, json!({"blocks": [section(3001)]}), "invalid_blocks"),
        (
            post,
            json!({"blocks": vec![section(2900); 5]}),
            "msg_blocks_too_long",
        ),
        (
            post,
            json!({"metadata": {"event_type": "x"}}),
            "invalid_metadata_format",
        ),
        (post, json!({"thread_ts": "1.1"}), "thread_not_found"),
        (post, json!({"thread_ts": "soon"}), "invalid_thread_ts"),
        (
            "chat.postEphemeral",
            json!({"channel": LEADERS, "user": CHIYO}),
            "user_not_in_channel",
        ),
        (
            update,
            json!({"ts": own["ts"], "text": "x".repeat(4001)}),
            "msg_too_long",
        ),
        (update, json!({"ts": theirs.ts}), "cant_update_message"),
        (update, json!({"ts": "1.1"}), "message_not_found"),
    ] {
        let mut all = json!({"channel": GENERAL, "text": "x"});
        let arguments = arguments.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(arguments);
        assert_eq!(call(&running, method, all.clone()).await["error"], code);
    }
    assert_eq!(running.slack.messages(GENERAL, 10).unwrap().len(), 2);
    // Without blocks the old ones stay.
    let edit = json!({"channel": GENERAL, "ts": own["ts"], "text": "b"});
    let kept = call(&running, update, edit).await;
    assert_eq!(kept["message"]["blocks"][0]["text"]["text"], "x");
}

#[tokio::test]
async fn a_channel_takes_a_burst_then_one_message_a_second() {
    let options = Options {
        rate_limit: true,
        ..Options::default()
    };
    let (running, clock) = served(options).await;
    let post = |channel: &str| {
        let message = json!({"channel": channel, "text": "x"});
        send(method(&running, "chat.postMessage").json(&message))
    };
    for _ in 0..5 {
        assert_eq!(post(GENERAL).await.status(), 200);
    }
    let limited = post(GENERAL).await;
    assert_eq!(limited.status(), 429);
    assert_eq!(limited.headers()["retry-after"], "1");
    assert_eq!(post(ANA_DM).await.status(), 200);
    clock.advance(Duration::from_secs(1));
    assert_eq!(post(GENERAL).await.status(), 200);
    assert_eq!(post(GENERAL).await.status(), 429);
}

#[tokio::test]
async fn a_status_ends_with_the_reply_or_after_two_minutes() {
    let (running, clock) = served(Options::default()).await;
    let root = running.slack.dm_as(ANA, "plan my day").unwrap();
    let set = json!({"channel_id": ANA_DM, "thread_ts": root.ts, "status": "is thinking…"});
    let reply = json!({"channel": ANA_DM, "text": "Done", "thread_ts": root.ts});
    let shown = || running.slack.status(ANA_DM, &root.ts).unwrap().is_some();
    call(&running, "assistant.threads.setStatus", set.clone()).await;
    assert!(shown());
    call(&running, "chat.postMessage", reply).await;
    assert!(!shown());
    call(&running, "assistant.threads.setStatus", set).await;
    clock.advance(Duration::from_secs(119));
    assert!(shown());
    clock.advance(Duration::from_secs(1));
    assert!(!shown());
}

#[tokio::test]
async fn a_held_call_takes_effect_though_its_caller_died() {
    let (running, _) = served(Options::default()).await;
    let mut gate = running.slack.hold("chat.postMessage", Hold::BeforeEffect);
    let message = json!({"channel": GENERAL, "text": "x"});
    let caller = tokio::spawn(send(method(&running, "chat.postMessage").json(&message)));
    let held = within(LIMIT, "the call", gate.arrived()).await;
    assert!(running.slack.messages(GENERAL, 9).unwrap().is_empty());
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    held.release(Release::Complete);
    let look = |slack: &SlackLocal| slack.messages(GENERAL, 9).unwrap().pop();
    within(LIMIT, "its effect", running.slack.until(look)).await;
}
