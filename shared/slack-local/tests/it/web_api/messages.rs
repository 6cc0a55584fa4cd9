//! Posting, editing, status lines.

use alfred_slack_local::Options;
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, CHIYO, GENERAL, LEADERS, RANDOM};
use serde_json::json;
use std::time::Duration;

use crate::web_api::error;
use crate::web_api::support::{call, form, section, served};

#[tokio::test]
async fn messages_are_refused_with_slacks_codes() {
    let (running, _) = served(Options::default()).await;
    let long = "é".repeat(40_001);
    let metadata = json!({"event_type": "x", "event_payload": "text"});
    let cases = [
        (
            json!({"channel": "C0NOWHERE", "text": "x"}),
            "channel_not_found",
        ),
        (json!({"channel": RANDOM, "text": "x"}), "not_in_channel"),
        (
            json!({"channel": "U0NOBODY", "text": "x"}),
            "channel_not_found",
        ),
        (json!({"channel": ALFRED, "text": "x"}), "cannot_dm_bot"),
        (json!({"channel": GENERAL}), "no_text"),
        (
            json!({"channel": GENERAL, "text": " ", "blocks": []}),
            "no_text",
        ),
        (json!({"text": "x"}), "invalid_arguments"),
        (json!({"channel": GENERAL, "text": 7}), "invalid_arguments"),
        (json!({"channel": GENERAL, "text": long}), "msg_too_long"),
        (
            json!({"channel": GENERAL, "blocks": "{"}),
            "invalid_blocks_format",
        ),
        (
            json!({"channel": GENERAL, "blocks": [section(&"x".repeat(3001))]}),
            "invalid_blocks",
        ),
        (
            json!({"channel": GENERAL, "blocks": vec![section(&"x".repeat(2900)); 5]}),
            "msg_blocks_too_long",
        ),
        (
            json!({"channel": GENERAL, "text": "x", "metadata": metadata}),
            "invalid_metadata_format",
        ),
        (
            json!({"channel": GENERAL, "text": "x", "thread_ts": "1.1"}),
            "thread_not_found",
        ),
        (
            json!({"channel": GENERAL, "text": "x", "thread_ts": "soon"}),
            "invalid_thread_ts",
        ),
    ];
    for (arguments, code) in cases {
        assert_eq!(error(&running, "chat.postMessage", arguments).await, code);
    }
    assert!(running.slack.messages(GENERAL, 10).unwrap().is_empty());
    let why = call(
        &running,
        "chat.postMessage",
        json!({"channel": GENERAL, "blocks": [section("")]}),
    )
    .await;
    let why = why["response_metadata"]["messages"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(why.contains("/blocks/0/text/text"), "{why}");
    let most = json!({"channel": GENERAL, "text": "é".repeat(40_000)});
    assert_eq!(call(&running, "chat.postMessage", most).await["ok"], true);
}

#[tokio::test]
async fn a_user_id_opens_the_dm_and_forms_work_like_json() {
    let (running, _) = served(Options::default()).await;
    let blocks = json!([section("*hi*")]).to_string();
    let posted = form(
        &running,
        "chat.postMessage",
        &[("channel", CHIYO), ("text", "hi"), ("blocks", &blocks)],
    )
    .await;
    let channel = posted["channel"].as_str().unwrap();
    assert!(channel.starts_with('D'), "{posted}");
    assert_eq!(posted["message"]["blocks"][0]["text"]["text"], "*hi*");
    let again = call(&running, "conversations.open", json!({"users": CHIYO})).await;
    assert_eq!(
        (&again["channel"]["id"], &again["already_open"]),
        (&json!(channel), &json!(true))
    );
    assert_eq!(running.slack.dm_with(CHIYO).unwrap().id, channel);
}

#[tokio::test]
async fn edits_keep_or_remove_blocks_and_only_touch_own_messages() {
    let (running, _) = served(Options::default()).await;
    let posted = call(
        &running,
        "chat.postMessage",
        json!({"channel": GENERAL, "text": "a", "blocks": [section("a")]}),
    )
    .await;
    let ts = posted["ts"].clone();
    let kept = call(
        &running,
        "chat.update",
        json!({"channel": GENERAL, "ts": ts, "text": "b"}),
    )
    .await;
    assert_eq!(kept["message"]["blocks"][0]["text"]["text"], "a");
    assert_eq!(kept["message"]["edited"]["user"], ALFRED);
    let removed = call(
        &running,
        "chat.update",
        json!({"channel": GENERAL, "ts": ts, "text": "c", "blocks": []}),
    )
    .await;
    assert!(removed["message"]["blocks"].is_null());
    let long = json!({"channel": GENERAL, "ts": ts, "text": "x".repeat(4001)});
    assert_eq!(error(&running, "chat.update", long).await, "msg_too_long");
    let theirs = running.slack.post_as(ANA, GENERAL, "mine", None).unwrap();
    let update = json!({"channel": GENERAL, "ts": theirs.ts, "text": "d"});
    assert_eq!(
        error(&running, "chat.update", update).await,
        "cant_update_message"
    );
    let gone = json!({"channel": GENERAL, "ts": "1.1", "text": "e"});
    assert_eq!(
        error(&running, "chat.update", gone).await,
        "message_not_found"
    );
    let stranger = json!({"channel": LEADERS, "user": CHIYO, "text": "psst"});
    assert_eq!(
        error(&running, "chat.postEphemeral", stranger).await,
        "user_not_in_channel"
    );
    let shown = call(
        &running,
        "chat.postEphemeral",
        json!({"channel": LEADERS, "user": ANA, "text": "psst"}),
    )
    .await;
    assert_eq!(running.slack.ephemerals(ANA)[0].ts, shown["message_ts"]);
    assert!(running.slack.messages(LEADERS, 10).unwrap().is_empty());
}

#[tokio::test]
async fn a_status_goes_with_the_reply_or_after_two_minutes() {
    let (running, clock) = served(Options::default()).await;
    let root = running.slack.dm_as(ANA, "plan my day").unwrap();
    let set = json!({"channel_id": ANA_DM, "thread_ts": root.ts, "status": "is thinking…"});
    let status = || running.slack.status(ANA_DM, &root.ts).unwrap();
    assert_eq!(
        call(&running, "assistant.threads.setStatus", set.clone()).await["ok"],
        true
    );
    assert_eq!(status().unwrap(), "is thinking…");
    call(
        &running,
        "chat.postMessage",
        json!({"channel": ANA_DM, "text": "Done", "thread_ts": root.ts}),
    )
    .await;
    assert_eq!(status(), None);
    call(&running, "assistant.threads.setStatus", set.clone()).await;
    clock.advance(Duration::from_secs(119));
    assert!(status().is_some());
    clock.advance(Duration::from_secs(1));
    assert_eq!(status(), None);
    let nowhere = json!({"channel_id": ANA_DM, "thread_ts": "1.1", "status": "x"});
    assert_eq!(
        error(&running, "assistant.threads.setStatus", nowhere).await,
        "invalid_thread_ts"
    );
}
