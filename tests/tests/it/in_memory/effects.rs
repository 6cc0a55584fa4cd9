use alfred_agent::RunState;
use alfred_agent::model::Status;
use alfred_agent::slack::edit;
use alfred_core::envelope::ViewSubmission;
use alfred_core::ports::ChatError;
use alfred_core::{Config, Envelope, Payload, ResponseType, Role, User};
use alfred_testkit::{When, says};
use insta::assert_snapshot;
use serde_json::{Map, Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, sending, sent, stored, value, waiting};
use crate::in_memory::world::{World, by_progress, dm, mention, message, results, script, shown};

use alfred_tests::event;

pub use alfred_tests::command;

/// A submitted modal as Slack sends it: the view's values with these texts changed.
pub fn submitted(view: &Value, changed: &[(&str, &str)], trigger: &str) -> Envelope {
    let mut values = Map::new();
    for block in view["blocks"].as_array().unwrap() {
        let id = block["block_id"].as_str().unwrap();
        let was = block["element"]["initial_value"].clone();
        let new = changed.iter().find(|(name, _)| id.starts_with(name));
        let text = new.map_or(was, |(_, text)| json!(text));
        values.insert(id.into(), json!({"value": {"value": text}}));
    }
    let submission = ViewSubmission {
        callback_id: view["callback_id"].as_str().unwrap().into(),
        view_id: "V1".into(),
        private_metadata: view["private_metadata"].as_str().unwrap().into(),
        values: Value::Object(values),
    };
    event("U1", &format!("trg:{trigger}"), Payload::View(submission))
}

impl World {
    /// Texts and values of the undo buttons in all replies.
    pub fn undo_buttons(&self) -> Vec<(String, String)> {
        let posted = self.chat.posted();
        let blocks = posted.iter().flat_map(|kept| kept.blocks.clone());
        let buttons = blocks
            .filter(|block| block["block_id"] == "undo")
            .flat_map(|block| block["elements"].as_array().cloned().unwrap());
        let shown = buttons.map(|button| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&button["text"]["text"]), text(&button["value"]))
        });
        shown.collect()
    }
}

pub fn undo_button(world: &World) -> String {
    world.undo_buttons().remove(0).1
}

async fn with_a_task() -> World {
    let mut world = World::new(script(&[
        r#"task_createTask {"title": "Call Ben"}"#,
        ": It is on your list.",
    ]))
    .await;
    world.register("U2", "Ben", Role::Member).await;
    world.ask(dm("U1", "1.1", "Add a task to call Ben")).await;
    assert_eq!(world.tasks("U1").await, 1);
    world
}

#[tokio::test]
async fn what_was_made_is_taken_back_once_by_its_owner() {
    let mut world = with_a_task().await;
    let button = undo_button(&world);
    world.ask(click("U2", "effect_undo_0", &button, "t0")).await;
    assert_eq!(world.tasks("U1").await, 1, "somebody else's click");
    world.ask(click("U1", "effect_undo_0", &button, "t1")).await;
    assert_eq!(world.tasks("U1").await, 0, "{:?}", world.answers());
    let reply = world.answers().pop().unwrap();
    assert!(reply.contains("✓ Deleted"), "{reply}");
    let runs = world.runs().await.len();
    world.ask(click("U1", "effect_undo_0", &button, "t2")).await;
    assert_eq!(world.runs().await.len(), runs, "once");
}

#[tokio::test]
async fn an_edit_is_asked_anew_and_only_the_edited_is_sent() {
    let mut world = sending().await;
    let first = world.asked("Ask Ben for lunch").await;
    let view = edit::view(&first).unwrap();
    world
        .ask(submitted(&view, &[("text", "Dinner at eight?")], "t1"))
        .await;
    let second = waiting(&world).await.remove(0);
    assert_eq!((second.id.clone(), second.revision), (first.id.clone(), 2));
    assert_ne!(second.digest, first.digest);
    world.decide(&first, "approval_approve").await;
    assert!(sent(&world).is_empty(), "the first version is void");
    world.decide(&second, "approval_approve").await;
    let sent = sent(&world);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("Dinner at eight?") && !sent[0].contains("Lunch"));
}

