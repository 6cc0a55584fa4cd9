//! Answers that claim what has no receipt.

use alfred_core::ports::Message;
use alfred_testkit::{calls, says};

use crate::in_memory::world::{World, by_progress, dm, simple};

/// Each answer behind the one before.
async fn answering(answers: [&'static str; 2]) -> World {
    let model = simple(move |request| {
        let given = |message: &&Message| matches!(message, Message::Assistant { .. });
        let given = request.messages.iter().filter(given).count();
        Ok(says(answers[given]))
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "send Ben the agenda")).await;
    world
}

#[tokio::test]
async fn a_lie_that_is_told_again_stands_below_what_happened() {
    let told = ["I've sent it to Ben.", "Sorry! I have now sent it to Ben."];
    let world = answering(told).await;
    insta::assert_snapshot!(world.answers().join("\n"), @r"
    *Nothing was sent or changed.* If my answer says otherwise, that is wrong: there is no receipt for it.

    Sorry! I have now sent it to Ben.
    Nothing was sent or changed.
    ");
    let output = serde_json::to_string_pretty(&world.output().await).unwrap();
    insta::assert_snapshot!(output, @r#"
    {
      "success": false,
      "result": null,
      "actions_taken": [],
      "effects": [],
      "requires_approval": false,
      "error": "**Nothing was sent or changed.** If my answer says otherwise, that is wrong: there is no receipt for it.\n\nSorry! I have now sent it to Ben."
    }
    "#);
}

#[tokio::test]
async fn a_lie_that_is_taken_back_is_an_answer() {
    let told = ["I've sent it to Ben.", "I haven't sent it yet. Shall I?"];
    let world = answering(told).await;
    insta::assert_snapshot!(world.answers().join("\n"), @r"
    I haven't sent it yet. Shall I?
    Nothing was sent or changed.
    ");
    assert!(world.output().await.success);
}

#[tokio::test]
async fn what_has_a_receipt_may_be_said() {
    let script = vec![
        calls(&[("c1", "task_createTask", r#"{"title": "Call Ben"}"#)]),
        says("I've created the task."),
    ];
    let mut world = World::new(by_progress(script)).await;
    world.say(dm("U1", "1.1", "remind me to call Ben")).await;
    insta::assert_snapshot!(world.answers().join("\n"), @r#"
    I've created the task.
    ✓ Created task "Call Ben" (your backlog)
    "#);
    let effects = serde_json::to_string(&world.output().await.effects).unwrap();
    insta::assert_snapshot!(effects, @r#"[{"state":"done","line":"✓ Created task \"Call Ben\" (your backlog)"}]"#);
}
