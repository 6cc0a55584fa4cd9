//! `system_resumeWorkflow` for workflows that wait, were interrupted, or partly failed.

use alfred_agent::RunState;
use alfred_core::ports::QueueName;
use alfred_testkit::{When, unavailable};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::proposing::{new_blocks, world};
use crate::in_memory::world::{World, script};

async fn resume(world: &mut World) -> Value {
    world.called("system_resumeWorkflow", json!({})).await
}

#[tokio::test]
async fn one_that_waits_shows_its_card_again_and_the_old_one_is_void() {
    let mut world = world().await;
    let first = world.planned().await;
    world.clock.advance(Duration::from_secs(600));
    let cards = world.chat.posted().len();
    let said = resume(&mut world).await;
    assert_eq!(said["resumed"], 1);
    assert_eq!(said["workflows"][0]["state"], "waits_for_confirmation");
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!((second.id.clone(), second.revision), (first.id.clone(), 2));
    assert_eq!(second.payload, first.payload, "exactly what was proposed");
    assert!(second.expires_at > first.expires_at);
    assert!(world.chat.posted().len() >= cards + 2);
    world.decide(&first, "approval_approve").await;
    assert_eq!(
        world.tomorrow().await.len(),
        0,
        "the old card decides nothing"
    );
    world.decide(&second, "approval_approve").await;
    assert_eq!(world.tomorrow().await.len(), new_blocks(&first).len());
    assert_eq!(resume(&mut world).await["workflows"], json!([]));
}

/// Plans tomorrow and approves it. The worker dies before this commit, and its message is lost.
async fn cut_off(world: &mut World, at: usize) {
    world.task("Write the report", 60).await;
    let plan = world.planned().await;
    let yes = click("U1", "approval_approve", &value(&plan), "a2");
    world.deliver_until_done(QueueName::Ingress, yes).await;
    let (queue, message) = world.next().expect("the run was sent");
    assert_eq!(queue, QueueName::Utility);
    let before = world.faults.calls("store.commit");
    let (when, error) = (When::Before, unavailable());
    world
        .faults
        .fail_at("store.commit", before + at, when, error);
    assert!(world.deliver(queue, &message).await.is_err());
}

#[tokio::test]
async fn one_that_was_cut_off_goes_on_where_it_stopped() {
    for at in 1..=3 {
        let mut world = world().await;
        cut_off(&mut world, at).await;
        // The run may still be at work.
        assert_eq!(resume(&mut world).await["workflows"], json!([]));
        world.clock.advance(Duration::from_secs(140));
        let said = resume(&mut world).await;
        let one = &said["workflows"][0];
        assert_eq!(one["state"], "interrupted", "{said}");
        assert_eq!(one["type"], "workflow_schedule", "{said}");
        world.sweep().await;
        let runs = world.runs().await;
        assert!(
            runs.iter()
                .all(|run| matches!(run.state, RunState::Done { .. }))
        );
        assert!(
            world
                .answers()
                .iter()
                .any(|answer| answer.contains("✓ Created"))
        );
        let day = world.tomorrow().await;
        let tasks = day.iter();
        let tasks: usize = tasks
            .map(|block| block["tasks"].as_array().unwrap().len())
            .sum();
        assert_eq!(tasks, 1, "once, cut off at {at}");
        assert_eq!(resume(&mut world).await["workflows"], json!([]));
    }
}

