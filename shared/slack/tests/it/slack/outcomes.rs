//! Outcomes of a post: done, not sent, unknown, refused.

use alfred_core::ports::{Chat, Post};
use alfred_slack::SlackClient;
use alfred_slack_local::seed::{ANA, ANA_DM, CHIYO, GENERAL, RANDOM};
use alfred_slack_local::{Fault, Hold, Options, Release};
use alfred_testkit::wait::out_of_time;
use serde_json::json;
use std::sync::Arc;

use crate::slack::world::{POST, SECRET_TEXT, client, code, dead, kind, look, post, world};

#[tokio::test]
async fn a_post_carries_its_key_and_no_unfurling() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let text = json!({"type": "mrkdwn", "text": "*Friday*", "verbatim": true});
    let blocks = vec![json!({"type": "section", "text": text, "new_in_slack": 1})];
    let mut reply = Post {
        thread_ts: Some(root.ts.clone()),
        blocks,
        ..post(ANA_DM, "run_1:7")
    };
    let posted = world.client.post(&reply).await.unwrap();
    assert_eq!(posted.channel.as_str(), ANA_DM);
    let message = world.slack().message(ANA_DM, &posted.ts).unwrap();
    assert_eq!(message.thread_ts, Some(root.ts));
    assert_eq!(message.text, SECRET_TEXT);
    let metadata = json!({"event_type": "alfred_reply", "event_payload": {"key": "run_1:7"}});
    assert_eq!(message.metadata, Some(metadata));
    let sent = world.slack().calls().pop().unwrap().arguments;
    assert_eq!(sent["blocks"], json!(reply.blocks));
    assert_eq!(sent["unfurl_links"], false);
    assert_eq!(sent["unfurl_media"], false);
    reply = post(CHIYO, "run_1:8");
    let opened = world.client.post(&reply).await.unwrap().channel;
    assert_eq!(opened.0, world.slack().dm_with(CHIYO).unwrap().id);
}

#[tokio::test]
async fn a_failed_connection_is_not_sent() {
    let world = world(Options::default()).await;
    let dead = dead();
    for url in [dead.as_str(), "http://nowhere.invalid/api", "no address"] {
        let error = client(url, &world.clock)
            .post(&post(GENERAL, "k"))
            .await
            .unwrap_err();
        assert_eq!(kind(&error), "not sent", "{url}: {error}");
    }
}

#[tokio::test]
async fn without_an_answer_the_outcome_is_unknown() {
    let world = world(Options::default()).await;
    let error = |code: &str| Fault::Error { code: code.into() };
    let faults = [
        (Fault::DropBefore, 0),
        (Fault::DropAfter, 1),
        (Fault::GarbledAfter, 1),
        (Fault::StatusAfter { status: 500 }, 1),
        (Fault::Status { status: 503 }, 0),
        (Fault::Status { status: 408 }, 0),
        (error("internal_error"), 0),
        (error("fatal_error"), 0),
    ];
    let mut expected = 0;
    for (fault, happened) in faults {
        world.slack().fail_next(POST, 1, fault.clone());
        let error = world.client.post(&post(GENERAL, "k")).await.unwrap_err();
        assert_eq!(kind(&error), "unknown", "{fault:?}: {error}");
        expected += happened;
        let posted = world.slack().messages(GENERAL, 99).unwrap();
        assert_eq!(posted.len(), expected, "{fault:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_unknown() {
    let world = world(Options::default()).await;
    let mut gate = world.slack().hold(POST, Hold::AfterEffect);
    let (message, client) = (
        post(GENERAL, "k"),
        client(&world.running.api_url(), &world.clock),
    );
    let (posted, held) = out_of_time(gate.arrived(), client.post(&message)).await;
    let error = posted.unwrap_err();
    assert_eq!(kind(&error), "unknown", "{error}");
    held.release(Release::Complete);
    let found = world.found(&look(GENERAL, "k")).await.unwrap();
    assert_eq!(found.ts, world.slack().messages(GENERAL, 1).unwrap()[0].ts);
}

#[tokio::test]
async fn refusals_carry_slacks_code() {
    let world = world(Options::default()).await;
    let long = Post {
        text: "x".repeat(40_001),
        ..post(GENERAL, "k")
    };
    let wrong = Post {
        blocks: vec![json!({"type": "sektion"})],
        ..post(GENERAL, "k")
    };
    for (post, expected) in [
        (post("C0NOWHERE", "k"), "channel_not_found"),
        (post(RANDOM, "k"), "not_in_channel"),
        (long, "msg_too_long"),
        (wrong, "invalid_blocks"),
    ] {
        assert_eq!(code(world.client.post(&post).await.unwrap_err()), expected);
    }
    let team = world.client.team().await.unwrap();
    assert_eq!(team.as_str(), world.slack().seed().team_id);
    let clock = Arc::new(world.clock.clone());
    let stranger = SlackClient::new(&world.running.api_url(), "xoxb-wrong".into(), clock);
    assert_eq!(code(stranger.team().await.unwrap_err()), "invalid_auth");
    let astray = client(&format!("{}/nowhere", world.running.url), &world.clock);
    for (client, expected) in [(stranger, "invalid_auth"), (astray, "http_404")] {
        let refused = client.post(&post(GENERAL, "k")).await.unwrap_err();
        assert_eq!(code(refused), expected);
    }
    assert!(world.slack().messages(GENERAL, 9).unwrap().is_empty());
}
