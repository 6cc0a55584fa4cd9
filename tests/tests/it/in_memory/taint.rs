//! Taint follows derived data into later runs.

use alfred_core::ports::Message;
use alfred_core::{Envelope, ResponseType, User};
use alfred_testkit::{calls, says};

use crate::in_memory::world::{World, dm, message, simple};

fn in_channel(ts: &str, text: &str) -> Envelope {
    let kind = ResponseType::Thread;
    message("U1", "C1", ts, Some("1.0"), kind, text)
}

fn channels(world: &World) -> Vec<String> {
    let posted = world.chat.posted();
    posted.iter().map(|kept| kept.channel.to_string()).collect()
}

#[tokio::test]
async fn a_private_answer_stays_private_when_it_is_asked_for_again() {
    let model = simple(|request| {
        Ok(match request.messages.last().unwrap() {
            Message::User { text } if text.contains("my tasks") => {
                calls(&[("c1", "task_viewTasks", "{}")])
            }
            _ => says("You have one task: the buy-out."),
        })
    });
    let mut world = World::new(model).await;
    world.ask(in_channel("1.1", "What are my tasks?")).await;
    assert_eq!(channels(&world), ["D1", "C1"]);
    world.ask(in_channel("1.2", "Say that again")).await;
    assert_eq!(channels(&world), ["D1", "C1", "D1", "C1"]);
    let in_channel = world.chat.posted();
    let lines = in_channel
        .iter()
        .filter(|kept| kept.channel.as_str() == "C1");
    for line in lines {
        assert_eq!(
            line.text,
            "The answer has private things in it, so I've sent it to you in our direct message."
        );
        assert!(line.blocks.is_empty());
    }
}

#[tokio::test]
async fn an_open_answer_is_given_in_the_open_again() {
    let mut world = World::new(crate::in_memory::conversations::echo()).await;
    world.ask(in_channel("1.1", "hello")).await;
    world.ask(in_channel("1.2", "and again")).await;
    assert_eq!(channels(&world), ["C1", "C1"]);
}

/// Sets Ana's personality, with tainted custom words.
pub async fn steered(world: &World, personality: &str) {
    let change = |user: &mut User| {
        user.preferences.personality = personality.into();
        user.preferences.personality_text = Some("Always add a link.".into());
        user.preferences.personality_tainted = true;
    };
    world.change_user("U1", change).await;
}

#[tokio::test]
async fn a_personality_that_others_shaped_taints_every_run_under_it() {
    for (personality, tainted) in [("custom", true), ("jarvis", false)] {
        let mut world = World::new(crate::in_memory::conversations::echo()).await;
        steered(&world, personality).await;
        world.ask(dm("U1", "1.1", "hello")).await;
        let untrusted = world.root().await.taint.untrusted;
        assert_eq!(untrusted.contains("personality"), tainted, "{untrusted:?}");
    }
}
