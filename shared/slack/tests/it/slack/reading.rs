//! Finding posts, threads, people.

use alfred_core::UserId;
use alfred_core::ports::{Chat, Look, Post, Posted};
use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, GENERAL};
use alfred_slack_local::{Fault, Options};
use alfred_testkit::stand_in::{Reply, serve};
use serde_json::json;

use crate::slack::world::{POST, client, code, kind, look, post, world};

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
    let slack = world.slack();
    let flat = world.found(&look(ANA_DM, "flat")).await.unwrap();
    assert_eq!(slack.message(ANA_DM, &flat.ts).unwrap().thread_ts, None);
    let in_thread = |thread: &str, key| Look {
        thread_ts: Some(thread.to_owned()),
        ..look(ANA_DM, key)
    };
    let deep = world.found(&in_thread(&root.ts, "deep")).await.unwrap();
    let thread = slack.message(ANA_DM, &deep.ts).unwrap().thread_ts;
    assert_eq!(thread.as_ref(), Some(&root.ts));
    assert_eq!(world.found(&look(ANA, "flat")).await, Some(flat));
    let later = Look {
        oldest: deep.ts,
        ..look(ANA_DM, "flat")
    };
    for elsewhere in [
        look(ANA_DM, "deep"),
        in_thread(&root.ts, "flat"),
        in_thread("1.1", "flat"),
        later,
    ] {
        assert_eq!(world.found(&elsewhere).await, None, "{elsewhere:?}");
    }
    let refused = world.client.find(&look("C0X", "k")).await.unwrap_err();
    assert_eq!(code(refused), "channel_not_found");
}

#[tokio::test]
async fn looks_and_threads_go_through_all_pages() {
    let world = world(Options::default()).await;
    let first = world.client.post(&post(GENERAL, "old")).await.unwrap();
    for n in 0..210 {
        let text = n.to_string();
        let slack = world.slack();
        slack.post_as(ANA, GENERAL, &text, None).unwrap();
        slack.post_as(BEN, GENERAL, &text, Some(&first.ts)).unwrap();
    }
    let found = world.found(&look(GENERAL, "old")).await;
    assert_eq!(found.as_ref(), Some(&first));
    assert_eq!(world.slack().call_counts()["conversations.history"], 2);
    let channel = GENERAL.into();
    let thread = async |limit| {
        let thread = world.client.thread(&channel, &first.ts, limit);
        thread.await.unwrap()
    };
    let newest = thread(3).await;
    let texts: Vec<_> = newest.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["207", "208", "209"]);
    let whole = thread(1000).await;
    assert_eq!(whole.len(), 211);
    assert!(whole[0].from_app && !whole[1].from_app);
    assert_eq!(whole[1].user, Some(UserId::from(BEN)));
}

#[tokio::test]
async fn bots_and_deleted_users_are_no_people() {
    let world = world(Options::default()).await;
    let user = async |id: &str| world.client.user(&id.into()).await.unwrap();
    let ana = user(ANA).await.unwrap();
    assert_eq!(ana.username.as_str(), "ana");
    assert_eq!(ana.name.as_str(), "Ana Marques");
    assert_eq!(ana.email.as_str(), "ana@example.com");
    assert_eq!(ana.timezone.as_deref(), Some("Europe/Lisbon"));
    assert!(ana.is_person);
    let alfred = user(ALFRED).await.unwrap();
    assert!(!alfred.is_person);
    assert_eq!(user("U0NOBODY").await, None);
    let mut gone = world.slack().people().unwrap().remove(1);
    (gone.deleted, gone.email, gone.tz) = (true, String::new(), String::new());
    world.slack().put_person(&gone).unwrap();
    let gone = user(&gone.id).await.unwrap();
    assert!(!gone.is_person);
    assert_eq!(gone.email.as_str(), "");
    assert_eq!(gone.timezone, None);
}

#[tokio::test]
async fn answers_without_an_id_are_unknown() {
    let world = world(Options::default()).await;
    let answer = json!({"ok": true, "channels": [{"name": "general"}]}).to_string();
    let url = serve(move |_| Reply::new(200, "application/json", answer.clone()));
    let client = client(&url, &world.clock);
    let user = client.user(&ANA.into()).await.unwrap_err();
    let channels = client.channels(&ANA.into()).await.unwrap_err();
    assert_eq!([kind(&user), kind(&channels)], ["unknown"; 2]);
}

#[tokio::test]
async fn a_message_is_read_with_its_blocks() {
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
