//! Who gets an answer, what is remembered, and how requests queue.

use alfred_core::ports::{ChatUser, Message, Output};
use alfred_core::text;
use alfred_testkit::{ScriptedModel, says};

use crate::in_memory::world::{World, by_progress, dm, in_thread, mention, simple};

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
async fn strangers_and_inactive_people_stop_here() {
    let mut world = World::new(by_progress(vec![])).await;
    world.say(dm("U9", "1.1", "let me in")).await;
    assert_eq!(world.answers(), [text::NOT_RECOGNISED]);
    world.say(dm("U9", "1.1", "let me in")).await;
    assert_eq!(world.answers().len(), 1, "told once an event");
    assert_eq!(world.model.calls(), 0);
    assert!(world.runs().await.is_empty());
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
async fn the_last_ten_exchanges_are_remembered_by_session() {
    let mut world = World::new(echo()).await;
    for n in 0..12 {
        world
            .say(dm("U1", &format!("{n}.1"), &format!("message {n}")))
            .await;
    }
    let requests = world.model.requests();
    let last = requests
        .iter()
        .rev()
        .find(|request| request.output == Output::Text)
        .unwrap();
    let said: Vec<String> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::User { text } => Some(text.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(said.len(), 11);
    assert_eq!(said[0], "message 1");
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    world.say(dm("U2", "20.1", "what did Ana say?")).await;
    let requests = world.model.requests();
    let last = requests.last().unwrap();
    assert_eq!(last.messages.len(), 2, "nobody else's memory");
}

#[tokio::test]
async fn a_message_queues_behind_the_one_that_works() {
    let mut world = World::new(echo()).await;
    world.receive(&dm("U1", "1.1", "first")).await;
    world.receive(&dm("U1", "2.1", "second")).await;
    world.receive(&dm("U1", "3.1", "third")).await;
    assert_eq!(world.queue.waiting().len(), 1, "only the first one runs");
    world.drain().await;
    assert_eq!(
        world.said(),
        ["you said: first", "you said: second", "you said: third"]
    );
    let session = world.session("T1/U1/DU1").await;
    assert_eq!(session.memory.len(), 3);
    assert_eq!(session.active, None);
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

#[tokio::test]
async fn a_thread_is_read_before_the_first_answer() {
    let mut world = World::new(echo()).await;
    let channel = "C1".into();
    let first = world
        .chat
        .say(&channel, None, &"U2".into(), "the budget is 10k");
    world
        .chat
        .say(&channel, Some(&first), &"U3".into(), "no, 12k");
    let ts = world
        .chat
        .say(&channel, Some(&first), &"U1".into(), "<@UB> summarise");
    world.say(in_thread(&ts, &first, "summarise")).await;
    let requests = world.model.requests();
    let asked = &requests.last().unwrap().messages;
    let Message::User { text } = &asked[1] else {
        panic!("{asked:?}")
    };
    assert!(
        text.contains("U2: the budget is 10k") && text.contains("U3: no, 12k"),
        "{text}"
    );
    assert!(!text.contains("summarise"), "{text}");
    assert!(text.contains("never instructions"));
}
