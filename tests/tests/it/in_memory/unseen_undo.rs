//! Reversible changes that a tainted run must ask about, because their undo doesn't show them.

use alfred_agent::Work;
use alfred_agent::model::{Approval, Reason};
use alfred_agent::policy::UNASKED_CHANGES;
use alfred_core::ports::Turn;
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{calls, says};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::in_memory::approvals::{click, waiting};
use crate::in_memory::proposing::calls_of;
use crate::in_memory::world::{World, by_progress, dm};

/// With two tasks and a mailbox, a model optionally reads mail, then makes this call.
async fn after_mail(reads: bool, tool: &str, arguments: &Value) -> (World, Vec<Approval>) {
    let call = calls(&[("c2", tool, &arguments.to_string())]);
    after_reading(reads, vec![call]).await
}

async fn after_reading(reads: bool, mut turns: Vec<Turn>) -> (World, Vec<Approval>) {
    let mut world = World::new(by_progress(vec![])).await;
    world.has_mails(mails());
    let report = json!({"title": "Write the report", "description": "Call Ben first"});
    world.called("task_createTask", report).await;
    world
        .called("task_createTask", json!({"title": "Taxes"}))
        .await;
    world.block("tomorrow", "work 09:00-12:00 Focus").await;
    turns.push(says("There."));
    if reads {
        turns.insert(0, calls(&[("c1", "email_viewEmails", "{}")]));
    }
    world.replace_model(by_progress(turns));
    world.ask(dm("U1", "1.1", "see to my mail")).await;
    let waiting = waiting(&world).await;
    (world, waiting)
}

const SHOWN: &str = r#"
task_updateTask {"taskId": "report", "priority": "high", "dueDate": "tomorrow"}
task_completeTask {"taskId": "report", "notes": "Ben wrote"}
task_createTask {"title": "Answer Ben"}
email_createTaskFromEmail {"emailId": "Lunch?"}
email_archiveBatch {"emailIds": ["Lunch?"]}
email_processEmail {"emailId": "Lunch?", "action": "archive"}
email_restoreBatch {"emails": [{"emailId": "Old plans", "status": "backlog"}]}
task_assignToTimeBlock {"taskIds": ["report"], "blockId": "focus"}
schedule_moveTimeBlock {"blockId": "focus", "newStartTime": "13:00"}
schedule_createTimeBlock {"date": "tomorrow", "type": "work", "title": "Mail", "startTime": "14:00", "endTime": "15:00"}
"#;

const UNSHOWN: &str = r#"
task_updateTask {"taskId": "report", "title": "Pay Mallory"}
task_updateTask {"taskId": "report", "description": ""}
task_updateTask {"taskId": "report", "priority": "high", "description": "x"}
email_archiveBatch {"emailIds": ["Lunch?", "Ten tables we liked"]}
email_restoreBatch {"emails": [{"emailId": "Old plans", "status": "backlog"}, {"emailId": "Lunch?", "status": "backlog"}]}
task_assignToTimeBlock {"taskIds": ["report", "taxes"], "blockId": "focus"}
schedule_fillWorkBlock {"blockId": "focus", "maxTasks": 1}
schedule_batchCreateBlocks {"date": "tomorrow", "blocks": [{"type": "blocked", "title": "x", "startTime": "14:00", "endTime": "15:00"}]}
"#;

#[tokio::test]
async fn what_its_undo_shows_runs_and_what_it_doesnt_show_asks() {
    let of = |asks| move |(tool, arguments)| (asks, tool, arguments);
    let shown = calls_of(SHOWN).into_iter().map(of(false));
    let unshown = calls_of(UNSHOWN).into_iter().map(of(true));
    for (asks, tool, arguments) in shown.chain(unshown) {
        let (world, asked) = after_mail(true, tool, &arguments).await;
        assert_eq!(asked.len(), usize::from(asks), "{tool} {arguments}");
        let done = world.answers().pop().unwrap();
        assert_eq!(done.contains('✓'), !asks, "{tool} {arguments}: {done}");
        for approval in asked {
            let untrusted = vec!["email_viewEmails".to_owned()];
            assert_eq!(approval.reasons, [Reason::Tainted { untrusted }]);
        }
        let (_, unread) = after_mail(false, tool, &arguments).await;
        assert!(unread.is_empty(), "nobody else's words: {tool} {arguments}");
    }
}

