use alfred_agent::model::{Chat, Exchange, Snapshot, Summary};
use alfred_agent::slack::card::action;
use alfred_agent::turn::chat::begin_anew;
use alfred_agent::{StepKind, Work};
use alfred_core::ports::QueueName;
use alfred_core::{ResponseType, SessionId, Taint, text};
use alfred_tests::command;
use std::sync::Arc;

use super::{LONG, PLACE, SHORT, SUMMARY, chatting};
use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::world::{World, message, team};

async fn said_before(world: &World, memory: Vec<Exchange>, chat: Chat) {
    let mut row = world.chat_row().await;
    (row.memory, row.chat) = (memory, Some(chat));
    let place = SessionId(PLACE.into());
    let writes = row.write(&team(), &"U1".into(), &place).unwrap();
    world.write(writes).await;
}

fn from_mail() -> Taint {
    Taint {
        untrusted: ["email_readEmail".to_owned()].into(),
        ..Taint::default()
    }
}

#[tokio::test]
async fn what_a_summary_was_made_from_goes_along_with_it() {
    let exchange = |request: &str, taint: Taint| Exchange {
        request: request.into(),
        answer: "I have read all of your mail for that, and here it is.".into(),
        taint,
        quotes: false,
        run: None,
    };
    let full = Chat {
        context_tokens: 1_000,
        ..Chat::default()
    };
    let mut world = chatting().await;
    let before = vec![
        exchange("what is new?", from_mail()),
        exchange("thanks", Taint::default()),
    ];
    said_before(&world, before, full).await;
    world.tell("and you?").await;
    let run = world.run_of("and you?").await;
    let steps = world.steps(&run.id).await;
    let StepKind::Compacted { taint, .. } = &steps[0].did else {
        panic!("{steps:?}")
    };
    assert_eq!(*taint, from_mail());
    let summary = world.chat_row().await.chat.unwrap().summary.unwrap();
    assert_eq!(summary.taint, from_mail());
    let chat = Chat {
        summary: Some(summary),
        ..Chat::default()
    };
    said_before(&world, Vec::new(), chat).await;
    world.tell("what was that?").await;
    assert_eq!(
        world.run_of("what was that?").await.taint,
        Taint {
            private: ["memory".to_owned()].into(),
            ..from_mail()
        }
    );
}

#[tokio::test]
async fn who_waits_in_line_takes_in_what_was_said_meanwhile() {
    let mut world = chatting().await;
    world.hear(SHORT, "first").await;
    world.hear(SHORT, "second").await;
    let (text, taint) = (SUMMARY.to_owned(), from_mail());
    let chat = Chat {
        summary: Some(Summary { text, taint }),
        changes: 1,
        ..Chat::default()
    };
    said_before(&world, Vec::new(), chat).await;
    world.drain().await;
    let second = world.run_of("second").await;
    assert!(second.taint.untrusted.contains("email_readEmail"));
    assert_eq!(second.before.history.len(), 1);
    assert_eq!(world.kept().await, ["first", "second"]);
}

#[tokio::test]
async fn what_is_said_while_something_is_asked_is_not_lost() {
    for anew in [false, true] {
        let mut world = chatting().await;
        for words in LONG {
            world.tell(words).await;
        }
        world.tell("task: call Ben").await;
        assert_eq!(world.summed_up(), 1);
        world.tell("and you?").await;
        if anew {
            let place = SessionId(PLACE.into());
            let ana = "U1".into();
            begin_anew(&world.ports, &team(), &ana, &place)
                .await
                .unwrap();
        }
        let asked = waiting(&world).await.remove(0);
        let remember = click("U1", action::REMEMBER, &value(&asked), "t1");
        world.ask(remember).await;
        assert_eq!(world.tasks("U1").await, 1);
        let (kept, summary) = match anew {
            false => (&[LONG[1], "and you?", "task: call Ben"][..], true),
            true => (&["task: call Ben"][..], false),
        };
        assert_eq!(world.kept().await, kept);
        let chat = world.chat_row().await.chat.unwrap();
        assert_eq!(chat.summary.is_some(), summary);
        world.tell("task, the same").await;
        assert_eq!(waiting(&world).await.len(), 0);
        assert_eq!(world.tasks("U1").await, 2);
    }
}

/// Ana writes in the thread of her direct message that starts at `root`.
fn in_thread(world: &mut World, root: &str, words: &str) -> alfred_core::Envelope {
    let ts = world.next_trigger().replace("call ", "9.");
    message("U1", "D1", &ts, Some(root), ResponseType::Dm, words)
}

#[tokio::test]
async fn a_thread_is_a_chat_until_it_is_left() {
    let mut world = chatting().await;
    let muse = |name: &str| (name == "muse").then(|| Snapshot::of("", [("muse.worker", SHORT)]));
    world.introduce(Arc::new(muse));
    world.ask(command("U1", "chat nobody", "t1")).await;
    assert_eq!(world.said(), ["I have no worker called nobody to talk to."]);
    world.ask(command("U9", "chat muse", "t2")).await;
    assert_eq!(world.said()[1], text::NOT_RECOGNISED);
    for delivery in 0..2 {
        // Slack repeats the command, and the first attempt may have stopped anywhere.
        let opening = command("U1", "chat muse", "t3");
        world.deliver(QueueName::Ingress, &opening).await.unwrap();
        assert_eq!(
            world.said()[2..],
            [
                "This thread is a conversation with muse: write what you want to say in it. With a space before it, /new begins anew, and /exit ends it."
            ],
            "{delivery}"
        );
    }
    let root = world.chat.posted()[2].ts.clone();
    for words in [
        "I like boats.",
        " /new",
        "hello",
        "/exit",
        "and who are you?",
    ] {
        let said = in_thread(&mut world, &root, words);
        world.ask(said.clone()).await;
        world.ask(said).await;
    }
    let said = world.said();
    let expected = [
        "Noted.",
        text::CHAT_BEGINS_ANEW,
        "Noted.",
        "That was it. If you write here again, I answer myself.",
        "Noted.",
    ];
    assert_eq!(said[3..], expected);
    let posted = world.chat.posted();
    assert!(
        posted[3..]
            .iter()
            .all(|one| one.thread_ts.as_ref() == Some(&root))
    );
    let hello = world.run_of("hello").await;
    assert!(hello.work.is_chat() && hello.before.history.is_empty());
    let alfred = world.run_of("and who are you?").await;
    assert_eq!((alfred.work, alfred.before.history.len()), (Work::Agent, 1));
}
