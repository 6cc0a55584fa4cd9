//! What was done is taken back whole: by one button, or by the word, and what can't be is named.

use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::json;

use crate::approvals::{click, waiting};
use crate::proposing::{new_blocks, world};
use crate::world::{World, dm, results, simple};

/// A model that adds two tasks, takes back what was done, or reads mail first, as it is asked.
fn model() -> ScriptedModel {
    let turns = |request: &str| match request {
        "two tasks" => vec![calls(&[
            ("c1", "task_createTask", r#"{"title": "Call Ben"}"#),
            ("c2", "task_createTask", r#"{"title": "Order badges"}"#),
        ])],
        "undo" => vec![calls(&[("c3", "system_undo", "{}")])],
        "what does the mail say?" => vec![
            calls(&[("c5", "email_viewEmails", "{}")]),
            calls(&[("c6", "system_undo", "{}")]),
        ],
        other => panic!("{other}"),
    };
    simple(move |request| {
        let (at, said) = alfred_agent::conversation::request(&request.messages).unwrap();
        let done = request.messages[at..].iter();
        let done = done.filter(|it| matches!(it, alfred_core::ports::Message::Assistant { .. }));
        let next = turns(said).into_iter().nth(done.count());
        Ok(next.unwrap_or_else(|| says("There.")))
    })
}

/// Two tasks were just added.
async fn two_tasks() -> World {
    let mut world = World::new(model()).await;
    world.ask(dm("U1", "1.1", "two tasks")).await;
    assert_eq!(world.tasks("U1").await, 2);
    world
}

#[tokio::test]
async fn a_whole_plan_goes_by_one_button() {
    let mut world = world().await;
    world.task("Write the report", 60).await;
    world.block("tomorrow", "work 18:00-19:00 Gym").await;
    let plan = world.planned().await;
    assert!(new_blocks(&plan).len() > 1);
    world.decide(&plan, "approval_approve").await;
    assert!(world.tomorrow().await.len() > 2);
    let mut buttons = world.undo_buttons().into_iter();
    let (_, all) = buttons.find(|(text, _)| text == "Undo all of it").unwrap();
    world.ask(click("U1", "effect_undo_all", &all, "t1")).await;
    let left = world.tomorrow().await;
    let titles: Vec<&str> = left
        .iter()
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Gym"]);
    let tasks = world
        .called("task_viewTasks", json!({"status": "backlog"}))
        .await;
    assert_eq!(tasks["tasks"][0]["title"], "Write the report");
    // A second press takes nothing back.
    let runs = world.runs().await.len();
    world.ask(click("U1", "effect_undo_all", &all, "t2")).await;
    assert_eq!(world.runs().await.len(), runs);
}

#[tokio::test]
async fn the_word_takes_back_what_was_done_last_and_then_what_was_before() {
    let mut world = two_tasks().await;
    world.ask(dm("U1", "2.1", "two tasks")).await;
    assert_eq!(world.tasks("U1").await, 4);
    for (n, left) in [(3, 2), (4, 0), (5, 0)] {
        world.ask(dm("U1", &format!("{n}.1"), "undo")).await;
        assert_eq!(world.tasks("U1").await, left, "{n}");
    }
    let answers = world.answers();
    insta::assert_snapshot!(answers[answers.len() - 2..].join("\n"), @r#"
There.
✓ Deleted task "Order badges"
✓ Deleted task "Call Ben"
There.
Nothing was sent or changed.
"#);
}

#[tokio::test]
async fn what_cannot_be_taken_back_any_more_is_named() {
    let mut world = two_tasks().await;
    let one = world.undo_buttons().remove(1).1;
    world.ask(click("U1", "effect_undo_0", &one, "t0")).await;
    assert_eq!(world.tasks("U1").await, 1);
    world.ask(dm("U1", "3.1", "undo")).await;
    assert_eq!(world.tasks("U1").await, 0);
    let runs = world.runs().await;
    let last = runs.iter().max_by_key(|run| run.created_at).unwrap();
    let given = results(&world.steps(&last.id).await).pop().unwrap();
    insta::assert_snapshot!(given, @r#"{"failed":[{"error":"taskId: \"tsk_00000000000070008000000000000005\" isn't among the tasks. task_viewTasks gives the ids.","say":"It isn't among the tasks.","what":"Created task \"Call Ben\""}],"success":true,"takenBack":["Created task \"Order badges\""],"undone":"run_00000000000070008000000000000002"}"#);
}

#[tokio::test]
async fn others_words_take_nothing_back_unasked() {
    let mut world = two_tasks().await;
    world.has_mails(alfred_testkit::conformance::mail::mails());
    world.ask(dm("U1", "2.1", "what does the mail say?")).await;
    assert_eq!(world.tasks("U1").await, 2);
    let asked = waiting(&world).await.remove(0);
    insta::assert_snapshot!(asked.preview.as_text(), @r#"
Take back what was done
- To take back: Created task "Order badges"
- To take back: Created task "Call Ben"
"#);
}