#[tokio::test]
async fn of_one_that_failed_in_part_exactly_that_is_proposed() {
    let mut world = world().await;
    let plan = world.planned().await;
    let taken = new_blocks(&plan)[0].clone();
    let dentist = json!({
        "date": "tomorrow", "type": "blocked", "title": "Dentist",
        "startTime": taken["startTime"], "endTime": taken["endTime"],
    });
    let dentist = world.called("schedule_createTimeBlock", dentist).await;
    world.decide(&plan, "approval_approve").await;
    let there = world.tomorrow().await.len();
    assert_eq!(
        there,
        new_blocks(&plan).len(),
        "the dentist in the stead of one"
    );
    let gone = json!({"blockId": dentist["block"]["id"]});
    world
        .ask(crate::in_memory::proposing::run(
            "schedule_deleteTimeBlock",
            gone,
            "t5",
        ))
        .await;
    let delete = waiting(&world).await.pop().unwrap();
    world.decide(&delete, "approval_approve").await;
    let said = resume(&mut world).await;
    let one = &said["workflows"][0];
    assert_eq!(one["state"], "partial", "{said}");
    assert_eq!(said["resumed"], 0, "{said}");
    let next = &one["next"][0];
    assert_eq!(next["tool"], "workflow_schedule");
    let arguments = next["arguments"].to_string();
    world.replace_model(script(&[
        "system_resumeWorkflow {}",
        &format!("workflow_schedule {arguments}"),
        ": It waits for you.",
    ]));
    let again = world.asked("finish the plan").await;
    let place = |block: &Value| {
        let fields = ["type", "title", "startTime", "endTime", "tasks"];
        fields.map(|field| block[field].clone())
    };
    let asked: Vec<_> = new_blocks(&again).iter().map(place).collect();
    assert_eq!(asked, [place(&taken)], "exactly what failed");
    world.decide(&again, "approval_approve").await;
    assert_eq!(world.tomorrow().await.len(), there);
    assert_eq!(resume(&mut world).await["workflows"], json!([]));
}

/// The rest of a plan in which tasks couldn't be assigned to a block.
async fn left_over(world: &mut World) -> (Value, String) {
    let made = world.task("Write the report", 60).await;
    let report = made["task"]["id"].as_str().unwrap().to_owned();
    let plan = world.planned().await;
    let longer = json!({"taskId": report, "estimatedMinutes": 1_000});
    world.called("task_updateTask", longer).await;
    world.decide(&plan, "approval_approve").await;
    let shorter = json!({"taskId": report, "estimatedMinutes": 60});
    world.called("task_updateTask", shorter).await;
    let said = resume(world).await;
    assert_eq!(said["workflows"][0]["state"], "partial", "{said}");
    (said["workflows"][0]["next"][0].clone(), report)
}

#[tokio::test]
async fn the_rest_of_a_plan_is_shown_in_words_and_offered_until_it_is_done() {
    let mut world = world().await;
    let (next, report) = left_over(&mut world).await;
    assert_eq!(next["tool"], "workflow_fillWorkBlock");
    let arguments = next["arguments"].clone();
    let plan = world.proposed("workflow_fillWorkBlock", arguments).await;
    let card = plan.preview.as_text();
    assert!(!card.contains(&report), "{card}");
    assert_snapshot!(card, @r#"
Fill "Focus work" with tasks
When: 2026-11-22 09:00–10:30
Free: 90 min

• Write the report (60 min, medium priority, score 30)

One task takes 60 of 90 minutes.
"#);
    world.decide(&plan, "approval_approve").await;
    let said = resume(&mut world).await;
    assert_eq!(said["workflows"], json!([]), "it is done");
}

#[tokio::test]
async fn the_rest_of_a_plan_is_offered_until_its_day_is_over() {
    let mut world = world().await;
    left_over(&mut world).await;
    let hours = |hours: u64| Duration::from_secs(hours * 3_600);
    world.clock.advance(hours(24));
    let said = resume(&mut world).await;
    assert_eq!(said["workflows"][0]["state"], "partial", "{said}");
    world.clock.advance(hours(24));
    let said = resume(&mut world).await;
    assert_eq!(said["workflows"], json!([]), "the block was yesterday");
}

#[tokio::test]
async fn nobody_resumes_what_is_somebody_elses() {
    let mut world = world().await;
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    let plan = world.planned().await;
    let theirs = json!({"workflowId": plan.id});
    let mut call = crate::in_memory::proposing::run("system_resumeWorkflow", theirs, "t2");
    call.user = "U2".into();
    world.ask(call).await;
    let same = waiting(&world).await.pop().unwrap();
    assert_eq!((same.id, same.revision), (plan.id, 1));
}
