//! `system_resumeWorkflow` for workflows that wait, were interrupted, or partly failed.

use alfred_agent::RunState;
use alfred_core::ports::QueueName;
use alfred_testkit::{When, unavailable};
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, value};
use crate::in_memory::proposing::world;
use crate::in_memory::world::World;

async fn resume(world: &mut World) -> Value {
    world.called("system_resumeWorkflow", json!({})).await
}

/// Plans tomorrow and approves it. The worker dies before this commit, and its message is lost.
async fn cut_off(world: &mut World, at: usize) {
    world.task("Write the report", 60).await;
    let plan = world.planned().await;
    let yes = click("U1", "approval_approve", &value(&plan), "a2");
    world.deliver_until_done(QueueName::Ingress, yes).await;
    let (queue, message) = world.next().expect("the run was sent");
    assert_eq!(queue, QueueName::Utility);
    let number = world.faults.calls("store.commit") + at;
    let (when, error) = (When::Before, unavailable());
    world.faults.fail_at("store.commit", number, when, error);
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
        let mut runs = world.runs().await.into_iter();
        assert!(runs.all(|run| matches!(run.state, RunState::Done { .. })));
        let mut answers = world.answers().into_iter();
        assert!(answers.any(|answer| answer.contains("✓ Created")));
        let day = world.tomorrow().await;
        let blocks = day.iter();
        let tasks = blocks.map(|block| block["tasks"].as_array().unwrap().len());
        assert_eq!(tasks.sum::<usize>(), 1, "once, cut off at {at}");
        assert_eq!(resume(&mut world).await["workflows"], json!([]));
    }
}
