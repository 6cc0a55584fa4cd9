//! Alfred's real handlers over simulated ports. The rig delivers messages, kills processes, redelivers, and
//! advances time.

use alfred_agent::approval::pending;
use alfred_agent::model::{Snapshot, Status};
use alfred_agent::{Journal, Run, RunState};
use alfred_core::ports::{Clock, QueueName, Store};
use alfred_core::{Config, Failure, ReplyAddress, Role, RunId, keys};
use alfred_testkit::{ManualClock, MemoryVault, intercepted};
use alfred_tests::{Functions, person, ports, register, team};
use jiff::{SignedDuration, Timestamp};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::simulation::faults::block_on;
use crate::simulation::person as owner;
use crate::simulation::ports::{Sim, SimModel, SimStore, World};
use crate::simulation::scenarios::{Scenario, chat_with};

mod delivery;

/// How long a dead process's message stays hidden on Lambda.
const VISIBILITY: Duration = Duration::from_secs(180);
/// Lambda's timeout.
const INVOCATION: Duration = Duration::from_secs(120);
/// The restart delay on one machine.
const RESTART: Duration = Duration::from_secs(1);
/// How long temporary failures are retried in the process.
const WAITED_OUT: Duration = Duration::from_secs(110);
/// A handler with more polls hangs.
const POLLS: u32 = 1_000_000;
/// A schedule with more deliveries never ends.
const DELIVERIES: u32 = 20_000;
/// Consecutive sweeps that faults may hit.
const SWEEPS: usize = 8;
/// Everything must be at rest after this time.
const PATIENCE: SignedDuration = SignedDuration::from_mins(45);

const MARKETING: &str = "---\nname: manager\ntoolsets:\n  time: {}\n  slack: {}\nlimits:\n  max_iterations: 10\n---\nYou manage the marketing team.\n";

#[derive(Debug)]
pub enum Ended {
    Done,
    Failed(Failure),
    Crashed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    OneMachine,
    Lambda,
}

impl Home {
    /// When the message of a dead process returns.
    fn comes_back(self) -> Duration {
        match self {
            Self::OneMachine => RESTART,
            Self::Lambda => VISIBILITY,
        }
    }

    /// The time from the last fault to rest, without calls. An effect of unknown outcome is checked after 60 s
    /// (`in_doubt` counts the story's own), a reply after 30 s, and Lambda's visibility timeout adds up. A check that is
    /// due waits for the next sweep.
    pub fn at_rest_within(self, in_doubt: u32) -> Duration {
        let looks = Duration::from_secs(65) * (1 + in_doubt) + Duration::from_secs(30);
        match self {
            Self::OneMachine => looks,
            Self::Lambda => VISIBILITY + looks + self.sweeps_every(),
        }
    }

    fn sweeps_every(self) -> Duration {
        match self {
            Self::OneMachine => Duration::from_secs(1),
            Self::Lambda => Duration::from_secs(60),
        }
    }
}

type AtWork = BTreeMap<RunId, (u64, String)>;

pub struct Rig {
    pub sim: Arc<Sim>,
    pub clock: ManualClock,
    pub config: Arc<Config>,
    pub dead: RefCell<Vec<String>>,
    pub approved: RefCell<Vec<String>>,
    pub repeats: Cell<usize>,
    pub clicked: RefCell<BTreeSet<String>>,
    pub events: Cell<u32>,
    deliveries: Cell<u32>,
    /// Shuffles the queue, if set.
    pub dice: RefCell<Option<fastrand::Rng>>,
    pub home: Cell<Home>,
    /// Reports of active runs that a sweep changed.
    pub disturbed: RefCell<Vec<String>>,
    /// The time of the last fault or human act, and the total duration of calls until then.
    calm_since: Cell<(Timestamp, Duration)>,
    pub slowest: Cell<Duration>,
    /// The thread of the owner's open chat.
    pub thread: RefCell<Option<ReplyAddress>>,
    pub functions: Functions,
    embedded: Functions,
    embedded_teams: Cell<bool>,
}

impl Rig {
    pub fn new() -> Self {
        let clock = ManualClock::default();
        Self::on(clock.clone(), Arc::new(clock))
    }

