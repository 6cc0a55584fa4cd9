//! The Web API through HTTP: tokens, bodies, limits, paging, error codes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod support;

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, CHIYO, GENERAL, LEADERS, RANDOM};
use alfred_slack_local::{Options, SlackLocal};
use serde_json::{Value, json};
use std::time::Duration;
use support::{call, client, form, open, section, served};

async fn error(running: &alfred_slack_local::Running, method: &str, arguments: Value) -> String {
    let answer = call(running, method, arguments).await;
    assert_eq!(answer["ok"], false, "{answer}");
    answer["error"].as_str().unwrap().to_owned()
}

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
async fn history_and_replies_page_and_hide_metadata() {
    let (running, _) = served(Options::default()).await;
    let metadata = json!({"event_type": "alfred_reply", "event_payload": {"key": "k"}});
    let mut all = Vec::new();
    for n in 0..5 {
        let body = json!({"channel": GENERAL, "text": n.to_string(), "metadata": metadata});
        all.push(
            call(&running, "chat.postMessage", body).await["ts"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    for n in 0..3 {
        let body = json!({"channel": GENERAL, "text": format!("r{n}"), "thread_ts": all[0]});
        call(&running, "chat.postMessage", body).await;
    }
    let mut texts = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = form(
            &running,
            "conversations.history",
            &[("channel", GENERAL), ("limit", "2"), ("cursor", &cursor)],
        )
        .await;
        for message in page["messages"].as_array().unwrap() {
            assert!(message["metadata"].is_null());
            texts.push(message["text"].as_str().unwrap().to_owned());
        }
        cursor = page["response_metadata"]["next_cursor"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(page["has_more"], !cursor.is_empty());
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(texts, ["4", "3", "2", "1", "0"]);

    let bounded = |inclusive: &'static str| {
        let arguments = [
            ("channel", GENERAL),
            ("oldest", all[1].as_str()),
            ("latest", all[3].as_str()),
            ("inclusive", inclusive),
            ("include_all_metadata", "true"),
        ];
        let running = &running;
        async move { form(running, "conversations.history", &arguments).await }
    };
    let within = bounded("true").await;
    assert_eq!(within["messages"].as_array().unwrap().len(), 3);
    assert_eq!(
        within["messages"][0]["metadata"]["event_payload"]["key"],
        "k"
    );
    assert_eq!(bounded("false").await["messages"][0]["text"], "2");

    let thread = [
        ("channel", GENERAL),
        ("ts", all[0].as_str()),
        ("limit", "2"),
    ];
    let first = form(&running, "conversations.replies", &thread).await;
    assert_eq!(first["messages"][0]["reply_count"], 3);
    assert_eq!(first["messages"][1]["text"], "r0");
    let next = first["response_metadata"]["next_cursor"].as_str().unwrap();
    let second = form(
        &running,
        "conversations.replies",
        &[thread[0], thread[1], ("cursor", next)],
    )
    .await;
    let rest: Vec<_> = second["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["text"])
        .collect();
    assert_eq!(rest, ["r1", "r2"]);

    for (arguments, code) in [
        (
            [("channel", GENERAL), ("cursor", "nonsense")],
            "invalid_cursor",
        ),
        ([("channel", GENERAL), ("limit", "1000")], "invalid_limit"),
        (
            [("channel", GENERAL), ("oldest", "monday")],
            "invalid_ts_oldest",
        ),
        ([("channel", RANDOM), ("limit", "1")], "not_in_channel"),
    ] {
        assert_eq!(
            form(&running, "conversations.history", &arguments).await["error"],
            code
        );
    }
    let missing = form(
        &running,
        "conversations.replies",
        &[("channel", GENERAL), ("ts", "1.1")],
    )
    .await;
    assert_eq!(missing["error"], "thread_not_found");
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
    assert_eq!(
        (&user["tz"], &user["tz_offset"]),
        (&json!("Europe/Lisbon"), &json!(0))
    );
    assert_eq!(
        form(&running, "users.info", &[("user", "U0X")]).await["error"],
        "user_not_found"
    );
    let first = form(&running, "users.list", &[("limit", "3")]).await;
    let cursor = first["response_metadata"]["next_cursor"].as_str().unwrap();
    let rest = form(&running, "users.list", &[("cursor", cursor)]).await;
    assert_eq!(first["members"].as_array().unwrap().len(), 3);
    assert_eq!(rest["members"].as_array().unwrap().len(), 1);
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
    let info = form(&running, "conversations.info", &[("channel", LEADERS)]).await;
    assert_eq!(info["channel"]["is_private"], true);
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
        error(&running, "chat.update", update.clone()).await,
        "cant_update_message"
    );
    assert_eq!(
        error(&running, "chat.delete", update).await,
        "cant_delete_message"
    );
    assert_eq!(
        call(
            &running,
            "chat.delete",
            json!({"channel": GENERAL, "ts": ts})
        )
        .await["ok"],
        true
    );
    let gone = json!({"channel": GENERAL, "ts": ts, "text": "e"});
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

    let prompts = json!({"channel_id": ANA_DM, "thread_ts": root.ts, "prompts": [{"title": "Plan", "message": "Plan my day"}]});
    assert_eq!(
        call(&running, "assistant.threads.setSuggestedPrompts", prompts).await["ok"],
        true
    );
    assert_eq!(
        running.slack.prompts(ANA_DM, &root.ts).unwrap()[0].message,
        "Plan my day"
    );
    let session = |status: &str| json!({"channel_id": ANA_DM, "thread_ts": root.ts, "status": status, "title": "Day"});
    assert_eq!(
        call(&running, "agents.sessions.setStatus", session("processing")).await["status"],
        "processing"
    );
    assert_eq!(
        running
            .slack
            .session(ANA_DM, &root.ts)
            .unwrap()
            .unwrap()
            .title
            .unwrap(),
        "Day"
    );
    assert_eq!(
        error(&running, "agents.sessions.setStatus", session("busy")).await,
        "invalid_arguments"
    );
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

#[tokio::test]
async fn history_survives_a_restart_and_a_damaged_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slack.sqlite");
    let options = || Options {
        path: Some(path.clone()),
        ..Options::default()
    };
    let clock = support::HandClock::default();
    let slack = open(options(), &clock);
    let first = slack.dm_as(CHIYO, "hello").unwrap();
    drop(slack);
    let slack = open(options(), &clock);
    let dm = slack.dm_with(CHIYO).unwrap();
    assert_eq!(
        slack.messages(&dm.id, 10).unwrap(),
        std::slice::from_ref(&first)
    );
    assert!(slack.dm_as(CHIYO, "again").unwrap().ts > first.ts);

    let broken = folder.path().join("broken.sqlite");
    std::fs::write(
        &broken,
        "not a database, but long enough to be read as one".repeat(40),
    )
    .unwrap();
    let options = Options {
        path: Some(broken.clone()),
        ..Options::default()
    };
    let ids = std::sync::Arc::new(alfred_core::ports::SystemIds);
    let refused = SlackLocal::open(options, std::sync::Arc::new(clock), ids)
        .err()
        .unwrap();
    assert!(refused.to_string().contains("broken.sqlite"), "{refused}");
    assert!(
        std::fs::read_to_string(&broken)
            .unwrap()
            .starts_with("not a database")
    );
}
