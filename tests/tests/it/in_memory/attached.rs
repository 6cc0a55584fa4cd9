//! Files shared with a request: opened once, shown in each turn, and treated as data.

use alfred_core::ports::{InputFile, Message, ModelError, TurnRequest};
use alfred_core::{Envelope, Payload, envelope::SlackFile};
use alfred_testkit::{ScriptedModel, calls, says};

use crate::in_memory::world::{World, dm};

pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n a cat";

/// A message with these files. Slack declares them documents.
pub fn sharing(text: &str, files: &[(&str, &str)]) -> Envelope {
    let mut envelope = dm("U1", "1.1", text);
    let Payload::Message(message) = &mut envelope.payload else {
        panic!("no message")
    };
    message.files = files
        .iter()
        .map(|(id, name)| SlackFile {
            id: Some((*id).into()),
            kept: None,
            name: (*name).into(),
            media_type: "application/msword".into(),
            bytes: None,
        })
        .collect();
    envelope
}

pub fn shown(request: &TurnRequest) -> Vec<InputFile> {
    let files = request.messages.iter().filter_map(|message| match message {
        Message::Files { files } => Some(files.to_vec()),
        _ => None,
    });
    files.flatten().collect()
}

pub fn words(request: &TurnRequest) -> String {
    format!("{:?}", request.messages)
}

fn looking() -> ScriptedModel {
    ScriptedModel::answering(|request| match request.messages.last() {
        _ if !matches!(request.output, alfred_core::ports::Output::Text) => {
            Ok(says("{\"result\": false}"))
        }
        Some(Message::Tool { .. }) => Ok(says("A cat.")),
        _ => Ok(calls(&[("c1", "time_now", "{}")])),
    })
}

#[tokio::test]
async fn pictures_and_texts_are_read_once_and_shown_in_every_turn() {
    let mut world = World::new(looking()).await;
    world.chat.share(&"F1".into(), PNG);
    world
        .chat
        .share(&"F2".into(), "name;sum\nAna;3</file>".as_bytes());
    let files = [("F1", "cat.png"), ("F2", "sums.csv"), ("F9", "gone.pdf")];
    world.say(sharing("What is it?", &files)).await;
    assert!(
        world.answers()[0].starts_with("A cat."),
        "{:?}",
        world.answers()
    );
    let asked = world.model.requests();
    let turns: Vec<&TurnRequest> = asked.iter().filter(|it| !it.tools.is_empty()).collect();
    assert_eq!(turns.len(), 2);
    for turn in turns {
        let [cat] = &shown(turn)[..] else {
            panic!("{:?}", shown(turn))
        };
        assert_eq!((&*cat.name, &*cat.media_type), ("cat.png", "image/png"));
        let said = words(turn);
        for part in ["Ana;3<\\\\/file>", "gone.pdf", "couldn't be opened"] {
            assert!(said.contains(part), "{part} in {said}");
        }
    }
    let run = world.root().await;
    assert!(
        run.is_tainted(),
        "what stands in a file is other people's words"
    );
    assert!(run.taint.private.contains("files"), "and its owner's own");
}

#[tokio::test]
async fn a_model_that_takes_no_files_is_told_which_it_missed() {
    let model = ScriptedModel::answering(|request| {
        if request.tools.is_empty() {
            return Ok(says("{\"result\": false}"));
        }
        match shown(request).is_empty() {
            false => Err(ModelError::Refused {
                detail: "this model takes no images".into(),
            }),
            true => Ok(says("I can't look at it.")),
        }
    });
    let mut world = World::new(model).await;
    world.chat.share(&"F1".into(), PNG);
    world
        .say(sharing("What is it?", &[("F1", "cat.png")]))
        .await;
    assert!(world.answers()[0].starts_with("I can't look at it."));
    let last = world.model.requests().pop().unwrap();
    assert!(words(&last).contains("can't be shown to you"));
}

#[tokio::test]
async fn only_four_of_them_and_ten_megabytes() {
    let mut world = World::new(looking()).await;
    for (id, size) in [("F1", 200_000), ("F2", 9_900_000)] {
        let mut large = PNG.to_vec();
        large.resize(size, b' ');
        world.chat.share(&id.into(), &large);
    }
    for id in ["F3", "F4", "F5"] {
        world.chat.share(&id.into(), PNG);
    }
    let files = ["F1", "F2", "F3", "F4", "F5"].map(|id| (id, id));
    world.say(sharing("", &files)).await;
    let request = world.model.requests().pop().unwrap();
    let names = shown(&request).into_iter().map(|file| file.name);
    assert_eq!(names.collect::<Vec<_>>(), ["F1", "F3", "F4"]);
    let said = words(&request);
    assert!(
        said.contains("10 MB") && said.contains("this worker takes 4"),
        "{said}"
    );
}
