//! The watchdog resumes abandoned runs without disturbing active ones.

use alfred_agent::runner::finish;
use alfred_agent::{Deadline, RunContext, RunState};
use alfred_classifier::Classifier;
use alfred_core::ports::{Clock, Model, ModelError, Output, Turn, TurnRequest, Usage};
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use async_trait::async_trait;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::in_memory::world::{World, dm, sweep, turns_taken};

const MINUTE: Duration = Duration::from_secs(60);

/// Each turn takes a minute, while sweeps come as often as on one machine.
struct Slow {
    clock: ManualClock,
    turns: usize,
    asked: AtomicUsize,
    classifier: OnceLock<Classifier>,
}

#[async_trait]
impl Model for Slow {
    async fn turn(&self, request: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if let Output::Json { .. } = request.output {
            return Ok(says("{\"result\": false}"));
        }
        for _ in 0..60 {
            self.clock.advance(Duration::from_secs(1));
            let classifier = self.classifier.get().unwrap();
            classifier.handle(&sweep(), Deadline::none()).await.unwrap();
        }
        let turn = turns_taken(request);
        Ok(if turn + 1 == self.turns {
            says("there you are")
        } else {
            calls(&[("c1", "time_now", "{}")])
        })
    }

    fn name(&self) -> String {
        "slow:model".into()
    }
}

async fn world(turns: usize) -> (World, Arc<Slow>) {
    let mut world = World::new(ScriptedModel::answering(|_| unreachable!())).await;
    let slow = Arc::new(Slow {
        clock: world.clock.clone(),
        turns,
        asked: AtomicUsize::new(0),
        classifier: OnceLock::new(),
    });
    world.change_ports(|ports| ports.model = slow.clone());
    let classifier = Classifier::new(world.ports.clone(), world.vault.clone()).unwrap();
    assert!(slow.classifier.set(classifier).is_ok());
    (world, slow)
}

#[tokio::test]
async fn honest_work_of_many_minutes_is_neither_stopped_nor_repeated() {
    for turns in [6, 9] {
        let (mut world, slow) = world(turns).await;
        let began = world.clock.now();
        world.receive(&dm("U1", "1.1", "hello")).await;
        world.drain().await;
        assert_eq!(world.said(), ["there you are"]);
        let took = world.clock.now().duration_since(began).as_secs();
        assert_eq!(took, 60 * i64::try_from(turns).unwrap());
        assert_eq!(slow.asked.load(Ordering::SeqCst), turns + 1);
    }
}

#[tokio::test]
async fn a_look_writes_nothing_of_the_run_it_looks_at() {
    let (mut world, _) = world(1).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    let run = world.root().await;
    // Just before and after the watchdog's time, and long after it.
    for (ms, sent) in [(299_500, 0), (600, 1), (300_000, 0), (1_000, 1)] {
        world.clock.advance(Duration::from_millis(ms));
        let found = world.faults.calls("queue.send");
        world.receive(&sweep()).await;
        assert_eq!(world.faults.calls("queue.send") - found, sent, "{ms}");
        assert_eq!(world.root().await, run, "{ms}");
    }
    // Ten minutes have passed, twice the deduplication window.
    world.queue.forget_dedup();
    world.drain().await;
    assert_eq!(world.said(), ["there you are"]);
}

#[tokio::test]
async fn a_pause_longer_than_the_watchdogs_patience_is_kept() {
    let (mut world, slow) = world(1).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    let run = world.root().await.id;
    let journal = world.ports.journal();
    let loaded = journal.load(&"T1".into(), &run).await.unwrap();
    let mut loaded = loaded.unwrap();
    let hour = Duration::from_secs(3_600);
    let mut cx = RunContext::new(&world.ports, &mut loaded, Deadline::none());
    let paused = finish::wake_after(&mut cx, vec![], hour, |_| {}).await;
    paused.unwrap();
    let asked = slow.asked.load(Ordering::SeqCst);
    for _ in 0..59 {
        world.clock.advance(MINUTE);
        world.sweep().await;
    }
    let now = slow.asked.load(Ordering::SeqCst);
    assert_eq!(now, asked, "it isn't asked before");
    world.clock.advance(MINUTE + Duration::from_secs(1));
    world.sweep().await;
    assert_eq!(world.said(), ["there you are"]);
    assert!(matches!(world.root().await.state, RunState::Done { .. }));
}
