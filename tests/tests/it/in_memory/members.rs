//! Words from a private conversation may only reach its members.

use alfred_agent::model::Reason;
use alfred_core::ports::{ChatChannel, ChatError};
use alfred_core::{Envelope, ResponseType, Role};
use alfred_testkit::{When, calls, says};

use crate::in_memory::approvals::waiting;
use crate::in_memory::carried::free_sending;
use crate::in_memory::world::{World, message, simple};

/// A thread in which Mallory wrote, and a model that sends to `to`.
async fn thread(channel: &str, is_private: Option<bool>, to: &str) -> (World, String) {
    let arguments = serde_json::json!({"to": to, "text": "the merger is signed"}).to_string();
    let model = simple(move |request| {
        use alfred_core::ports::Message;
        Ok(match request.messages.last().unwrap() {
            Message::User { text } if text.contains("send") => {
                calls(&[("c1", "slack_sendMessage", &arguments)])
            }
            _ => says("The merger is signed."),
        })
    });
    let mut world = World::new(model).await;
    free_sending(&mut world);
    world.register("U2", "Ben", Role::Member).await;
    let channels = [
        (channel, "merger", is_private),
        ("C0OPEN", "general", Some(false)),
    ];
    for (id, name, is_private) in channels {
        let Some(is_private) = is_private else {
            continue;
        };
        let channel = ChatChannel {
            id: id.into(),
            name: name.into(),
            is_private,
            is_member: true,
        };
        world.chat.add_channel(channel, &["U1"]);
    }
    let first = world
        .chat
        .say(&channel.into(), None, &"U7".into(), "The merger is signed.");
    (world, first)
}

fn order(channel: &str, thread: &str, text: &str) -> Envelope {
    let ts = format!("1795262400.{:06}", 900_000 + text.len());
    message("U1", channel, &ts, Some(thread), ResponseType::Thread, text)
}

fn sent(world: &World) -> usize {
    let posted = world.chat.posted();
    let sent = posted.iter().filter(|kept| {
        kept.idempotency_key
            .as_deref()
            .unwrap_or_default()
            .ends_with(":c1")
    });
    sent.count()
}

#[tokio::test]
async fn its_words_go_elsewhere_only_with_a_yes_and_back_without() {
    for (is_private, to, asks) in [
        (Some(true), "U2", true),
        (Some(true), "#general", true),
        (Some(true), "C0OPEN", true),
        // A group's direct message is in no channel list.
        (None, "U2", true),
        (Some(true), "#Merger", false),
        (Some(true), "<#C0SECRET>", false),
        (Some(false), "U2", false),
        (Some(false), "#general", false),
    ] {
        let (mut world, first) = thread("C0SECRET", is_private, to).await;
        world
            .ask(order("C0SECRET", &first, &format!("send it to {to}")))
            .await;
        let asked = waiting(&world).await;
        let what = format!("{is_private:?} {to} {asked:?}");
        assert_eq!(
            (asked.len(), sent(&world)),
            (usize::from(asks), usize::from(!asks)),
            "{what}"
        );
        for approval in asked {
            let [Reason::RuleOfTwo { untrusted, private }] = &approval.reasons[..] else {
                panic!("{what}")
            };
            assert_eq!(
                (&untrusted[..], &private[..]),
                (
                    &["thread".to_owned()][..],
                    &["this conversation".to_owned()][..]
                )
            );
        }
    }
}

#[tokio::test]
async fn which_conversations_are_open_is_asked_of_slack_and_a_no_counts_as_closed() {
    let (mut world, first) = thread("C0SECRET", Some(false), "U2").await;
    let refused = ChatError::Refused {
        method: "conversations.list",
        code: "missing_scope".into(),
    };
    world
        .faults
        .fail_next("chat.channels", When::Before, refused);
    world.ask(order("C0SECRET", &first, "send it to U2")).await;
    assert_eq!((waiting(&world).await.len(), sent(&world)), (1, 0));
}
