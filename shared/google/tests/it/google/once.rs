//! Checks that each change of `once.txt` is made once: if a call fails, if a process dies, and if two processes make it.

use alfred_core::ports::AccountError;
use alfred_google::Google;
use alfred_google_local::{Fault, Hold, Release};
use alfred_testkit::conformance::words;
use std::time::Duration;

use crate::google::player::{Calls, strs};
use crate::google::support::{World, error};

/// A change that is made under a key, in the calls of a text.
struct Change {
    port: fn() -> Box<dyn Calls>,
    kind: &'static str,
    given: &'static str,
    make: &'static str,
    find: &'static str,
    look: &'static str,
    methods: Vec<&'static str>,
    shows: &'static str,
}

/// Tries all changes of a port in every way.
pub async fn once(name: &str, port: fn() -> Box<dyn Calls>) {
    let prefix = format!("{name} ");
    let blocks = include_str!("once.txt").trim_end().split("\n\n");
    let own = blocks.filter_map(|block| block.strip_prefix(&prefix));
    let own: Vec<&str> = own.collect();
    assert!(!own.is_empty(), "there are no changes of {name}");
    for block in own {
        let lines: Vec<&str> = block.splitn(7, '\n').collect();
        let [kind, given, make, find, look, methods, shows] = lines[..] else {
            panic!("{block}");
        };
        let change = Change {
            port,
            kind,
            given,
            make,
            find,
            look,
            methods: methods.split(' ').collect(),
            shows,
        };
        whatever_call_fails(&change).await;
        whenever_the_process_dies(&change).await;
        by_two_processes(&change).await;
    }
}

impl Change {
    async fn world(&self) -> World {
        let world = World::new().await;
        let calls = (self.port)();
        calls.prepare(&world);
        for call in self.given.split("; ").filter(|call| *call != "nothing") {
            calls.inside(&world, &strs(&words(call)));
        }
        world
    }

    async fn make(&self, world: &World, google: &Google) -> Result<(), AccountError> {
        let call = words(self.make);
        let made = (self.port)().port(world, google, &strs(&call)).await;
        made.map(|made| drop(made.unwrap()))
    }

    async fn is_found(&self, world: &World, google: &Google) -> Result<bool, AccountError> {
        let (calls, call) = ((self.port)(), words(self.find));
        let found = calls.port(world, google, &strs(&call)).await?;
        Ok(found.unwrap_or_else(|| calls.inside(world, &strs(&call))) != "none")
    }

    fn look(&self, world: &World) -> String {
        (self.port)().inside(world, &strs(&words(self.look)))
    }

    /// Whether one such failure, with a short wait if any, doesn't fail the change.
    fn survives(&self, call: &str, fault: &Fault) -> bool {
        let wrote = matches!(
            fault,
            Fault::DropAfter | Fault::GarbledAfter | Fault::ErrorAfter(_)
        );
        match self.kind {
            "event" => true,
            "mail" => false,
            // Not repeated, since Google writes to the person.
            "share" => call == "drive.files.get",
            // A lost creation of a file isn't repeated, nor is a batch that wrote nothing.
            _ => call != "drive.files.create" && (wrote || !call.ends_with("batchUpdate")),
        }
    }
}

async fn whatever_call_fails(change: &Change) {
    let long = Fault::Error(error(429, "rateLimitExceeded", Some(60)));
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter(error(503, "backendError", None)),
        Fault::Error(error(403, "userRateLimitExceeded", Some(1))),
        Fault::Error(error(500, "backendError", Some(1))),
        long.clone(),
    ];
    let calls = change.methods.iter();
    for (call, times) in calls.flat_map(|call| [(call, 1), (call, 4)]) {
        for fault in &faults {
            let case = format!("{}: {call} {fault:?} {times} times", change.make);
            let world = change.world().await;
            world.local().fail_next(call, times, fault.clone());
            let first = change.make(&world, &world.google).await;
            let survives = times == 1 && *fault != long && change.survives(call, fault);
            assert!(first.is_ok() || !survives, "{case}: {first:?}");
            if let Err(AccountError::NotReached { .. }) = first {
                let look = change.look(&world);
                assert!(!look.contains(change.shows), "{case}: {look}");
            }
            is_not_refused(&first, &case);
            is_made_once(change, &world, &world.google, &case).await;
        }
    }
}

async fn whenever_the_process_dies(change: &Change) {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for call in &change.methods {
            let case = format!("{}: dies at {call} {hold:?}", change.make);
            let world = change.world().await;
            let mut gate = world.local().hold(call, hold);
            let held = tokio::select! {
                made = change.make(&world, &world.google) => panic!("{case}: {made:?}"),
                held = gate.arrived() => held,
            };
            held.release(Release::Drop);
            drop(gate);
            let next = world.another_process();
            // Of a file the next process may not know at once.
            if change.kind != "file" {
                let is_found = change.is_found(&world, &next).await;
                assert!(is_found.is_ok(), "{case}: {is_found:?}");
            }
            is_made_once(change, &world, &next, &case).await;
        }
    }
}

async fn by_two_processes(change: &Change) {
    let world = change.world().await;
    let other = world.another_process();
    let (first, second, third) = tokio::join!(
        change.make(&world, &world.google),
        change.make(&world, &other),
        change.make(&world, &world.google)
    );
    let case = format!("{} by two processes", change.make);
    for made in [first, second, third] {
        is_not_refused(&made, &case);
    }
    is_made_once(change, &world, &other, &case).await;
}

fn is_not_refused(made: &Result<(), AccountError>, case: &str) {
    match made {
        Ok(()) | Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
        Err(error) => panic!("{case}: {error}"),
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn is_made_once(change: &Change, world: &World, google: &Google, case: &str) {
    for _ in 0..9 {
        let is_found = change.is_found(world, google).await;
        match is_found {
            // Once more, although it was made.
            Ok(found) => {
                let made = change.make(world, google).await;
                is_not_refused(&made, case);
                if found && made.is_ok() {
                    return assert_eq!(change.look(world), change.shows, "{case}");
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        world.clock.advance(Duration::from_secs(120));
    }
    panic!("{case}: it was never made");
}
