//! Schedules: a story with faults at these calls, told on as many threads as
//! there are processors, each schedule the same whenever it is told.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::simulation::faults::Fault;
use crate::simulation::invariants::{self, Facts};
use crate::simulation::mutations::Mutation;
use crate::simulation::person;
use crate::simulation::rig::{Home, Rig};
use crate::simulation::scenarios::Scenario;

/// A story with what goes wrong in it.
#[derive(Clone)]
pub struct Schedule {
    pub scenario: Scenario,
    /// Faults by the number of the call, from 1.
    pub faults: BTreeMap<usize, Fault>,
    pub seed: Option<u64>,
    pub home: Home,
    /// Says how long turns of the model take.
    pub pace: Option<u64>,
    /// What a byte costs that the model reads or writes, in millionths of a dollar; without it each turn costs little.
    pub price: Option<u64>,
    pub mutation: Option<Mutation>,
}

impl Schedule {
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            scenario: scenario.clone(),
            faults: BTreeMap::new(),
            seed: None,
            home: Home::OneMachine,
            pace: None,
            price: None,
            mutation: None,
        }
    }

    /// The story with one fault.
    pub fn with(scenario: &Scenario, call: usize, fault: Fault) -> Self {
        Self {
            faults: BTreeMap::from([(call, fault)]),
            ..Self::of(scenario)
        }
    }

    /// Two to five faults at random calls of about so many, and shuffled queues, in a home of
    /// either kind. In every second one the model is slow, in every fourth it may cost more than the request may.
    pub fn random(scenario: &Scenario, calls: usize, seed: u64) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed);
        let many = dice.usize(2..=5);
        let faults = (0..many)
            .map(|_| {
                (
                    dice.usize(1..=calls + calls / 3),
                    Fault::ALL[dice.usize(..Fault::ALL.len())],
                )
            })
            .collect();
        Self {
            faults,
            seed: Some(seed),
            home: match dice.bool() {
                true => Home::OneMachine,
                false => Home::Lambda,
            },
            pace: dice.bool().then_some(seed),
            price: (dice.u8(..4) == 0).then(|| dice.u64(1..=DEAREST)),
            ..Self::of(scenario)
        }
    }
}

/// The dearest byte: one turn of a story is more than a run may cost.
const DEAREST: u64 = 300;

/// What came of a schedule.
pub struct Told {
    /// The calls of the story itself, by delivery.
    pub deliveries: Vec<Vec<&'static str>>,
    pub wrong: Vec<String>,
}

/// Whether no fault struck that lets a request fail honestly.
fn is_strict(rig: &Rig, facts: &Facts) -> bool {
    let struck = rig.sim.gate.struck();
    let world = rig.sim.world();
    // One fault costs less time than a request has; several may cost more.
    let may_be_late = struck.len() > 1;
    world.timed_out == 0
        && !(may_be_late && facts.is_out_of_time())
        && world.price.is_none()
        && !struck.iter().any(|(_, call, fault)| match (*call, fault) {
            (_, Fault::Stop) => true,
            ("model.turn", fault) => matches!(
                fault,
                Fault::LostBefore | Fault::LostAfter | Fault::Contended | Fault::Throttled
            ),
            _ => false,
        })
}

/// Tells a schedule to its end.
pub async fn tell(rig: &Rig, schedule: &Schedule) -> Told {
    rig.reset(&schedule.scenario).await;
    rig.home.set(schedule.home);
    {
        let mut world = rig.sim.world();
        world.mutation = schedule.mutation;
        world.pace = schedule.pace.map(fastrand::Rng::with_seed);
        world.price = schedule.price;
    }
    rig.sim.gate.plan(schedule.faults.clone());
    *rig.dice.borrow_mut() = schedule.seed.map(fastrand::Rng::with_seed);
    let mut wrong = Vec::new();
    for act in schedule.scenario.acts {
        wrong.extend(person::act(rig, *act).await.err());
    }
    wrong.extend(rig.settle().await.err());
    let deliveries = rig.sim.gate.deliveries();
    let facts = Facts::of(rig).await;
    let strict = is_strict(rig, &facts);
    wrong.extend(invariants::broken(rig, &facts, &schedule.scenario, strict).await);
    if !facts.is_over() {
        // Hours later nothing waits any more, and nothing was done meanwhile.
        wrong.extend(person::act(rig, person::Act::Wait(150)).await.err());
        let facts = Facts::of(rig).await;
        let strict = is_strict(rig, &facts);
        wrong.extend(invariants::broken(rig, &facts, &schedule.scenario, strict).await);
        wrong.extend(invariants::leftovers(rig, &facts).await);
    }
    wrong.extend(rig.disturbed.borrow().iter().cloned());
    let in_doubt = u32::try_from(schedule.scenario.lost_posts.len()).unwrap();
    let (slowest, bound) = (rig.slowest.get(), schedule.home.at_rest_within(in_doubt));
    if slowest > bound {
        wrong.push(format!(
            "it took {slowest:?} to come to rest, more than {bound:?}"
        ));
    }
    Told { deliveries, wrong }
}

/// Broken schedules after which no more are told.
const ENOUGH: usize = 12;

/// Tells all schedules, and gives what is wrong with the first few that broke something.
pub fn tell_all(schedules: &[Schedule]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let broken: Mutex<BTreeMap<usize, String>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut rig = Rig::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(schedule) = schedules.get(at) else {
                        return;
                    };
                    if broken.lock().unwrap().len() >= ENOUGH {
                        return;
                    }
                    let told = catch_unwind(AssertUnwindSafe(|| alone(tell(&rig, schedule))));
                    let wrong = match told {
                        Ok(told) if told.wrong.is_empty() => continue,
                        Ok(told) => told.wrong.join("\n  "),
                        Err(_) => {
                            // Its locks may be poisoned.
                            rig = Rig::new();
                            "it panicked".to_owned()
                        }
                    };
                    let report = format!(
                        "\"{}\" with {:?}, seed {:?}:\n  {wrong}",
                        schedule.scenario.name, schedule.faults, schedule.seed
                    );
                    println!("broken: {report}");
                    broken.lock().unwrap().insert(at, report);
                }
            });
        }
    });
    broken.into_inner().unwrap().into_values().collect()
}

/// Runs a future to its end on this thread.
pub fn alone<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(future)
}
