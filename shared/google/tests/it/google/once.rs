//! Checks that a change is made once: if a call fails, if a process dies, and if two processes make it.

use alfred_core::ports::AccountError;
use alfred_google::Google;
use alfred_google_local::{Fault, Hold, Release};
use std::fmt::Debug;
use std::time::Duration;

use crate::google::support::{World, error};

/// A change that is made under a key.
pub trait Effect: Copy + Debug {
    /// The calls that it makes.
    fn calls(self) -> &'static [&'static str];
    async fn world(self) -> World;
    async fn make(self, google: &Google) -> Result<(), AccountError>;
    async fn is_found(self, world: &World, google: &Google) -> Result<bool, AccountError>;
    /// How often it was made, seen from inside.
    fn count(self, world: &World) -> usize;
    /// Whether one such failure, with a short wait if any, doesn't fail the change.
    fn survives(self, _: &str, _: &Fault) -> bool {
        false
    }
    /// Whether the next process can say at once if the change was made.
    fn is_known_at_once(self) -> bool {
        false
    }
    /// What else must be true in the end.
    fn check(self, _: &World) {}
}

pub async fn once(effect: impl Effect) {
    whatever_call_fails(effect).await;
    whenever_the_process_dies(effect).await;
    by_two_processes(effect).await;
}

async fn whatever_call_fails(effect: impl Effect) {
    let long = error(429, "rateLimitExceeded", Some(60));
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
        error(403, "userRateLimitExceeded", Some(1)),
        error(500, "backendError", Some(1)),
        long.clone(),
    ];
    let calls = effect.calls().iter();
    for (call, times) in calls.flat_map(|call| [(call, 1), (call, 4)]) {
        for fault in &faults {
            let case = format!("{effect:?}: {call} {fault:?} {times} times");
            let world = effect.world().await;
            world.local().fail_next(call, times, fault.clone());
            let first = effect.make(&world.google).await;
            let survives = times == 1 && *fault != long && effect.survives(call, fault);
            assert!(first.is_ok() || !survives, "{case}: {first:?}");
            if let Err(AccountError::NotReached { .. }) = first {
                assert_eq!(effect.count(&world), 0, "{case}");
            }
            is_not_refused(&first, &case);
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
            let next = world.another_process();
            if effect.is_known_at_once() {
                let is_found = effect.is_found(&world, &next).await;
                assert!(is_found.is_ok(), "{case}: {is_found:?}");
            }
            is_made_once(effect, &world, &next, &case).await;
        }
    }
}

async fn by_two_processes(effect: impl Effect) {
    let world = effect.world().await;
    let other = world.another_process();
    let (first, second, third) = tokio::join!(
        effect.make(&world.google),
        effect.make(&other),
        effect.make(&world.google)
    );
    let case = format!("{effect:?} by two processes");
    for made in [first, second, third] {
        is_not_refused(&made, &case);
    }
    is_made_once(effect, &world, &other, &case).await;
}

fn is_not_refused(made: &Result<(), AccountError>, case: &str) {
    match made {
        Ok(()) | Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
        Err(error) => panic!("{case}: {error}"),
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn is_made_once(effect: impl Effect, world: &World, google: &Google, case: &str) {
    for _ in 0..9 {
        let is_found = effect.is_found(world, google).await;
        match is_found {
            // Once more, although it was made.
            Ok(found) => {
                let made = effect.make(google).await;
                is_not_refused(&made, case);
                if found && made.is_ok() {
                    assert_eq!(effect.count(world), 1, "{case}");
                    return effect.check(world);
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        world.clock.advance(Duration::from_secs(120));
    }
    panic!("{case}: it was never made");
}
