//! Edits, ephemeral messages, status lines, views.

use alfred_core::ports::{Chat, Post, Posted};
use alfred_slack_local::Options;
use alfred_slack_local::seed::{ANA, ANA_DM, BEN, GENERAL};
use alfred_testkit::stand_in::{self, Reply};
use serde_json::{Value, json};
use std::sync::mpsc;
use std::time::Duration;

use crate::slack::world::{code, post, world};

#[tokio::test]
async fn edits_whispers_and_status_lines() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let client = &world.client;
    let card = Post {
        blocks: vec![json!({"type": "divider"})],
        ..post(ANA_DM, "k")
    };
    let posted = client.post(&card).await.unwrap();
    client.update(&posted, "done", &[]).await.unwrap();
    let edited = world.slack().message(ANA_DM, &posted.ts).unwrap();
    assert_eq!((edited.text.as_str(), edited.blocks.len()), ("done", 0));
    assert_eq!(edited.metadata.unwrap()["event_payload"]["key"], "k");
    let gone = Posted {
        ts: "1.1".into(),
        ..posted
    };
    let refused = client.update(&gone, "x", &[]).await.unwrap_err();
    assert_eq!(code(refused), "message_not_found");
    let whisper = post(GENERAL, "k2");
    client.ephemeral(&BEN.into(), &whisper).await.unwrap();
    assert_eq!(world.slack().ephemerals(BEN)[0].text, whisper.text);
    let channel = ANA_DM.into();
    for (status, shown) in [("is thinking…", Some("is thinking…")), ("", None)] {
        let set = client.set_status(&channel, &root.ts, status);
        set.await.unwrap();
        let status = world.slack().status(ANA_DM, &root.ts).unwrap();
        assert_eq!(status.as_deref(), shown);
    }
}

fn modal(title: &str) -> Value {
    json!({"type": "modal", "title": {"type": "plain_text", "text": title}, "blocks": []})
}

#[tokio::test]
async fn views_open_for_three_seconds_and_are_replaced() {
    let (asked, forms) = mpsc::channel();
    let app = stand_in::serve(move |request| {
        asked
            .send(String::from_utf8(request.body).unwrap())
            .unwrap();
        Reply::new(200, "text/plain", "")
    });
    let options = Options {
        request_url: Some(app),
        ..Options::default()
    };
    let world = world(options).await;
    let mut triggers = Vec::new();
    for _ in 0..2 {
        let asked = world.slack().command(ANA, ANA_DM, "/alfred", "");
        asked.await.unwrap();
        let form = forms.try_recv().unwrap();
        let mut fields = form.split('&');
        let trigger = fields.find_map(|field| field.strip_prefix("trigger_id="));
        triggers.push(trigger.unwrap().to_owned());
    }
    let client = &world.client;
    let opened = client.open_view(&triggers[0], &modal("One")).await;
    let updated = client.update_view(&opened.unwrap(), &modal("Two")).await;
    updated.unwrap();
    let views = world.slack().views(ANA).unwrap();
    assert_eq!(views.len(), 1);
    assert_eq!(views[0].view["title"]["text"], "Two");
    world.clock.advance(Duration::from_secs(4));
    let late = client.open_view(&triggers[1], &modal("Three")).await;
    assert_eq!(code(late.unwrap_err()), "expired_trigger_id");
    let missing = client.update_view("V0", &modal("Four")).await;
    assert_eq!(code(missing.unwrap_err()), "not_found");
}
