//! What is decided or called off elsewhere: cards, lists and replies say what became of it.

use alfred_agent::approval::{Approval, Status};
use alfred_core::envelope::Payload;
use alfred_core::ports::Message;
use alfred_core::{Role, text};
use alfred_testkit::{Kept, calls, says};
use alfred_tests::seen;
use insta::assert_snapshot;
use std::time::Duration;

use crate::in_memory::approvals::{sent, value, waiting};
use crate::in_memory::in_words::{DM, asking, card, say, status};
use crate::in_memory::world::{World, click, shown, simple};
use alfred_tests::command;

/// Three cards, and the list of them that a "yes" got.
async fn listed() -> (World, Vec<Approval>, Kept) {
    let mut world = asking().await;
    for words in ["Tell Ben hi", "Tell Ben bye", "Tell Ben more"] {
        say(&mut world, None, words).await;
    }
    say(&mut world, None, "yes").await;
    let list = world.chat.posted().pop().unwrap();
    assert!(list.text.contains(&text::which_one()));
    let cards = waiting(&world).await;
    (world, cards, list)
}

/// The list as it is now, without the times at which something was decided.
fn list_of(world: &World, list: &Kept) -> String {
    let mut posted = world.chat.posted().into_iter();
    let list = posted.rfind(|kept| kept.ts == list.ts).unwrap();
    let said = seen(&list.text, &list.blocks);
    let said = said
        .lines()
        .map(|line| line.split(" <!date").next().unwrap());
    said.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_list_shows_what_still_waits_wherever_the_rest_was_decided() {
    let (mut world, cards, list) = listed().await;
    let mut press = click("U1", "approval_approve_listed", &value(&cards[0]), "listed");
    if let Payload::Click(pressed) = &mut press.payload {
        pressed.message_ts = Some(list.ts.clone());
        pressed.reply_to.channel = DM.into();
    }
    world.ask(press).await;
    let on_it = list_of(&world, &list);
    world.decide(&cards[1], "approval_reject").await;
    let on_a_card = list_of(&world, &list);
    world.clock.advance(Duration::from_secs(3_601));
    world.sweep().await;
    let in_time = list_of(&world, &list);
    assert_eq!(sent(&world).len(), 1);
    assert_snapshot!([on_it, on_a_card, in_time].join("\n---\n"), @"
Several things wait for you here. Press the button of the one you mean, or answer in its card's thread:
Send a Slack message: Ben (@ben), a direct message: “Tell Ben hi”
:white_check_mark: Approved by <@U1>
Send a Slack message: Ben (@ben), a direct message: “Tell Ben bye”
[Approve]
[Reject]
Send a Slack message: Ben (@ben), a direct message: “Tell Ben more”
[Approve]
[Reject]
---
Several things wait for you here. Press the button of the one you mean, or answer in its card's thread:
Send a Slack message: Ben (@ben), a direct message: “Tell Ben hi”
:white_check_mark: Approved by <@U1>
Send a Slack message: Ben (@ben), a direct message: “Tell Ben bye”
:no_entry: Rejected by <@U1>
Send a Slack message: Ben (@ben), a direct message: “Tell Ben more”
[Approve]
[Reject]
---
Nothing of this waits for you any more:
Send a Slack message: Ben (@ben), a direct message: “Tell Ben hi”
:white_check_mark: Approved by <@U1>
Send a Slack message: Ben (@ben), a direct message: “Tell Ben bye”
:no_entry: Rejected by <@U1>
Send a Slack message: Ben (@ben), a direct message: “Tell Ben more”
:hourglass: Expired
");
}

#[tokio::test]
async fn a_list_loses_the_buttons_of_what_is_stopped_and_to_the_next_list() {
    let (mut world, cards, list) = listed().await;
    say(&mut world, None, "Tell Ben soon").await;
    say(&mut world, None, "yes").await;
    let before = list_of(&world, &list);
    assert!(
        before.contains("Tell Ben bye") && !before.contains("[Approve]"),
        "{before}"
    );
    let next = world.chat.posted().pop().unwrap();
    world.ask(command("U1", "stop", "t1")).await;
    world
        .ask(click("U1", "run_stop", &cards[0].run.to_string(), "t2"))
        .await;
    let buttons = list_of(&world, &next).matches("[Approve]").count();
    assert_eq!(buttons, 3, "of four");
}

/// Who wants it otherwise hasn't rejected what was asked, and is told so of none of the two.
#[tokio::test]
async fn what_a_model_calls_off_for_its_person_they_did_not_reject() {
    let off = r#"{"approved": false}"#;
    let mut world = World::new(simple(move |request| {
        let known = |message: &Message| matches!(message, Message::Tool { .. });
        let (_, said) = alfred_agent::conversation::request(&request.messages).unwrap();
        Ok(match said {
            _ if request.messages.last().is_some_and(known) => says("Here is where it stands."),
            "I'd rather call him" => calls(&[("c2", "system_confirmProposal", off)]),
            _ => calls(&[("c1", "slack_sendMessage", r#"{"to": "U2", "text": "Hi"}"#)]),
        })
    }))
    .await;
    world.register("U2", "Ben", Role::Member).await;
    say(&mut world, None, "Tell Ben hi").await;
    let approval = waiting(&world).await.remove(0);
    say(&mut world, None, "I'd rather call him").await;
    assert_eq!(status(&world, &approval).await, Status::CalledOff);
    let card = card(&world, &approval);
    assert!(sent(&world).is_empty());
    assert!(shown(&card.text, &card.blocks).contains(":no_entry: Called off <!date"));
    let told = world.answers();
    assert!(
        !told.iter().any(|said| said.contains("ejected")),
        "{told:?}"
    );
    assert_snapshot!(told[1..].join("\n---\n"), @"
Here is where it stands.
Nothing was sent or changed.
---
Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (called off before you decided)
Nothing was sent or changed.
");
}
