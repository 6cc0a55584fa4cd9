//! Many calls of one turn that need approval, and cards that Slack takes nowhere.

use alfred_agent::RunState;
use alfred_core::Role;
use alfred_core::ports::{ChatError, Message, Turn};
use alfred_testkit::{When, calls};
use std::collections::BTreeSet;

use crate::in_memory::approvals::{click, sending, sent, waiting};
use crate::in_memory::world::{World, calling, dm, mention, shown};

fn messages(count: usize) -> Turn {
    let messages = (0..count).map(|at| {
        (
            format!("c{at}"),
            format!(r#"{{"to": "U2", "text": "Order {at:02}"}}"#),
        )
    });
    let messages: Vec<(String, String)> = messages.collect();
    let each = messages
        .iter()
        .map(|(id, arguments)| (id.as_str(), "slack_sendMessage", arguments.as_str()));
    calls(&each.collect::<Vec<_>>())
}

async fn asked_for(count: usize) -> World {
    let mut world = World::new(calling(messages(count))).await;
    world.register("U2", "Ben", Role::Member).await;
    world.ask(dm("U1", "1.1", "Send Ben each order")).await;
    world
}

fn refused(code: &str) -> ChatError {
    ChatError::Refused {
        method: "chat.postMessage",
        code: code.into(),
    }
}

#[tokio::test]
async fn twenty_calls_of_one_turn_are_asked_about_and_sent_once_each() {
    let mut world = asked_for(20).await;
    let cards = waiting(&world).await;
    assert_eq!(cards.len(), 20);
    assert_eq!(world.root().await.state, RunState::Asking { shown: true });
    for card in &cards {
        world.decide(card, "approval_approve").await;
    }
    let sent = sent(&world);
    assert_eq!(
        (sent.len(), sent.iter().collect::<BTreeSet<_>>().len()),
        (20, 20)
    );
    assert!(matches!(world.root().await.state, RunState::Done { .. }));
}

#[tokio::test]
async fn calls_beyond_twenty_are_refused_to_the_model_with_the_limit() {
    let mut world = asked_for(60).await;
    let cards = waiting(&world).await;
    assert_eq!(cards.len(), 20);
    for card in &cards {
        world.decide(card, "approval_reject").await;
    }
    let last = world.model.requests().pop().unwrap();
    let results = last.messages.iter().filter_map(|message| match message {
        Message::Tool { text, .. } => Some(text.to_string()),
        _ => None,
    });
    let limited = results.filter(|text| text.contains("at most 20"));
    assert_eq!(limited.count(), 40);
    assert!(sent(&world).is_empty());
}

#[tokio::test]
async fn a_request_with_twenty_cards_can_be_stopped() {
    let mut world = asked_for(20).await;
    let run = world.root().await.id;
    world
        .ask(click("U1", "run_stop", &run.to_string(), "t1"))
        .await;
    assert!(waiting(&world).await.is_empty());
    assert!(matches!(world.root().await.state, RunState::Done { .. }));
}

#[tokio::test]
async fn a_card_that_its_place_does_not_take_is_shown_in_the_direct_message() {
    let mut world = sending().await;
    world
        .faults
        .fail_next("chat.post", When::Before, refused("thread_not_found"));
    world.ask(dm("U1", "1.1", "Ask Ben for lunch")).await;
    let approval = waiting(&world).await.remove(0);
    let posted = world.chat.posted().pop().unwrap();
    assert!(shown(&posted.text, &posted.blocks).contains("Lunch at noon?"));
    assert_eq!(posted.channel.as_str(), "D1");
    world.decide(&approval, "approval_reject").await;
    let posted = world.chat.posted().pop().unwrap();
    assert!(
        !shown(&posted.text, &posted.blocks).contains("Why I ask"),
        "the card says what was decided"
    );
}

#[tokio::test]
async fn a_run_whose_card_is_taken_nowhere_ends_with_words() {
    let mut world = sending().await;
    world
        .faults
        .fail_next("chat.post", When::Before, refused("channel_not_found"));
    world
        .faults
        .fail_next("chat.post", When::Before, refused("channel_not_found"));
    world.ask(mention("1.1", "Ask Ben for lunch")).await;
    let RunState::Done { output } = world.root().await.state else {
        panic!("the run sleeps without a card")
    };
    assert!(!output.success);
    let answer = world.answers().pop().unwrap();
    assert!(answer.contains("can't write to you directly"), "{answer}");
    assert!(sent(&world).is_empty() && waiting(&world).await.is_empty());
}
