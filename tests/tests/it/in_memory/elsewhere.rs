use alfred_agent::model::Status;
use alfred_core::Role;
use alfred_core::ports::Message;
use alfred_testkit::{calls, says};
use insta::assert_snapshot;

use crate::in_memory::approvals::{sent, waiting};
use crate::in_memory::in_words::{card, say, status};
use crate::in_memory::world::{World, shown, simple};

/// A changed request isn't a rejection, so no answer mentions one.
#[tokio::test]
async fn what_a_model_calls_off_for_its_person_they_did_not_reject() {
    let off = r#"{"approved": false}"#;
    let mut world = World::new(simple(move |request| {
        let known = |message: &Message| matches!(message, Message::Tool { .. });
        let (_, said) = alfred_agent::turn::conversation::request(&request.messages).unwrap();
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
