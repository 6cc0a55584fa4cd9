//! Who gets an answer, what is remembered, and how requests queue.

use alfred_core::ports::{ChatUser, Message};
use alfred_core::text;
use alfred_testkit::{ScriptedModel, says};

use crate::in_memory::world::{World, dm, in_thread, mention, simple};

pub fn echo() -> ScriptedModel {
    simple(|request| {
        let mut said = request.messages.iter().rev();
        let asked = said.find_map(|message| match message {
            Message::User { text } => Some(text.to_string()),
            _ => None,
        });
        Ok(says(&format!("you said: {}", asked.unwrap())))
    })
}

#[tokio::test]
async fn an_administrator_is_registered_with_the_first_message() {
    let mut world = World::new(echo()).await;
    let mut config = (*world.ports.config).clone();
    config.admins = vec!["U7".into()];
    world.reconfigure(config);
    world.chat.add_user(ChatUser {
        id: "U7".into(),
        username: "root".into(),
        name: "Rita".into(),
        email: "rita@example.com".into(),
        timezone: Some("Asia/Tokyo".into()),
        is_person: true,
    });
    world.say(dm("U7", "1.1", "hi")).await;
    assert_eq!(world.said(), ["you said: hi"]);
}

#[tokio::test]
async fn odd_messages_are_answered_and_never_interpreted() {
    let long = "x".repeat(40_000);
    let odd = [
        long.as_str(),
        "🎉🎉",
        "مرحبا كيف حالك",
        "<!channel> <!here> everyone",
        "{\"blocks\":[{\"type\":\"actions\"}]}",
        "\u{202e}reversed",
    ];
    for text in odd {
        let mut world = World::new(echo()).await;
        world.say(dm("U1", "1.1", text)).await;
        let all = world.answers().join("");
        assert!(all.starts_with("you said:"), "{all}");
        assert!(!all.contains("<!"));
        assert_eq!(
            world.output().await.result.unwrap(),
            format!("you said: {text}")
        );
    }
    let mut world = World::new(echo()).await;
    world.say(dm("U1", "1.1", "   ")).await;
    assert_eq!(world.answers(), [text::SAY_SOMETHING]);
}

fn with_files(mut envelope: alfred_core::Envelope) -> alfred_core::Envelope {
    if let alfred_core::Payload::Message(message) = &mut envelope.payload {
        message.files = vec![alfred_core::envelope::SlackFile {
            id: None,
            kept: None,
            name: "plan.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: Some(52_100),
        }];
    }
    envelope
}

#[tokio::test]
async fn files_are_told_to_the_model_and_never_called_nothing() {
    let mut world = World::new(echo()).await;
    world.say(with_files(dm("U1", "1.1", "summarise"))).await;
    let answer = world.answers().remove(0);
    assert!(answer.starts_with("you said: summarise"), "{answer}");
    assert!(
        answer.contains("plan.pdf") && answer.contains("53 kB"),
        "{answer}"
    );
    let memory = world.session("T1/U1/DU1").await.memory;
    assert_eq!(memory[0].request, "summarise");
    world.say(with_files(dm("U1", "2.1", ""))).await;
    let only = world.answers().remove(1);
    assert!(
        only.contains("(no words beside the files)") && only.contains("plan.pdf"),
        "{only}"
    );
}

#[tokio::test]
async fn in_a_thread_replies_count_once_alfred_has_answered() {
    let mut world = World::new(echo()).await;
    let mut unasked = in_thread("1.5", "1.1", "and this?");
    if let alfred_core::Payload::Message(message) = &mut unasked.payload {
        message.mentioned = false;
    }
    world.say(unasked.clone()).await;
    assert!(world.answers().is_empty(), "not called yet");
    world.say(mention("1.1", "hi")).await;
    unasked.identity = "msg:C1:1.6".into();
    unasked.trace_id = alfred_core::TraceId::derive(&unasked.team, &unasked.identity);
    world.say(unasked.clone()).await;
    assert_eq!(world.said(), ["you said: hi", "you said: and this?"]);
    unasked.identity = "msg:C1:1.7".into();
    unasked.trace_id = alfred_core::TraceId::derive(&unasked.team, &unasked.identity);
    if let alfred_core::Payload::Message(message) = &mut unasked.payload {
        message.text = "<@U2> what do you think?".into();
    }
    world.say(unasked).await;
    assert_eq!(world.answers().len(), 2, "that was to somebody else");
}
