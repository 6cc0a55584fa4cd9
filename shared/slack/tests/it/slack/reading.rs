//! Looks, threads, people.

use alfred_core::UserId;
use alfred_core::ports::{Chat, Look, Post, Posted};
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, GENERAL};
use alfred_slack_local::{Fault, Options};
use serde_json::json;

use crate::slack::world::{POST, code, look, post, world};

#[tokio::test]
async fn a_lost_reply_is_found_by_its_key() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let lost = |key: &'static str, thread: Option<String>| {
        world.slack().fail_next(POST, 1, Fault::DropAfter);
        let post = Post {
            thread_ts: thread,
            ..post(ANA_DM, key)
        };
        let client = &world.client;
        async move { client.post(&post).await.unwrap_err() }
    };
    lost("flat", None).await;
    lost("deep", Some(root.ts.clone())).await;
    let flat = world
        .client
        .find(&look(ANA_DM, "flat"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        world.slack().message(ANA_DM, &flat.ts).unwrap().thread_ts,
        None
    );
    let in_thread = |key| Look {
        thread_ts: Some(root.ts.clone()),
        ..look(ANA_DM, key)
    };
    let deep = world
        .client
        .find(&in_thread("deep"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        world.slack().message(ANA_DM, &deep.ts).unwrap().thread_ts,
        Some(root.ts.clone())
    );
    assert_eq!(
        world.client.find(&look(ANA_DM, "deep")).await.unwrap(),
        None
    );
    assert_eq!(world.client.find(&in_thread("flat")).await.unwrap(), None);
    assert_eq!(
        world
            .client
            .find(&look(ANA, "flat"))
            .await
            .unwrap()
            .unwrap(),
        flat
    );
    let later = Look {
        oldest: deep.ts,
        ..look(ANA_DM, "flat")
    };
    assert_eq!(world.client.find(&later).await.unwrap(), None);
    let gone = Look {
        thread_ts: Some("1.1".into()),
        ..look(ANA_DM, "flat")
    };
    assert_eq!(world.client.find(&gone).await.unwrap(), None);
    assert_eq!(
        code(world.client.find(&look("C0X", "k")).await.unwrap_err()),
        "channel_not_found"
    );
}

#[tokio::test]
async fn looks_and_threads_go_through_all_pages() {
    let world = world(Options::default()).await;
    let first = world.client.post(&post(GENERAL, "old")).await.unwrap();
    for n in 0..210 {
        world
            .slack()
            .post_as(ANA, GENERAL, &n.to_string(), None)
            .unwrap();
        world
            .slack()
            .post_as(BEN, GENERAL, &n.to_string(), Some(&first.ts))
            .unwrap();
    }
    let found = world
        .client
        .find(&look(GENERAL, "old"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found, first);
    assert_eq!(world.slack().call_counts()["conversations.history"], 2);
    let thread = world
        .client
        .thread(&GENERAL.into(), &first.ts, 3)
        .await
        .unwrap();
    let texts: Vec<_> = thread.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["207", "208", "209"]);
    let whole = world
        .client
        .thread(&GENERAL.into(), &first.ts, 1000)
        .await
        .unwrap();
    assert_eq!(
        (whole.len(), whole[0].from_app, whole[1].from_app),
        (211, true, false)
    );
    assert_eq!(whole[1].user, Some(UserId::from(BEN)));
}

#[tokio::test]
async fn people_are_told_from_bots_and_strangers() {
    let world = world(Options::default()).await;
    let ana = world.client.user(&ANA.into()).await.unwrap().unwrap();
    assert_eq!(ana.username.as_str(), "ana");
    assert_eq!(ana.name.as_str(), "Ana Marques");
    assert_eq!(ana.email.as_str(), "ana@example.com");
    assert_eq!(ana.timezone.as_deref(), Some("Europe/Lisbon"));
    assert!(ana.is_person);
    assert!(
        !world
            .client
            .user(&ALFRED.into())
            .await
            .unwrap()
            .unwrap()
            .is_person
    );
    assert_eq!(world.client.user(&"U0NOBODY".into()).await.unwrap(), None);
    let mut gone = world.slack().people().unwrap().remove(1);
    (gone.deleted, gone.email, gone.tz) = (true, String::new(), String::new());
    world.slack().put_person(&gone).unwrap();
    let gone = world
        .client
        .user(&gone.id.as_str().into())
        .await
        .unwrap()
        .unwrap();
    assert!(!gone.is_person);
    assert_eq!(gone.email.as_str(), "");
    assert_eq!(gone.timezone, None);
}

#[tokio::test]
async fn a_message_is_read_as_it_stands() {
    let world = world(Options::default()).await;
    let root = world.slack().dm_as(ANA, "hello").unwrap();
    let blocks =
        json!([{"type": "section", "block_id": "said", "text": {"type": "mrkdwn", "text": "hi"}}]);
    for thread_ts in [None, Some(root.ts.clone())] {
        let posted = Post {
            thread_ts: thread_ts.clone(),
            blocks: blocks.as_array().unwrap().clone(),
            ..post(ANA_DM, "k")
        };
        let posted = world.client.post(&posted).await.unwrap();
        let thread = thread_ts.as_deref();
        let read = world
            .client
            .message(&posted, thread)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(read.blocks[0]["block_id"], "said");
        assert_eq!(read.blocks[0]["text"]["text"], "hi");
        let gone = Posted {
            ts: "1.1".into(),
            ..posted
        };
        assert_eq!(world.client.message(&gone, thread).await.unwrap(), None);
    }
}
