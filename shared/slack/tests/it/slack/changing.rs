//! Edits, whispers, status lines, views.

use alfred_core::ports::{Chat, Post, Posted};
use alfred_slack_local::Options;
use alfred_slack_local::seed::{ANA, ANA_DM, BEN, GENERAL};
use serde_json::{Value, json};
use std::time::Duration;

use crate::slack::world::{code, kind, post, world};

#[tokio::test]
async fn edits_whispers_and_status_lines() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let blocks = vec![json!({"type": "divider"})];
    let posted = world
        .client
        .post(&Post {
            blocks,
            ..post(ANA_DM, "k")
        })
        .await
        .unwrap();
    world.client.update(&posted, "done", &[]).await.unwrap();
    let edited = world.slack().message(ANA_DM, &posted.ts).unwrap();
    assert_eq!((edited.text.as_str(), edited.blocks.len()), ("done", 0));
    assert_eq!(edited.metadata.unwrap()["event_payload"]["key"], "k");
    let gone = Posted {
        ts: "1.1".into(),
        ..posted
    };
    assert_eq!(
        code(world.client.update(&gone, "x", &[]).await.unwrap_err()),
        "message_not_found"
    );
    world
        .client
        .ephemeral(
            &BEN.into(),
            &Post {
                text: "psst".into(),
                ..post(GENERAL, "k2")
            },
        )
        .await
        .unwrap();
    assert_eq!(world.slack().ephemerals(BEN)[0].text, "psst");
    let channel = ANA_DM.into();
    world
        .client
        .set_status(&channel, &root.ts, "is thinking…")
        .await
        .unwrap();
    assert_eq!(
        world.slack().status(ANA_DM, &root.ts).unwrap().unwrap(),
        "is thinking…"
    );
    world
        .client
        .set_status(&channel, &root.ts, "")
        .await
        .unwrap();
    assert_eq!(world.slack().status(ANA_DM, &root.ts).unwrap(), None);
}

fn modal(title: &str) -> Value {
    json!({"type": "modal", "title": {"type": "plain_text", "text": title}, "blocks": []})
}

#[tokio::test]
async fn views_open_for_three_seconds_and_are_replaced() {
    let app = wiremock::MockServer::start().await;
    let taken = wiremock::Mock::given(wiremock::matchers::any());
    taken
        .respond_with(wiremock::ResponseTemplate::new(200))
        .mount(&app)
        .await;
    let options = Options {
        request_url: Some(app.uri()),
        ..Options::default()
    };
    let world = world(options).await;
    let mut triggers = Vec::new();
    for _ in 0..2 {
        world
            .slack()
            .command(ANA, ANA_DM, "/alfred", "")
            .await
            .unwrap();
        let request = app.received_requests().await.unwrap().pop().unwrap();
        let form = String::from_utf8(request.body).unwrap();
        let trigger = form
            .split('&')
            .find_map(|field| field.strip_prefix("trigger_id="));
        triggers.push(trigger.unwrap().to_owned());
    }
    let mut unmodelled = modal("One");
    unmodelled["submit_disabled"] = true.into();
    let kept = world.client.open_view(&triggers[0], &unmodelled).await;
    assert_eq!(kind(&kept.unwrap_err()), "not sent");
    let id = world
        .client
        .open_view(&triggers[0], &modal("One"))
        .await
        .unwrap();
    world.client.update_view(&id, &modal("Two")).await.unwrap();
    let views = world.slack().views(ANA).unwrap();
    assert_eq!(
        (views.len(), &views[0].view["title"]["text"]),
        (1, &json!("Two"))
    );
    world.clock.advance(Duration::from_secs(4));
    let late = world
        .client
        .open_view(&triggers[1], &modal("Three"))
        .await
        .unwrap_err();
    assert_eq!(code(late), "expired_trigger_id");
    let missing = world
        .client
        .update_view("V0", &modal("Four"))
        .await
        .unwrap_err();
    assert_eq!(code(missing), "not_found");
}
