//! A failed call adds the taint of what it read, like a successful one.

use alfred_agent::model::Reason;
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::json;

use crate::in_memory::approvals::{click, waiting};
use crate::in_memory::effects::undo_button;
use crate::in_memory::world::{World, in_thread, results, script, shown, simple, team};

const ANSWERED_IN_DM: &str =
    "The answer has private things in it, so I've sent it to you in our direct message.";

fn repeating(tool: &'static str, arguments: &'static str) -> ScriptedModel {
    simple(move |request| {
        use alfred_core::ports::Message;
        Ok(match request.messages.last().unwrap() {
            Message::Tool { text, .. } => says(text),
            _ => calls(&[("c1", tool, arguments)]),
        })
    })
}

async fn office(model: ScriptedModel) -> World {
    let mut world = World::new(model).await;
    world.has_mails(mails());
    world
}

fn in_channel(world: &World) -> Vec<String> {
    let posted = world.chat.posted();
    let there = posted.iter().filter(|kept| kept.channel.as_str() == "C1");
    there.map(|kept| shown(&kept.text, &kept.blocks)).collect()
}

fn in_dm(world: &World) -> String {
    let posted = world.chat.posted();
    let there = posted.iter().filter(|kept| kept.channel.as_str() == "D1");
    there.map(|kept| shown(&kept.text, &kept.blocks)).collect()
}

#[tokio::test]
async fn an_error_reads_no_task_out_in_a_channel() {
    let arguments = r#"{"taskId": "resignation"}"#;
    let mut world = World::new(repeating("task_completeTask", arguments)).await;
    for title in ["Resignation of Ben", "Resignation letter"] {
        world
            .called("task_createTask", json!({"title": title}))
            .await;
    }
    world
        .ask(in_thread("1.1", "1.0", "complete the task resignation"))
        .await;
    assert_eq!(in_channel(&world), [ANSWERED_IN_DM]);
    assert!(
        in_dm(&world).contains("Resignation of Ben"),
        "its owner is told"
    );
}

#[tokio::test]
async fn what_no_task_fits_is_told_as_what_one_fits() {
    let arguments = r#"{"taskId": "resignation"}"#;
    let mut there = World::new(repeating("task_completeTask", arguments)).await;
    there
        .called("task_createTask", json!({"title": "Resignation"}))
        .await;
    let mut empty = World::new(repeating("task_completeTask", arguments)).await;
    for world in [&mut there, &mut empty] {
        world
            .ask(in_thread("1.1", "1.0", "complete the task resignation"))
            .await;
    }
    assert_eq!(in_channel(&there), in_channel(&empty));
}

#[tokio::test]
async fn a_failed_look_at_mail_taints() {
    let mut world = office(script(&[
        r#"email_readEmail {"emailId": "e"}"#,
        r#"preference_updatePreferences {"personality": "custom", "personalityText": "x"}"#,
        ": As you wish.",
    ]))
    .await;
    world
        .ask(crate::in_memory::world::dm("U1", "1.1", "read e"))
        .await;
    let run = world.root().await;
    let result = &results(&world.steps(&run.id).await)[0];
    assert_eq!(result["success"], false, "{result}");
    let untrusted = vec!["email_readEmail".to_owned()];
    assert_eq!(
        waiting(&world).await[0].reasons,
        [Reason::Tainted { untrusted }]
    );
}

/// Refused during recipient lookup, while its card was made, or while a wish was interpreted.
#[tokio::test]
async fn a_call_that_was_refused_before_it_ran_told_what_it_looked_at_too() {
    let reply = r#"{"emailId": "b", "action": "send_reply", "replyText": "Yes."}"#;
    for (tool, arguments, untrusted) in [
        ("email_processEmail", reply, true),
        ("task_deleteTask", r#"{"taskId": "resignation"}"#, false),
        (
            "workflow_fillWorkBlock",
            r#"{"blockId": "resignation"}"#,
            true,
        ),
    ] {
        let mut world = office(repeating(tool, arguments)).await;
        world.ask(in_thread("1.1", "1.0", "see to it")).await;
        assert!(waiting(&world).await.is_empty(), "{tool}");
        let taint = world.root().await.taint;
        assert!(taint.private.contains(tool), "{tool}: {taint:?}");
        assert_eq!(
            taint.untrusted.contains(tool),
            untrusted,
            "{tool}: {taint:?}"
        );
        assert_eq!(in_channel(&world), [ANSWERED_IN_DM], "{tool}");
    }
}

#[tokio::test]
async fn an_error_of_arguments_alone_read_nothing() {
    for (tool, arguments) in [
        ("email_readEmail", r#"{"emailId": 7}"#),
        ("task_viewTasks", "{"),
        ("no_such", "{}"),
    ] {
        let mut world = office(repeating(tool, arguments)).await;
        world.ask(in_thread("1.1", "1.0", "see to it")).await;
        assert!(world.root().await.taint.is_empty(), "{tool}");
        assert_eq!(in_channel(&world).len(), 1);
        assert_ne!(in_channel(&world), [ANSWERED_IN_DM], "{tool}");
    }
}

#[tokio::test]
async fn the_card_of_private_things_leaves_no_title_in_a_channel() {
    let mut world = World::new(script(&[
        r#"task_deleteTask {"taskId": "resignation"}"#,
        ": You said no.",
    ]))
    .await;
    world
        .called("task_createTask", json!({"title": "Resignation"}))
        .await;
    world
        .ask(in_thread("1.1", "1.0", "delete resignation"))
        .await;
    let approval = waiting(&world).await.pop().unwrap();
    world.decide(&approval, "approval_reject").await;
    assert_eq!(
        in_channel(&world),
        [
            "I've asked you in our direct message before I do anything.",
            ANSWERED_IN_DM
        ]
    );
}

/// Undo by a button in a channel, for something deleted. The error isn't posted to the channel.
#[tokio::test]
async fn a_buttons_call_that_fails_says_why_to_its_owner_alone() {
    let mut world = World::new(script(&[
        r#"task_createTask {"title": "Call Ben"}"#,
        ": It is on your list.",
    ]))
    .await;
    world.ask(in_thread("1.1", "1.0", "add a task")).await;
    assert_eq!(in_channel(&world).len(), 1);
    let button = undo_button(&world);
    // Renamed meanwhile, so the undo fails.
    let gone = world.called("task_viewTasks", json!({})).await;
    let id = gone["tasks"][0]["id"].as_str().unwrap().to_owned();
    let key = alfred_core::keys::task(&team(), &"U1".into(), &id.as_str().into());
    world
        .write(vec![alfred_core::ports::Write::delete(key, None)])
        .await;
    world.ask(click("U1", "effect_undo_0", &button, "t1")).await;
    assert_eq!(in_channel(&world)[1..], [ANSWERED_IN_DM]);
    let said = in_dm(&world);
    assert!(said.contains("isn't among the tasks"), "{said}");
}
