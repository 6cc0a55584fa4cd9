//! The focus guard: a meeting on a block is asked about once, without a model.

use alfred_core::ports::{Event, QueueName};
use alfred_testkit::{STORE_FAULTS, fixtures};
use serde_json::json;
use std::time::Duration;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::world;
use crate::in_memory::world::{World, sweep};

const MONDAY: &str = "2026-11-23";

/// A meeting of Ana's on Monday, such as "10:00-10:30 Stand-up".
fn meeting(said: &str) -> Event {
    let (times, title) = said.split_once(' ').unwrap();
    let (start, end) = times.split_once('-').unwrap();
    let [start, end] = [start, end].map(|time| format!("{MONDAY}T{time}:00+01:00"));
    fixtures::event(said, title, &start, &end)
}

impl World {
    fn meets(&mut self, meetings: &[&str]) {
        let events = meetings.iter().map(|said| meeting(said)).collect();
        self.has_events(events, &[]);
    }

    async fn looks(&mut self) {
        self.clock.advance(Duration::from_secs(15 * 60));
        self.sweep().await;
    }

    fn asked_about(&self) -> Vec<String> {
        let mut said = self.answers();
        said.retain(|one| one.contains("landed on your focus block"));
        said
    }
}

async fn guarded(blocks: &[&str]) -> World {
    let mut world = world().await;
    world.meets(&[]);
    for block in blocks {
        world.block(MONDAY, block).await;
    }
    let guard = json!({"kind": "focusGuard"});
    world.called("job_createJob", guard).await;
    world.looks().await;
    assert_eq!(world.asked_about().len(), 0);
    world
}

const STAND_UP: &str = "10:00-10:30 Stand-up";

#[tokio::test]
async fn a_fault_at_any_store_call_leaves_one_card() {
    let kinds = ["store.get", "store.query", "store.commit"];
    let mut plain = guarded(&["work 09:30-11:00 Deep work"]).await;
    plain.meets(&[STAND_UP]);
    let before = kinds.map(|kind| plain.faults.calls(kind));
    plain.looks().await;
    let after = kinds.map(|kind| plain.faults.calls(kind));
    let mut injected = 0;
    for (at, kind) in kinds.into_iter().enumerate() {
        for number in before[at] + 1..=after[at] {
            for (when, error) in STORE_FAULTS {
                let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
                world.meets(&[STAND_UP]);
                world.faults.fail_at(kind, number, when, error());
                world.clock.advance(Duration::from_secs(15 * 60));
                for _ in 0..8 {
                    // A failed sweep is repeated by the next one.
                    let _ = world.deliver(QueueName::Ingress, &sweep()).await;
                    world.drain().await;
                    world.queue.forget_dedup();
                    world.clock.advance(Duration::from_secs(60));
                }
                let what = format!("{kind} {number} {when:?}");
                assert_eq!(world.asked_about().len(), 1, "{what}");
                assert_eq!(waiting(&world).await.len(), 1, "{what}");
                injected += 1;
            }
        }
    }
    println!("{injected} faults injected");
    assert!(injected > 100, "{injected}");
}
