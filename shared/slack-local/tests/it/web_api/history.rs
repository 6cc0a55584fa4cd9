//! History, replies, and what survives a restart.

use alfred_slack_local::seed::{CHIYO, GENERAL, RANDOM};
use alfred_slack_local::{Options, SlackLocal};
use serde_json::json;

use crate::web_api::support::{self, call, form, open, served};

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
