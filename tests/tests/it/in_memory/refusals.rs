//! A reply that Slack refuses is sent in another form, never dropped.

use alfred_core::ports::ChatError;
use alfred_testkit::{When, calls, says};

use crate::in_memory::world::{World, by_progress, dm};

const ANSWER_REFUSED: &str =
    "I finished, but Slack wouldn't take my answer. Please ask me about it again.";

async fn answered(text: &str) -> World {
    World::new(by_progress(vec![says(text)])).await
}

fn refuse(world: &World, codes: &[&str]) {
    for code in codes {
        let (method, code) = ("chat.postMessage", (*code).to_owned());
        let refused = ChatError::Refused { method, code };
        world.faults.fail_next("chat.post", When::Before, refused);
    }
}

#[tokio::test]
async fn refused_blocks_become_plain_text_with_every_word_and_the_ledger() {
    let asked = calls(&[("c1", "task_createTask", "{\"title\": \"Call Ana\"}")]);
    let words: Vec<String> = (0..1_000).map(|n| format!("word{n}")).collect();
    let script = vec![asked, says(&words.join(" "))];
    let mut world = World::new(by_progress(script)).await;
    refuse(&world, &["invalid_blocks"]);
    world.say(dm("U1", "1.1", "hi")).await;
    let posted = world.chat.posted();
    assert_eq!(posted.len(), 1);
    assert!(posted[0].blocks.is_empty());
    for word in words.iter().map(String::as_str).chain(["✓", "Call Ana"]) {
        assert!(posted[0].text.contains(word), "{word} is lost");
    }
    assert!(world.output().await.success);
    assert_eq!(world.root().await.progress.refused_reply, None);
}

#[tokio::test]
async fn the_rest_of_a_long_reply_follows_a_part_that_was_refused() {
    let words: Vec<String> = (0..4_000).map(|n| format!("word{n}")).collect();
    let mut world = answered(&words.join(" ")).await;
    refuse(&world, &["invalid_blocks"; 3]);
    world.say(dm("U1", "1.1", "long")).await;
    let answers = world.answers();
    assert!(answers.len() > 2, "{}", answers.len());
    assert_eq!(answers[0], ANSWER_REFUSED);
    assert!(answers.last().unwrap().contains("word3999"));
    let refused = world.root().await.progress.refused_reply;
    assert_eq!(refused.as_deref(), Some("invalid_blocks"));
}
