//! Promises of the three workflows' specification that no other test checks. The quotations are from it.

use alfred_agent::StepKind;
use alfred_agent::model::Approval;
use alfred_core::ports::{Mail, MailQuery, MailStatus};
use alfred_testkit::MemoryMail;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::proposing::{mail, places, run, submitted, world};
use crate::in_memory::world::{World, results};

const WORKFLOWS: [&str; 3] = [
    "workflow_schedule",
    "workflow_fillWorkBlock",
    "workflow_fillEmailBlock",
];

async fn office() -> (World, Arc<MemoryMail>) {
    let mut world = world().await;
    let from = |address: &str| alfred_core::ports::Mailbox::new("", address);
    let mailbox = world.has_mails(vec![
        mail("m1", from("ann@x.example"), "URGENT: can you sign", false),
        mail("m2", from("news@x.example"), "Ten chairs", true),
    ]);
    world.task("Write the report", 60).await;
    world.task("Call the bank", 30).await;
    world.block("tomorrow", "work 16:00-17:00 Focus").await;
    (world, mailbox)
}

fn wish(workflow: &str) -> Value {
    match workflow {
        "workflow_schedule" => json!({"date": "tomorrow"}),
        "workflow_fillWorkBlock" => json!({"blockId": "focus"}),
        _ => json!({"blockId": "blk_1", "blockDuration": 30}),
    }
}

/// All data a workflow could change: tomorrow, the tasks, and each mail's state.
async fn all(world: &mut World, mailbox: &MemoryMail) -> String {
    let day = world.tomorrow().await;
    let tasks = world.called("task_viewTasks", json!({})).await;
    let states = [
        MailStatus::Unread,
        MailStatus::Backlog,
        MailStatus::Archived,
    ];
    let query = MailQuery {
        status: states.to_vec(),
        limit: MailQuery::MOST,
        ..MailQuery::default()
    };
    let mails = mailbox.list(&ana(), &query).await.unwrap().mails;
    let mails: Vec<_> = mails.iter().map(|mail| (&mail.id, mail.status)).collect();
    format!("{day:?} {tasks} {mails:?}")
}

/// "Return proposals for user review (no blocks created yet)", "Cancel: Abort the workflow",
/// "Only after approval are changes made".
#[tokio::test]
async fn proposals_create_nothing_cancel_ends_and_only_a_yes_changes_something() {
    for workflow in WORKFLOWS {
        let (mut world, mailbox) = office().await;
        let before = all(&mut world, &mailbox).await;
        let proposal = world.proposed(workflow, wish(workflow)).await;
        assert_eq!(all(&mut world, &mailbox).await, before, "{workflow}");
        world.decide(&proposal, "approval_reject").await;
        world.decide(&proposal, "approval_approve").await;
        assert!(waiting(&world).await.is_empty(), "{workflow}");
        assert_eq!(all(&mut world, &mailbox).await, before, "{workflow}");
        let proposal = world.proposed(workflow, wish(workflow)).await;
        let yes = click("U1", "approval_approve", &value(&proposal), "yes");
        world.ask(yes).await;
        let after = all(&mut world, &mailbox).await;
        assert_ne!(after, before, "{workflow}");
        world.decide(&proposal, "approval_approve").await;
        assert_eq!(all(&mut world, &mailbox).await, after, "{workflow}: once");
    }
}

/// "Modify: Provide feedback to regenerate proposals"
#[tokio::test]
async fn modify_regenerates_the_proposal_and_voids_the_old_one() {
    for (workflow, words) in [
        ("workflow_schedule", "lunch at one"),
        ("workflow_fillEmailBlock", "keep the weekly digest"),
    ] {
        let (mut world, mailbox) = office().await;
        let before = all(&mut world, &mailbox).await;
        let first = world.proposed(workflow, wish(workflow)).await;
        let places = places(&first);
        world
            .ask(submitted(&first, &places, Some(words), "t2"))
            .await;
        let second = waiting(&world).await.pop().unwrap();
        assert_eq!((&second.id, second.revision), (&first.id, 2), "{workflow}");
        assert_ne!(second.payload["wish"], first.payload["wish"], "{workflow}");
        world.decide(&first, "approval_approve").await;
        assert_eq!(all(&mut world, &mailbox).await, before, "{workflow}");
    }
}

