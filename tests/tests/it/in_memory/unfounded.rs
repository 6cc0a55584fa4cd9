//! The ledger under each reply lists the real effects, whatever the answer claims.

use alfred_testkit::{calls, says};

use crate::in_memory::world::{World, by_progress, dm, simple};

#[tokio::test]
async fn a_false_claim_is_followed_by_a_ledger_that_says_nothing_was_done() {
    let mut world = World::new(simple(|_| Ok(says("I've sent it to Ben.")))).await;
    world.say(dm("U1", "1.1", "send Ben the agenda")).await;
    insta::assert_snapshot!(world.answers().join("\n"), @r"
    I've sent it to Ben.
    Nothing was sent or changed.
    ");
    assert!(world.output().await.effects.is_empty());
}

#[tokio::test]
async fn an_effect_with_a_receipt_is_named_in_the_ledger() {
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
