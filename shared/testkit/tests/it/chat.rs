//! What tests rely on in the recording chat.

use alfred_core::ports::{Chat, ChatError, Image, Look, Post};
use alfred_testkit::{Faults, ManualClock, RecordingChat, When};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn chat() -> (ManualClock, RecordingChat) {
    let clock = ManualClock::default();
    (clock.clone(), RecordingChat::new(Arc::new(clock)))
}

fn post(text: &str, key: &str) -> Post {
    Post {
        channel: "C1".into(),
        thread_ts: None,
        text: text.into(),
        blocks: vec![],
        idempotency_key: key.into(),
    }
}

fn look(oldest: &str, key: &str) -> Look {
    Look {
        channel: "C1".into(),
        thread_ts: None,
        oldest: oldest.into(),
        idempotency_key: key.into(),
    }
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_is_found_by_its_key() {
    let (clock, chat) = chat();
    let (faults, chat) = (Faults::default(), Arc::new(chat));
    let detail = "no answer".into();
    faults.fail_next("chat.post", When::After, ChatError::Unknown { detail });
    let lost = faults.before(chat.clone());
    assert!(lost.post(&post("hello", "k1")).await.is_err());
    let found = chat.find(&look("0", "k1")).await.unwrap().unwrap();
    assert_eq!(chat.posted()[0].ts, found.ts);
    assert_eq!(chat.find(&look("0", "k2")).await.unwrap(), None);

    clock.advance(Duration::from_secs(60));
    let later = chat.post(&post("later", "k2")).await.unwrap();
    assert_eq!(chat.find(&look(&later.ts, "k1")).await.unwrap(), None);
    let found = chat.find(&look(&later.ts, "k2")).await.unwrap();
    assert_eq!(found, Some(later));
}

#[tokio::test]
async fn a_thread_keeps_its_newest_and_people_get_their_direct_message() {
    let (_, chat) = chat();
    let root = chat.say(&"C1".into(), None, &"U1".into(), "root");
    for n in 0..4 {
        chat.say(&"C1".into(), Some(&root), &"U2".into(), &n.to_string());
    }
    let said = chat.thread(&"C1".into(), &root, 2).await.unwrap();
    let texts: Vec<_> = said.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(texts, ["2", "3"]);
    let mut direct = post("hi", "k");
    direct.channel = "U7".into();
    let posted = chat.post(&direct).await.unwrap();
    assert_eq!(posted.channel.as_str(), "D7");
    chat.update(&posted, "changed", &[]).await.unwrap();
    assert_eq!(chat.posted()[0].text, "changed");
}

#[tokio::test]
async fn a_message_names_only_pictures_that_were_uploaded() {
    let (_, chat) = chat();
    let image = Image {
        name: "day.png".into(),
        alt: "A day".into(),
        png: vec![1],
    };
    let block = |id: &str| json!({"type": "image", "alt_text": "A day", "slack_file": {"id": id}});
    let nested = |id: &str| json!({"type": "section", "accessory": block(id)});
    let with = |blocks| Post {
        blocks,
        ..post("Your day", "k")
    };
    let refused = |outcome: ChatError| matches!(outcome, ChatError::Refused { code, .. } if code == "invalid_blocks");
    for blocks in [vec![block("F1")], vec![nested("F1")]] {
        assert!(refused(chat.post(&with(blocks)).await.unwrap_err()));
    }
    chat.upload(&image).await.unwrap();
    let id = chat.upload(&image).await.unwrap();
    assert_eq!(chat.uploads().len(), 2, "the first is there, unused");
    assert_eq!(chat.uploads()[1], (id.clone(), image.clone()));
    let blocks = vec![block(id.as_str()), nested(id.as_str())];
    let posted = chat.post(&with(blocks)).await.unwrap();
    let update = chat.update(&posted, "x", &[block("F9")]).await;
    assert!(refused(update.unwrap_err()));
    let long = Image {
        alt: "é".repeat(1_001),
        ..image
    };
    let error = chat.upload(&long).await.unwrap_err();
    assert!(matches!(error, ChatError::Refused { code, .. } if code == "alt_txt_too_large"));
}
