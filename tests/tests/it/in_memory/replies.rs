//! Where a reply goes, in how many parts, and how often.

use alfred_slack_local::blocks::{self, Surface};
use alfred_testkit::{calls, says};

use crate::in_memory::world::{World, by_progress, dm, mention};

async fn answered(text: &str) -> World {
    World::new(by_progress(vec![says(text)])).await
}

#[tokio::test]
async fn a_long_answer_continues_and_nothing_is_cut() {
    let words: Vec<String> = (0..12_000).map(|n| format!("word{n}")).collect();
    let mut world = answered(&words.join(" ")).await;
    world.say(mention("1.1", "long")).await;
    let posted = world.chat.posted();
    assert!(posted.len() > 5, "{}", posted.len());
    let all = world.answers().join("\n");
    for word in &words {
        assert!(all.contains(word.as_str()), "{word} is lost");
    }
    for part in posted {
        assert_eq!(part.thread_ts.as_deref(), Some("1.1"));
        assert!(part.blocks.len() <= 45);
    }
}

#[tokio::test]
async fn blocks_fit_slacks_limit_whatever_they_hold() {
    for piece in ["\"", "\\ ", "\u{1}", "漢", "```\n\"\\\"\n```\n", "& < >"] {
        let mut world = answered(&piece.repeat(9_000)).await;
        world.say(dm("U1", "1.1", "long")).await;
        for part in world.chat.posted() {
            let json = serde_json::to_string(&part.blocks).unwrap();
            let size = json.chars().count();
            assert!(size <= 13_200, "{size} of {piece:?}");
        }
    }
}

#[tokio::test]
async fn a_ledger_that_does_not_fit_behind_the_words_has_a_message_of_its_own() {
    let title = "\"".repeat(190);
    let arguments = serde_json::json!({ "title": title }).to_string();
    let ids: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
    let asked = ids.iter().map(|id| (&**id, "task_createTask", &*arguments));
    let asked: Vec<(&str, &str, &str)> = asked.collect();
    let said = "All of it is on your list. ".repeat(330);
    let mut world = World::new(by_progress(vec![calls(&asked), says(&said)])).await;
    world.say(dm("U1", "1.1", "hi")).await;
    let posted = world.chat.posted();
    assert!(posted.len() > 1);
    for kept in &posted {
        let checked = blocks::check(&kept.blocks, Surface::Message);
        assert!(checked.is_ok(), "{checked:?}");
        assert!(blocks::size(&kept.blocks) <= blocks::BLOCKS_CHARACTERS);
    }
    let last = crate::in_memory::world::shown("", &posted.last().unwrap().blocks);
    assert!(last.contains("✓ Created task"), "{last}");
}
