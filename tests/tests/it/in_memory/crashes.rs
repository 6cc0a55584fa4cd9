//! A fault at every store and queue call: one answer each, and no step lost or repeated.

use alfred_agent::{Step, StepKind};
use alfred_testkit::{STORE_FAULTS, When, calls, says, unavailable, unsent};

use crate::in_memory::world::{World, by_progress, dm};

async fn world() -> World {
    let asked = calls(&[
        ("c1", "task_createTask", "{\"title\": \"one\"}"),
        ("c2", "task_createTask", "{\"title\": \"two\"}"),
    ]);
    World::new(by_progress(vec![asked, says("Both are there.")])).await
}

async fn assert_done_once(world: &World, what: &str) {
    assert_eq!(world.dead.len(), 0, "{what}: {:?}", world.dead);
    assert_eq!(world.answers().len(), 1, "{what}: {:?}", world.answers());
    assert!(world.answers()[0].starts_with("Both are there."), "{what}");
    assert_eq!(world.tasks("U1").await, 2, "{what}");
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let seqs: Vec<u32> = steps.iter().map(|step| step.seq).collect();
    assert_eq!(seqs, (1..=run.progress.steps).collect::<Vec<_>>(), "{what}");
    let is_result = |step: &&Step| matches!(step.did, StepKind::ToolResult { .. });
    assert_eq!(steps.iter().filter(is_result).count(), 2, "{what}");
    let session = world.session("T1/U1/DU1").await;
    assert_eq!((session.active, session.memory.len()), (None, 1), "{what}");
}

#[tokio::test]
async fn a_fault_at_every_store_call_changes_nothing() {
    let mut plain = world().await;
    plain.say(dm("U1", "1.1", "two tasks")).await;
    let kinds = ["store.get", "store.query", "store.commit"];
    let counts = kinds.map(|kind| plain.faults.calls(kind));
    assert_done_once(&plain, "no fault").await;
    let mut injected = 0;
    for (kind, count) in kinds.into_iter().zip(counts) {
        for number in 1..=count {
            for (when, error) in STORE_FAULTS {
                let mut world = world().await;
                world.faults.fail_at(kind, number, when, error());
                world.say(dm("U1", "1.1", "two tasks")).await;
                assert_done_once(&world, &format!("{kind} {number} {when:?}")).await;
                injected += 1;
            }
        }
    }
    println!("{injected} faults injected");
    assert!(injected >= 27, "{injected}");
}

#[tokio::test]
async fn a_fault_at_every_send_changes_nothing() {
    let mut plain = world().await;
    plain.say(dm("U1", "1.1", "two tasks")).await;
    for number in 1..=plain.faults.calls("queue.send") {
        for when in [When::Before, When::After] {
            let mut world = world().await;
            world.faults.fail_at("queue.send", number, when, unsent());
            world.say(dm("U1", "1.1", "two tasks")).await;
            assert_done_once(&world, &format!("send {number} {when:?}")).await;
        }
    }
}

#[tokio::test]
async fn a_lost_send_is_found_by_the_sweep() {
    let mut world = world().await;
    world.receive(&dm("U1", "1.1", "two tasks")).await;
    world.next().expect("the message to the worker, lost here");
    world.settle().await;
    assert_done_once(&world, "lost message").await;
}

#[tokio::test]
async fn a_dead_worker_is_found_by_the_sweep() {
    let mut world = world().await;
    world.receive(&dm("U1", "1.1", "two tasks")).await;
    let (queue, envelope) = world.next().unwrap();
    let lost = unavailable();
    world.faults.fail_next("store.commit", When::After, lost);
    world.deliver(queue, &envelope).await.unwrap_err();
    world.settle().await;
    assert_done_once(&world, "dead worker").await;
}

#[tokio::test]
async fn two_workers_on_one_run_answer_once() {
    let mut world = world().await;
    world.receive(&dm("U1", "1.1", "two tasks")).await;
    let (queue, envelope) = world.next().unwrap();
    let (a, b, c) = tokio::join!(
        world.deliver(queue, &envelope),
        world.deliver(queue, &envelope),
        world.deliver(queue, &envelope)
    );
    for outcome in [a, b, c] {
        if let Err(failure) = outcome {
            assert!(failure.to_string().starts_with("retry"), "{failure}");
        }
    }
    world.settle().await;
    assert_done_once(&world, "two workers").await;
}

#[tokio::test]
async fn the_same_event_at_once_and_days_apart_is_one_answer() {
    let mut world = world().await;
    world.say(dm("U1", "1.1", "two tasks")).await;
    world.say(dm("U1", "1.1", "two tasks")).await;
    let mut twin = dm("U1", "1.1", "two tasks");
    twin.trigger = "EvOther".into();
    world.say(twin.clone()).await;
    let days = std::time::Duration::from_secs(3 * 24 * 3600);
    world.clock.advance(days);
    world.queue.forget_dedup();
    world.say(twin).await;
    assert_done_once(&world, "repeats").await;
}
