//! Runs stories with faults in parallel. Each schedule is deterministic.

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

#[derive(Clone)]
pub struct Schedule {
    pub scenario: Scenario,
    /// Faults by call number, from 1.
    pub faults: BTreeMap<usize, Fault>,
    pub seed: Option<u64>,
    pub home: Home,
    pub pace: Option<u64>,
    /// Price of a byte that the model reads or writes, in millionths of a dollar. Without it each turn costs little.
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

    pub fn with(scenario: &Scenario, call: usize, fault: Fault) -> Self {
        Self {
            faults: BTreeMap::from([(call, fault)]),
            ..Self::of(scenario)
        }
    }

    /// Two to five faults at random calls and shuffled queues, in a random home. Every second model is slow; every
    /// fourth may exceed the request's budget.
    pub fn random(scenario: &Scenario, calls: usize, seed: u64) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed);
        let many = dice.usize(2..=5);
        let faults = (0..many).map(|_| {
            let call = dice.usize(1..=calls + calls / 3);
            (call, Fault::ALL[dice.usize(..Fault::ALL.len())])
        });
        let faults = faults.collect();
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

/// At this price one turn can exceed a run's budget.
const DEAREST: u64 = 300;

pub struct Told {
    /// The story's own calls, by delivery.
    pub deliveries: Vec<Vec<&'static str>>,
    pub wrong: Vec<String>,
}

/// Whether no fault struck that may make a request fail.
fn is_strict(rig: &Rig, facts: &Facts) -> bool {
    let struck = rig.sim.gate.struck();
    let world = rig.sim.world();
    // A single fault can't exceed a request's time; several may.
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
    wrong.append(&mut rig.sim.world().early);
    let in_doubt = u32::try_from(schedule.scenario.lost_posts.len()).unwrap();
    let (slowest, bound) = (rig.slowest.get(), schedule.home.at_rest_within(in_doubt));
    if slowest > bound {
        wrong.push(format!(
            "it took {slowest:?} to come to rest, more than {bound:?}"
        ));
    }
    Told { deliveries, wrong }
}

/// Broken schedules after which the run stops.
const ENOUGH: usize = 12;

/// Runs all schedules, and returns what is wrong with the first few broken ones.
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

pub fn alone<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().build().unwrap().block_on(future)
}