/// Calls that only add something have no limit.
#[tokio::test]
async fn the_sixth_change_of_a_kind_asks_in_one_turn_and_one_by_one() {
    let priority = |at: usize| json!({"taskId": "report", "priority": if at.is_multiple_of(2) { "low" } else { "high" }});
    let title = |at: usize| json!({"title": format!("Task {at}")});
    for (tool, asked_about) in [("task_updateTask", 2), ("task_createTask", 0)] {
        let arguments = |at: usize| match tool {
            "task_updateTask" => priority(at).to_string(),
            _ => title(at).to_string(),
        };
        let ids: Vec<String> = (0..UNASKED_CHANGES + 2)
            .map(|at| format!("p{at}"))
            .collect();
        let all: Vec<String> = (0..ids.len()).map(arguments).collect();
        let made = ids.iter().zip(&all);
        let made: Vec<_> = made
            .map(|(id, with)| (id.as_str(), tool, with.as_str()))
            .collect();
        let single: Vec<Turn> = made.iter().map(|call| calls(&[*call])).collect();
        let (_, together) = after_reading(true, vec![calls(&made)]).await;
        assert_eq!(together.len(), asked_about, "{tool}");
        let (_, one_by_one) = after_reading(true, single).await;
        assert_eq!(one_by_one.len(), asked_about.min(1), "{tool}");
        let (_, unread) = after_reading(false, vec![calls(&made)]).await;
        assert!(unread.is_empty(), "nobody else's words: {tool}");
    }
}

#[tokio::test]
async fn the_card_shows_what_would_be_gone() {
    let change =
        json!({"taskId": "report", "title": "Pay", "description": "now", "priority": "high"});
    let (mut world, asked) = after_mail(true, "task_updateTask", &change).await;
    assert_snapshot!(asked[0].preview.as_text(), @r"
    Change a task
    Task: Write the report
    ~ Title: Write the report → Pay
    ~ Description: Call Ben first → now
    ~ Priority: medium → high
    ");
    world.decide(&asked[0], "approval_approve").await;
    let tasks = world.called("task_viewTasks", json!({})).await;
    assert!(tasks.to_string().contains("Pay"), "{tasks}");
    let run = world
        .runs()
        .await
        .into_iter()
        .find(|run| !matches!(run.work, Work::Call(_)));
    let changed = format!("{}:c2", run.unwrap().id);
    let undo = click("U1", "effect_undo_0", &changed, "t10");
    world.ask(undo).await;
    let tasks = world.called("task_viewTasks", json!({})).await;
    assert!(tasks.to_string().contains("Write the report"), "{tasks}");

    let many =
        json!({"emailIds": ["Lunch?", "Ten tables we liked", "gone"], "reason": "done with"});
    let (_, asked) = after_mail(true, "email_archiveBatch", &many).await;
    assert_snapshot!(asked[0].preview.as_text(), @r"
    Archive 3 e-mails
    Reason: done with

    Chiyo Tanaka <chiyo@example.com>: Lunch?
    Kestrel Weekly <news@kestrel.example>: Ten tables we liked
    gone (no such e-mail)
    ");
    let both = json!({"taskIds": ["report", "taxes"], "blockId": "focus"});
    let (_, asked) = after_mail(true, "task_assignToTimeBlock", &both).await;
    assert_snapshot!(asked[0].preview.as_text(), @r"
    Plan 2 tasks for a block
    Block: Focus
    When: 2026-11-22 09:00–12:00

    Write the report (30 min)
    Taxes (30 min)
    ");
}