#[tokio::test]
async fn an_edit_that_cannot_be_used_says_why_and_changes_nothing() {
    let mut world = sending().await;
    let first = world.asked("Ask Ben for lunch").await;
    let view = edit::view(&first).unwrap();
    world
        .ask(submitted(&view, &[("to", "nobody-at-all")], "t1"))
        .await;
    let second = waiting(&world).await.remove(0);
    assert_eq!((second.revision, &second.payload), (2, &first.payload));
    assert!(second.trouble.unwrap().contains("nobody-at-all"));
    world
        .ask(submitted(&edit::reason_view(&first), &[], "t2"))
        .await;
    assert_eq!(
        stored(&world, &first).await.status,
        Status::Pending,
        "an old revision"
    );
}

#[tokio::test]
async fn a_stopped_request_takes_its_approvals_along() {
    let mut world = sending().await;
    let approval = world.asked("Ask Ben for lunch").await;
    world.ask(command("U1", "stop", "t1")).await;
    let listed = world.chat.posted().pop().unwrap();
    let button = &listed.blocks[0]["accessory"];
    assert_eq!(button["action_id"], "run_stop");
    let run = button["value"].as_str().unwrap().to_owned();
    world.ask(click("U2", "run_stop", &run, "t2")).await;
    assert!(
        matches!(world.root().await.state, RunState::Asking { .. }),
        "not theirs"
    );
    world.ask(click("U1", "run_stop", &run, "t3")).await;
    assert!(matches!(world.root().await.state, RunState::Done { .. }));
    assert_eq!(stored(&world, &approval).await.status, Status::Error);
    world.decide(&approval, "approval_approve").await;
    assert!(sent(&world).is_empty());
}

