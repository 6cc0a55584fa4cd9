//! Undo reverts everything, by one button or in words, and names what can't be undone.

use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::json;

use crate::in_memory::approvals::{click, waiting};
use crate::in_memory::proposing::{calls_of, new_blocks, world};
use crate::in_memory::world::{World, dm, results, simple};

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
        let (at, said) = alfred_agent::turn::conversation::request(&request.messages).unwrap();
        let done = request.messages[at..].iter();
        let done = done.filter(|it| matches!(it, alfred_core::ports::Message::Assistant { .. }));
        let next = turns(said).into_iter().nth(done.count());
        Ok(next.unwrap_or_else(|| says("There.")))
    })
}

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
async fn the_word_skips_what_a_button_took_back() {
    let mut world = two_tasks().await;
    let one = world.undo_buttons().remove(1).1;
    world.ask(click("U1", "effect_undo_0", &one, "t0")).await;
    assert_eq!(world.tasks("U1").await, 1);
    world.ask(dm("U1", "3.1", "undo")).await;
    assert_eq!(world.tasks("U1").await, 0);
    let runs = world.runs().await;
    let last = runs.iter().max_by_key(|run| run.created_at).unwrap();
    let given = results(&world.steps(&last.id).await).pop().unwrap();
    insta::assert_snapshot!(given, @r#"{"failed":[],"success":true,"takenBack":["Created task \"Order badges\""],"undone":"run_00000000000070008000000000000002"}"#);
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

#[tokio::test]
async fn what_was_changed_since_is_left_and_named() {
    let mut world = two_tasks().await;
    let mut buttons = world.undo_buttons().into_iter();
    let (_, all) = buttons.find(|(text, _)| text == "Undo all of it").unwrap();
    let change = json!({"taskId": "badges", "priority": "high"});
    world.called("task_updateTask", change).await;
    world.ask(click("U1", "effect_undo_all", &all, "t1")).await;
    assert_eq!(world.tasks("U1").await, 1);
    insta::assert_snapshot!(world.answers().pop().unwrap(), @r#"
This couldn't be done:

• Created task "Order badges": “Order badges” was changed since; I left it.
✓ Deleted task "Call Ben"
"#);
}

/// Changes, with the later change last in each group.
const CHANGES: &str = r#"
preference_updatePreferences {"workStartTime": "08:00"}
preference_updatePreferences {"workStartTime": "07:00"}

preference_updatePreferences {"workStartTime": "08:00"}
preference_updatePreferences {"lunchTime": "13:00"}

schedule_createTimeBlock {"date": "tomorrow", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "10:00"}
schedule_moveTimeBlock {"blockId": "focus", "newStartTime": "11:00"}

schedule_createTimeBlock {"date": "tomorrow", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "10:00"}
schedule_moveTimeBlock {"blockId": "focus", "newStartTime": "11:00"}
schedule_moveTimeBlock {"blockId": "focus", "newStartTime": "12:00"}

task_createTask {"title": "Report"}
task_completeTask {"taskId": "report"}

task_createTask {"title": "Report"}
task_updateTask {"taskId": "report", "title": "The report"}
task_updateTask {"taskId": "report", "priority": "high"}

email_archiveBatch {"emailIds": ["Lunch?", "Ten tables we liked"]}
email_restoreBatch {"emails": [{"emailId": "Lunch?", "status": "backlog"}]}
"#;

/// Undoes the second-last call of each group by its button.
#[tokio::test]
async fn changes_of_every_kind_outlive_an_undo() {
    let mut said = Vec::new();
    for group in CHANGES.split("\n\n") {
        let calls = calls_of(group);
        let mut world = world().await;
        world.has_mails(alfred_testkit::conformance::mail::mails());
        let (last, before) = calls.split_last().unwrap();
        for (tool, arguments) in before {
            world.called(tool, arguments.clone()).await;
        }
        let undo = world.undo_buttons().pop().unwrap().1;
        world.called(last.0, last.1.clone()).await;
        world.ask(click("U1", "effect_undo_0", &undo, "t1")).await;
        said.push(format!(
            "{} undone after {}\n{}",
            before[before.len() - 1].0,
            last.0,
            world.answers().pop().unwrap()
        ));
    }
    insta::assert_snapshot!(said.join("\n\n"), @r#"
preference_updatePreferences undone after preference_updatePreferences
This couldn't be done:

• Updated preferences: work start time 08:00: “Your preferences” was changed since; I left it.
Nothing was sent or changed.

preference_updatePreferences undone after preference_updatePreferences
Done.
✓ Updated preferences: work start time 09:00

schedule_createTimeBlock undone after schedule_moveTimeBlock
This couldn't be done:

• Created work block "Focus" on 2026-11-22, 09:00–10:00: “Focus” was changed since; I left it.
Nothing was sent or changed.

schedule_moveTimeBlock undone after schedule_moveTimeBlock
This couldn't be done:

• Moved work block "Focus" from 2026-11-22 09:00–10:00 to 2026-11-22 11:00–12:00: “Focus” was changed since; I left it.
Nothing was sent or changed.

task_createTask undone after task_completeTask
This couldn't be done:

• Created task "Report": “Report” was changed since; I left it.
Nothing was sent or changed.

task_updateTask undone after task_updateTask
Done.
✓ Changed task "Report": title Report (your tasks)

email_archiveBatch undone after email_restoreBatch
This couldn't be done:

• Archived 2 e-mails: "Lunch?" from Chiyo Tanaka, "Ten tables we liked" from Kestrel Weekly: “Lunch?” was changed since; I left it.
✓ Put 1 e-mail back (your mailbox)
"#);
}

#[tokio::test]
async fn a_button_that_has_no_use_is_gone() {
    let labels = |world: &World| -> Vec<String> {
        let buttons = world.undo_buttons().into_iter();
        buttons.map(|(label, _)| label).collect()
    };
    // First by its button, which leaves the others; then in words, which undo the rest.
    let mut world = two_tasks().await;
    let one = world.undo_buttons().remove(1).1;
    let pressed = |value: &str, world: &World| {
        let kept = world.chat.posted().into_iter();
        let mut kept = kept.filter(|kept| !kept.blocks.is_empty());
        let mut envelope = click("U1", "effect_undo_0", value, "t1");
        if let alfred_core::Payload::Click(click) = &mut envelope.payload {
            click.message_ts = kept.next().map(|kept| kept.ts);
        }
        envelope
    };
    let press = pressed(&one, &world);
    world.ask(press).await;
    assert_eq!(
        labels(&world)[..2],
        ["Undo all of it", "Undo: Created task \"Order badges\""]
    );
    world.ask(dm("U1", "3.1", "undo")).await;
    let left = labels(&world);
    assert!(
        !left.iter().any(|label| label.contains("Created")),
        "{left:?}"
    );
    // The button still works days later, while the word alone no longer refers to it.
    let mut world = two_tasks().await;
    let one = world.undo_buttons().remove(1).1;
    world
        .clock
        .advance(std::time::Duration::from_secs(3 * 86_400));
    world.ask(dm("U1", "4.1", "undo")).await;
    assert_eq!(world.tasks("U1").await, 2);
    let press = pressed(&one, &world);
    world.ask(press).await;
    assert_eq!(world.tasks("U1").await, 1);
}