/// The tools a workflow called, in order, and its result.
async fn carried_out(world: &World) -> String {
    let runs = world.runs().await;
    let last = runs.iter().max_by_key(|run| run.created_at).unwrap();
    let steps = world.steps(&last.id).await;
    let result = results(&steps).pop().unwrap();
    let [phase, summary] = ["phase", "summary"].map(|field| result[field].as_str().unwrap());
    let parts = steps.iter().filter_map(|step| match &step.did {
        StepKind::ToolResult(part) if part.call_id.contains('~') => Some(part.name.clone()),
        _ => None,
    });
    let parts: Vec<String> = parts.collect();
    let [utilization, date, id] = ["utilization", "date", "blockId"].map(|field| &result[field]);
    let blocks = result["blocks"].as_array().into_iter().flatten();
    let starts: Vec<_> = blocks
        .filter_map(|block| block["startTime"].as_str())
        .collect();
    let (parts, starts) = (parts.join(", "), starts.join(" "));
    format!("{parts}: {phase}, {summary} {utilization} {date} {id} [{starts}]")
}

/// "Workflows only orchestrate tool calls", "summary: Created … time blocks", "utilization: finalAnalysis.utilization"
#[tokio::test]
async fn execution_is_a_row_of_atomic_tools() {
    let mut lines = Vec::new();
    for workflow in WORKFLOWS {
        let (mut world, _) = office().await;
        let proposal = world.proposed(workflow, wish(workflow)).await;
        world.decide(&proposal, "approval_approve").await;
        lines.push(format!("{workflow}: {}", carried_out(&world).await));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
workflow_schedule: schedule_batchCreateBlocks, task_assignToTimeBlock, schedule_analyzeUtilization, schedule_viewSchedule: completed, Created 6 time blocks; planned 2 tasks. 84 "2026-11-22" null [09:00 10:30 10:45 12:00 13:00 14:15]
workflow_fillWorkBlock: task_assignToTimeBlock, schedule_viewSchedule: completed, Assigned 1 task to the block. null null "blk_00000000000070008000000000000013" []
workflow_fillEmailBlock: email_archiveBatch, email_markBatch: completed, Archived 1 e-mail; marked 1 e-mail for processing. null null "blk_1" []
"#);
}

/// "strategy: block.startTime.getHours() < 12 ? 'priority' : 'mixed'": the most important tasks, or the fullest block.
#[tokio::test]
async fn before_noon_priority_from_noon_on_mixed() {
    for (time, titles) in [("11:45-12:45", "Important"), ("12:00-13:00", "One, Two")] {
        let mut world = world().await;
        for (title, minutes, priority) in [
            ("Important", 60, "high"),
            ("One", 30, "medium"),
            ("Two", 30, "medium"),
        ] {
            let task = json!({"title": title, "estimatedMinutes": minutes, "priority": priority});
            world.called("task_createTask", task).await;
        }
        world.block("tomorrow", &format!("work {time} Focus")).await;
        let filled = world.proposed("workflow_fillWorkBlock", json!({})).await;
        let items = filled.preview.items.iter();
        let mut chosen: Vec<&str> = items.map(|item| &*item.label).collect();
        chosen.sort_unstable();
        assert_eq!(chosen.join(", "), titles, "{time}");
    }
}

/// "All atomic tools will be available to both workflows AND the orchestrator for direct use". A call with
/// missing arguments names them.
#[tokio::test]
async fn any_tool_is_called_directly_by_its_name() {
    let (mut world, _) = office().await;
    for tool in alfred_tools::catalogue() {
        let name = tool.def().name.to_string();
        let (trigger, before) = (world.next_trigger(), world.answers().len());
        world.ask(run(&name, json!({}), &trigger)).await;
        let said = world.answers().split_off(before).join("\n");
        let called = !world.runs().await.is_empty() || said.contains(&name);
        assert!(called && !said.contains("no tool"), "{name}: {said}");
    }
    let before = world.answers().len();
    world.ask(run("task_fly", json!({}), "none")).await;
    let said = world.answers().split_off(before).join("\n");
    assert!(said.contains("no tool"), "{said}");
}

/// "confirmation.approvedArchiveIds", "approvedUrgentIds"
#[tokio::test]
async fn a_confirmation_takes_a_part_and_nothing_beside_it() {
    let (mut world, _) = office().await;
    let first = world.proposed("workflow_fillEmailBlock", json!({})).await;
    let ids = |triage: &Approval, list: &str| triage.payload["confirmation"][list].clone();
    assert_eq!(ids(&first, "approvedUrgentIds"), json!(["m1"]));
    let strange = json!({"approved": true, "approvedUrgentIds": ["m2"]});
    world.called("system_confirmProposal", strange).await;
    assert_eq!(waiting(&world).await[0].revision, 1);
    let part = json!({"approved": true, "approvedUrgentIds": [], "approvedArchiveIds": ["m2"]});
    world.called("system_confirmProposal", part).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(second.revision, 2);
    assert_eq!(ids(&second, "approvedUrgentIds"), json!([]));
    assert_eq!(ids(&second, "approvedArchiveIds"), json!(["m2"]));
}