    /// Uses `waits` for sleeping; it must show the same time as `clock`.
    pub fn on(clock: ManualClock, waits: Arc<dyn Clock>) -> Self {
        let sim = Arc::new(Sim::new(&clock));
        let ports = ports(
            Arc::new(SimStore(sim.clone())),
            intercepted(sim.clone(), sim.queue.clone()),
            intercepted(sim.clone(), sim.chat.clone()),
            intercepted(sim.clone(), Arc::new(SimModel(sim.clone()))),
            (waits, sim.ids.clone()),
        );
        // Unlike the embedded teams, this one has a tool that asks.
        let marketing = Snapshot::of("marketing", [("marketing/manager", MARKETING)]);
        let teams = BTreeMap::from([("marketing".to_owned(), marketing)]);
        let config = ports.config.clone();
        let vault = Arc::new(MemoryVault::default());
        let embedded = Functions::new(ports, vault).with_chats(Arc::new(chat_with));
        Self {
            functions: embedded.clone().with_teams(teams),
            embedded,
            embedded_teams: Cell::default(),
            thread: RefCell::default(),
            sim,
            clock,
            config,
            dead: RefCell::default(),
            approved: RefCell::default(),
            repeats: Cell::default(),
            clicked: RefCell::default(),
            events: Cell::default(),
            deliveries: Cell::default(),
            dice: RefCell::default(),
            home: Cell::new(Home::OneMachine),
            disturbed: RefCell::default(),
            calm_since: Cell::default(),
            slowest: Cell::default(),
        }
    }

    pub async fn reset(&self, scenario: &Scenario) {
        self.clock.set(ManualClock::default().now());
        let mut world = World::new(&self.clock, scenario.model);
        world.lost_posts = scenario.lost_posts.iter().copied().collect();
        world.unreadable = scenario.unreadable;
        self.sim.reset(world);
        self.sim.gate.plan(BTreeMap::new());
        self.dead.borrow_mut().clear();
        self.approved.borrow_mut().clear();
        self.clicked.borrow_mut().clear();
        self.repeats.set(0);
        self.events.set(0);
        self.deliveries.set(0);
        *self.dice.borrow_mut() = None;
        self.home.set(Home::OneMachine);
        self.disturbed.borrow_mut().clear();
        self.slowest.set(Duration::ZERO);
        *self.thread.borrow_mut() = None;
        self.embedded_teams.set(scenario.embedded_teams);
        for (id, name, role) in [
            ("U1", "Ana", Role::Member),
            ("U2", "Ben", Role::Member),
            ("U3", "Chiyo", Role::Admin),
        ] {
            let somebody = person(id, name, role, self.clock.now());
            register(&*self.sim.store(), &*self.sim.ids, &somebody).await;
        }
        // Users were created well before the first message.
        self.clock.advance(Duration::from_secs(600));
    }

    /// A journal that bypasses the faults.
    pub fn journal(&self) -> Journal {
        let clock = Arc::new(self.clock.clone());
        Journal::new(self.sim.store(), clock, self.sim.ids.clone(), &self.config)
    }

    pub async fn runs(&self) -> Vec<Run> {
        let ids = self.sim.world().runs.clone();
        let store = self.sim.store();
        let mut runs = Vec::new();
        for id in ids {
            if let Some(row) = store.get(&keys::run(&team(), &id)).await.unwrap() {
                runs.push(serde_json::from_value(row.body).unwrap());
            }
        }
        runs
    }

    /// Brings everything to rest: queues first, then time and sweeps. Fails if a run is stuck.
    pub async fn settle(&self) -> Result<(), String> {
        let began = self.clock.now();
        while self.clock.now().duration_since(began) < PATIENCE {
            self.drain().await;
            if self.restless().await.is_empty() {
                self.answered();
                return Ok(());
            }
            self.clock.advance(self.until_next_timer());
            self.sim.queue.forget_dedup();
            self.sweep().await;
        }
        Err(format!("stuck: {:?}", self.restless().await))
    }

    /// The time until the sweep of the next timer, at most an hour.
    fn until_next_timer(&self) -> Duration {
        let timers = self.sim.world().timers.clone();
        let store = self.sim.store();
        let (now, step) = (self.clock.now(), self.home.get().sweeps_every());
        let mut wait = Duration::from_secs(60);
        for key in timers {
            let (at, _) = key.range.split_once('#').unwrap();
            let at: Timestamp = format!("{at}Z").parse().unwrap();
            let until = Duration::try_from(at.duration_since(now)).unwrap_or(step);
            if until < wait && block_on(store.get(&key)).unwrap().is_some() {
                wait = until;
            }
        }
        let steps = wait.as_secs_f64() / step.as_secs_f64();
        step.mul_f64(steps.ceil().max(1.0))
    }

