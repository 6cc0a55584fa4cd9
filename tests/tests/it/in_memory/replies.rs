//! Where a reply goes, in how many parts, and how often.

use alfred_core::{ResponseType, text};
use alfred_slack_local::blocks::{self, Surface};
use alfred_testkit::{calls, says};

use crate::in_memory::world::{World, by_progress, dm, in_thread, mention, message};

async fn answered(text: &str) -> World {
    World::new(by_progress(vec![says(text)])).await
}

#[tokio::test]
async fn replies_go_where_they_were_asked() {
    let cases = [
        (dm("U1", "1.1", "hi"), "DU1", None),
        (
            message("U1", "DU1", "1.2", Some("1.1"), ResponseType::Dm, "hi"),
            "DU1",
            Some("1.1"),
        ),
        (in_thread("1.2", "1.1", "hi"), "C1", Some("1.1")),
        (mention("1.1", "hi"), "C1", Some("1.1")),
        (
            message("U1", "C1", "1.1", None, ResponseType::Dm, "hi"),
            "D1",
            None,
        ),
    ];
    for (envelope, channel, thread) in cases {
        let mut world = answered("hello").await;
        world.say(envelope).await;
        let posted = &world.chat.posted()[0];
        assert_eq!(posted.channel.as_str(), channel);
        assert_eq!(posted.thread_ts.as_deref(), thread);
        assert!(posted.idempotency_key.as_ref().unwrap().starts_with("run_"));
    }
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
async fn a_status_shows_and_is_settled_before_the_reply() {
    let mut world = answered("hello").await;
    world.say(dm("U1", "1.1", "hi")).await;
    let statuses = world.chat.statuses();
    assert_eq!(statuses.len(), 1);
    assert_eq!(statuses[0].2, text::STATUS_THINKING);
}

#[tokio::test]
async fn a_notification_is_cut_between_escapes_and_a_ledger_has_none() {
    for lead in 0..6 {
        let title = format!("{}{}", "x".repeat(lead), "&".repeat(100));
        let arguments = serde_json::json!({ "title": title }).to_string();
        let asked = calls(&[("c1", "task_createTask", &arguments)]);
        let said = format!("{}{}", "y".repeat(lead), "&".repeat(400));
        let mut world = World::new(by_progress(vec![asked, says(&said)])).await;
        world.say(dm("U1", "1.1", "hi")).await;
        let posted = &world.chat.posted()[0];
        let cut = posted.text.as_str();
        assert!(cut.ends_with("&amp;…"), "{cut}");
        let ledger = crate::in_memory::world::shown("", &posted.blocks);
        let line = ledger.lines().find(|line| line.starts_with('✓')).unwrap();
        assert!(
            line.contains(&title),
            "values stand in the ledger as they are: {line}"
        );
    }
}

#[tokio::test]
async fn a_ledger_that_does_not_fit_behind_the_words_has_a_message_of_its_own() {
    let title = "\"".repeat(190);
    let arguments = serde_json::json!({ "title": title }).to_string();
    let many: Vec<(String, &str)> = (0..12)
        .map(|n| (format!("c{n}"), arguments.as_str()))
        .collect();
    let asked: Vec<(&str, &str, &str)> = many
        .iter()
        .map(|(id, arguments)| (id.as_str(), "task_createTask", *arguments))
        .collect();
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
