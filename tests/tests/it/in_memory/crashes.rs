//! Workers that die or work at once: one answer, and no step lost or repeated.

use alfred_agent::{Step, StepKind};
use alfred_testkit::{When, calls, says, unavailable};

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
    let work = || world.deliver(queue, &envelope);
    let (a, b, c) = tokio::join!(work(), work(), work());
    for outcome in [a, b, c] {
        if let Err(failure) = outcome {
            assert!(failure.to_string().starts_with("retry"), "{failure}");
        }
    }
    world.settle().await;
    assert_done_once(&world, "two workers").await;
}