    /// Marks the last disturbance; from here on everything should go well.
    pub fn trouble(&self) {
        let taken = self.sim.world().calls_took;
        self.calm_since.set((self.clock.now(), taken));
    }

    fn answered(&self) {
        let (since, taken) = self.calm_since.get();
        let passed = self.clock.now().duration_since(since);
        let passed = Duration::try_from(passed).unwrap_or_default();
        let calls = self.sim.world().calls_took.saturating_sub(taken);
        self.slowest
            .set(self.slowest.get().max(passed.saturating_sub(calls)));
    }

    /// Sweeps, and checks that no active run is touched.
    pub async fn sweep(&self) {
        let sweep = alfred_tests::sweep();
        // A failed sweep is followed by the next.
        for _ in 0..SWEEPS {
            let (before, strikes) = (self.at_work(), self.sim.gate.strikes());
            let ended = self.deliver(QueueName::Runs, &sweep).await;
            self.sim.gate.delivered();
            // Planned intrusions aren't the sweep's doing.
            if strikes == self.sim.gate.strikes() {
                self.compare(&before, &self.at_work());
            }
            if matches!(ended, Ended::Done) && strikes == self.sim.gate.strikes() {
                return;
            }
        }
    }

    fn compare(&self, before: &AtWork, after: &AtWork) {
        for (id, (version, state)) in before {
            if after.get(id).is_some_and(|(now, _)| now != version) {
                let disturbed = format!("a sweep disturbed {id}, which was {state}");
                self.disturbed.borrow_mut().push(disturbed);
            }
        }
    }

    /// Runs that don't wait for their owner, with their row versions.
    fn at_work(&self) -> AtWork {
        let ids = self.sim.world().runs.clone();
        let store = self.sim.store();
        let mut found = BTreeMap::new();
        for id in ids {
            // Blocks, so that no background task advances meanwhile.
            let row = block_on(store.get(&keys::run(&team(), &id))).unwrap();
            let Some(row) = row else { continue };
            let state = row.body["state"].to_string();
            if row.body["state"]["is"] != "asking" {
                found.insert(id, (row.version, state));
            }
        }
        found
    }

    /// Unfinished runs that don't wait for their owner, and the remaining work of sweeps.
    async fn restless(&self) -> Vec<String> {
        let runs = self.runs().await;
        let asks = |run: &Run| matches!(run.state, RunState::Asking { shown: true });
        let is_of = |child: &Run, run: &Run| child.parent.as_ref() == Some(&run.id);
        let rests = |run: &Run| match &run.state {
            RunState::Done { .. } => true,
            RunState::Waiting => runs.iter().any(|child| is_of(child, run) && asks(child)),
            _ => asks(run),
        };
        let restless = runs.iter().filter(|run| !rests(run));
        let restless = restless.map(|run| format!("{} {:?}", run.id, run.state));
        let mut restless: Vec<String> = restless.collect();
        restless.extend(self.idle_timers().await);
        restless
    }

    /// Timers of decided approvals, which the next sweep removes.
    async fn idle_timers(&self) -> Vec<String> {
        let timers = self.sim.world().timers.clone();
        let store = self.sim.store();
        let mut idle = Vec::new();
        for key in timers {
            let Some((_, id)) = key.range.split_once("#expire-") else {
                continue;
            };
            let found = pending::load(&*store, &team(), &id.into()).await.unwrap();
            let waits = found.is_some_and(|(approval, _)| approval.status == Status::Pending);
            if !waits && store.get(&key).await.unwrap().is_some() {
                idle.push(format!("{key:?}"));
            }
        }
        idle
    }

    /// Others click on everything that waits; the owner clicks on a revision that doesn't exist.
    async fn foreign_clicks(&self) {
        let store = self.sim.store();
        let ana = "U1".into();
        let waiting = pending::pending(&*store, &team(), &ana).await.unwrap();
        for approval in waiting {
            for (user, action) in [
                ("U2", "approval_approve"),
                ("U3", "approval_approve"),
                ("U3", "approval_reject"),
            ] {
                let value = format!("{}:{}", approval.id, approval.revision);
                let click = owner::click(self, user, action, &value, None);
                self.deliver_until_done(QueueName::Ingress, &click).await;
            }
            let forged = format!("{}:{}", approval.id, approval.revision + 1_000);
            let click = owner::click(self, "U1", "approval_approve", &forged, None);
            self.deliver_until_done(QueueName::Ingress, &click).await;
        }
    }
}