#[tokio::test]
async fn while_effects_are_paused_nothing_happens_even_if_approved() {
    let mut world = sending().await;
    world.register("U9", "Ada", Role::Admin).await;
    let approval = world.asked("Ask Ben for lunch").await;
    world.ask(command("U1", "pause", "t1")).await;
    world.ask(command("U9", "pause", "t2")).await;
    world.decide(&approval, "approval_approve").await;
    assert!(sent(&world).is_empty());
    let steps = world.steps(&world.root().await.id).await;
    assert_snapshot!(results(&steps)[0]["error"], @r#""Not allowed now: an administrator has paused everything that sends or changes something. Nothing was done. Reading still works.""#);
    assert_snapshot!(world.answers().pop().unwrap(), @"
Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (not allowed)
Nothing was sent or changed.
");
}

/// Tries clicker × owner × clicker's role × place of the request × workspace.
#[tokio::test]
async fn only_the_owner_in_their_workspace_decides_whatever_the_rest() {
    let mut tried = 0;
    for clicker in ["U1", "U2", "U3", "UX"] {
        for role in [Role::Admin, Role::Member, Role::Guest] {
            for thread in [None, Some("1.1")] {
                for channel in [false, true] {
                    for workspace in ["T1", "T2"] {
                        for action in ["approval_approve", "approval_reject", "approval_remember"] {
                            let mut world = sending().await;
                            if clicker == "U3" {
                                world.register("U3", "Chiyo", role).await;
                            }
                            let request = match channel {
                                true => mention("1.1", "Ask Ben"),
                                false => {
                                    message("U1", "DU1", "1.1", thread, ResponseType::Dm, "Ask Ben")
                                }
                            };
                            world.ask(request).await;
                            let approval = waiting(&world).await.remove(0);
                            let mut clicked = click(clicker, action, &value(&approval), "t1");
                            clicked.team = workspace.into();
                            world.ask(clicked).await;
                            let counts = clicker == "U1" && workspace == "T1";
                            let sends = counts && action != "approval_reject";
                            assert_eq!(
                                sent(&world).len(),
                                usize::from(sends),
                                "{clicker} {workspace} {action}"
                            );
                            let status = stored(&world, &approval).await.status;
                            assert_eq!(status != Status::Pending, counts);
                            tried += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(tried, 4 * 3 * 2 * 2 * 2 * 3);
}

#[tokio::test]
async fn a_day_has_its_budget_and_the_next_one_another() {
    let mut world = World::new(by_progress(vec![says("fine")])).await;
    let mut config = Config::default();
    config.daily_budget.model_calls = 2;
    world.reconfigure(config);
    for ts in ["1.1", "1.2", "1.3", "1.4"] {
        world.ask(dm("U1", ts, "hello")).await;
    }
    let refused =
        "You've used up today's budget. It starts anew tomorrow; an administrator can raise it."
            .to_owned();
    let answers = world.said();
    assert_eq!(
        answers.iter().filter(|text| **text == "fine").count(),
        2,
        "{answers:?}"
    );
    assert_eq!(answers.iter().filter(|text| **text == refused).count(), 2);
    world.clock.advance(Duration::from_secs(86_400));
    world.ask(dm("U1", "1.5", "hello")).await;
    assert_eq!(world.said().pop().unwrap(), "fine");
}

fn one_effect_a_day() -> Config {
    let mut config = Config::default();
    config.daily_budget.outward_effects = 1;
    config
}

#[tokio::test]
async fn effects_of_a_day_are_counted_whatever_was_approved() {
    let mut world = sending().await;
    world.reconfigure(one_effect_a_day());
    for (ts, renamed, total) in [("1.1", true, 0), ("1.2", false, 1), ("1.3", false, 1)] {
        world.ask(dm("U1", ts, "Ask Ben for lunch")).await;
        let approval = waiting(&world).await.remove(0);
        if renamed {
            // The card showed another name, so nothing is sent, and nothing is counted.
            let rename = |user: &mut User| user.name = "Ben Okafor".into();
            world.change_user("U2", rename).await;
        }
        world.decide(&approval, "approval_approve").await;
        assert_eq!(sent(&world).len(), total, "one a day");
    }
}

/// An approved message that Slack rate-limits for this many tries.
async fn refused_for_now(tries: usize) -> World {
    refused_for_now_under(Config::default(), tries).await
}

async fn refused_for_now_under(config: Config, tries: usize) -> World {
    let mut world = sending().await;
    world.reconfigure(config);
    world.ask(dm("U1", "1.1", "Ask Ben for lunch")).await;
    let card = value(&waiting(&world).await[0]);
    let limited = || ChatError::RateLimited {
        retry_after: Duration::from_secs(100),
    };
    world.faults.fail_next("chat.post", When::Before, limited());
    world
        .ask(click("U1", "approval_approve", &card, "t1"))
        .await;
    for _ in 1..tries {
        assert!(sent(&world).is_empty());
        world.faults.fail_next("chat.post", When::Before, limited());
        world.clock.advance(Duration::from_secs(101));
        world.sweep().await;
    }
    world.settle().await;
    world
}

#[tokio::test]
async fn what_slack_takes_later_is_sent_later() {
    for tries in [1, 2, 3, 20] {
        let world = refused_for_now(tries).await;
        assert_eq!(sent(&world).len(), 1, "{tries}");
        let reply = world.answers().pop().unwrap();
        assert!(reply.contains("✓ Sent to Ben"), "{reply}");
    }
}

#[tokio::test]
async fn waiting_for_slack_counts_once_and_is_told_on_the_card() {
    let world = refused_for_now_under(one_effect_a_day(), 5).await;
    assert_eq!(sent(&world).len(), 1);
    let cards = world.chat.posted();
    let card = cards
        .iter()
        .find(|kept| kept.text.contains("Approved"))
        .unwrap();
    let shown = shown(&card.text, &card.blocks);
    assert!(shown.contains("✓ Sent to Ben"), "{shown}");
}

#[tokio::test]
async fn what_slack_never_takes_stands_in_the_ledger_as_not_done() {
    // Forty tries take an hour, the validity of an approval.
    let world = refused_for_now(40).await;
    assert!(sent(&world).is_empty());
    let reply = world.answers().pop().unwrap();
    let failed = "✗ Not done: Send a Slack message: Ben (@ben), a direct message (it failed)";
    assert!(reply.contains(failed), "{reply}");
}
