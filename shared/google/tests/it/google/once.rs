//! Whatever call fails, whenever a process dies, and whoever else is at it: what was asked for happens once.

use alfred_core::ports::AccountError;
use alfred_google::Google;
use alfred_google_local::{Fault, Hold, Release};
use std::fmt::Debug;
use std::time::Duration;

use crate::google::support::World;

/// A change that is made under a key.
pub trait Effect: Copy + Debug {
    /// The calls that it makes.
    fn calls(self) -> &'static [&'static str];
    async fn world(self) -> World;
    async fn make(self, google: &Google) -> Result<(), AccountError>;
    async fn is_found(self, world: &World, google: &Google) -> Result<bool, AccountError>;
    /// How often it was made, seen from inside.
    fn count(self, world: &World) -> usize;
    /// What else must be true in the end.
    fn check(self, _: &World) {}
}

pub async fn once(effect: impl Effect) {
    whatever_call_fails(effect).await;
    whenever_the_process_dies(effect).await;
    by_two_processes(effect).await;
}

async fn whatever_call_fails(effect: impl Effect) {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
        Fault::Error {
            status: 429,
            reason: "rateLimitExceeded",
            retry_after: Some(60),
        },
    ];
    let calls = effect.calls().iter();
    for (call, times) in calls.flat_map(|call| [(call, 1), (call, 4)]) {
        for fault in &faults {
            let case = format!("{effect:?}: {call} {fault:?} {times} times");
            let world = effect.world().await;
            world.local().fail_next(call, times, fault.clone());
            match effect.make(&world.google).await {
                Ok(()) | Err(AccountError::Unknown { .. }) => {}
                Err(AccountError::NotReached { .. }) => {
                    assert_eq!(effect.count(&world), 0, "{case}");
                }
                Err(error) => panic!("{case}: {error}"),
            }
            is_made_once(effect, &world, &world.google, &case).await;
        }
    }
}

async fn whenever_the_process_dies(effect: impl Effect) {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for call in effect.calls() {
            let case = format!("{effect:?}: dies at {call} {hold:?}");
            let world = effect.world().await;
            let mut gate = world.local().hold(call, hold);
            let held = tokio::select! {
                made = effect.make(&world.google) => panic!("{case}: {made:?}"),
                held = gate.arrived() => held,
            };
            held.release(Release::Drop);
            drop(gate);
            is_made_once(effect, &world, &world.another_process(), &case).await;
        }
    }
}

async fn by_two_processes(effect: impl Effect) {
    let world = effect.world().await;
    let other = world.another_process();
    let (_, _, _) = tokio::join!(
        effect.make(&world.google),
        effect.make(&other),
        effect.make(&world.google)
    );
    is_made_once(effect, &world, &other, &format!("{effect:?}")).await;
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn is_made_once(effect: impl Effect, world: &World, google: &Google, case: &str) {
    for _ in 0..9 {
        let is_found = effect.is_found(world, google).await;
        match is_found {
            // Once more, although it was made.
            Ok(found) => match effect.make(google).await {
                Ok(()) if found => {
                    assert_eq!(effect.count(world), 1, "{case}");
                    return effect.check(world);
                }
                _ => {}
            },
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        world.clock.advance(Duration::from_secs(120));
    }
    panic!("{case}: it was never made");
}
