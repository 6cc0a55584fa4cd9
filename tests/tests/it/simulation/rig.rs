//! Alfred's real handlers over simulated ports, and the one who delivers: lets
//! processes die, messages come twice, and time pass.

use alfred_agent::Journal;
use alfred_agent::approval::{Status, park, pending};
use alfred_agent::program::Snapshot;
use alfred_agent::run::{Run, RunState};
use alfred_core::ports::{Clock, Ids, Intercepted, QueueName, Store};
use alfred_core::{Config, Failure, ReplyAddress, Role, RunId, keys};
use alfred_testkit::{ManualClock, MemoryVault};
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

/// On Lambda a process that died holds its message so long.
const VISIBILITY: Duration = Duration::from_secs(180);
/// What Lambda gives an invocation.
const INVOCATION: Duration = Duration::from_secs(120);
/// From a death to the next start on one machine.
const RESTART: Duration = Duration::from_secs(1);
/// How long a passing fault is waited out in process.
const WAITED_OUT: Duration = Duration::from_secs(110);
/// Polls after which a handler that neither ends nor calls anything hangs.
const POLLS: u32 = 1_000_000;
/// Deliveries of one schedule after which its messages would never end.
const DELIVERIES: u32 = 20_000;
/// A fault of each kind may strike sweeps that follow each other.
const SWEEPS: usize = 8;
/// After this long everything must have come to rest.
const PATIENCE: SignedDuration = SignedDuration::from_mins(45);

const MARKETING: &str = "---\nname: manager\ntoolsets:\n  time: {}\n  slack: {}\nlimits:\n  max_iterations: 10\n---\nYou manage the marketing team.\n";

/// How a delivery ended.
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
    /// When a message comes back whose process died.
    fn comes_back(self) -> Duration {
        match self {
            Self::OneMachine => RESTART,
            Self::Lambda => VISIBILITY,
        }
    }

    /// From the last fault to rest, beside the time that calls take: an effect in doubt is looked
    /// at after 60 s (`in_doubt`: those the story itself brings), a reply after 30 s, and on Lambda a message comes back after its visibility time-out, or with the next sweep.
    pub fn at_rest_within(self, in_doubt: u32) -> Duration {
        let looks = Duration::from_secs(65) * (1 + in_doubt) + Duration::from_secs(30);
        match self {
            Self::OneMachine => looks,
            Self::Lambda => VISIBILITY + looks,
        }
    }

    fn sweeps_every(self) -> Duration {
        match self {
            Self::OneMachine => Duration::from_secs(1),
            Self::Lambda => Duration::from_secs(60),
        }
    }
}

/// Runs with the version of their rows, and their state.
type AtWork = BTreeMap<RunId, (u64, String)>;

fn behind_gate<P: ?Sized>(sim: &Arc<Sim>, port: Arc<P>) -> Arc<Intercepted<P, Arc<Sim>>> {
    let by = sim.clone();
    Arc::new(Intercepted { by, port })
}

/// One Alfred in a simulated world.
pub struct Rig {
    pub sim: Arc<Sim>,
    pub clock: ManualClock,
    pub config: Arc<Config>,
    /// Messages that nothing could handle.
    pub dead: RefCell<Vec<String>>,
    /// What the owner saw on the cards they said yes to.
    pub approved: RefCell<Vec<String>>,
    /// Times the owner asked for a repetition.
    pub repeats: Cell<usize>,
    pub clicked: RefCell<BTreeSet<String>>,
    pub events: Cell<u32>,
    deliveries: Cell<u32>,
    /// Shuffles the queue, if there is one.
    pub dice: RefCell<Option<fastrand::Rng>>,
    pub home: Cell<Home>,
    /// What a sweep must not have done.
    pub disturbed: RefCell<Vec<String>>,
    /// When something last went wrong, or a person acted, and how long calls had taken until then.
    calm_since: Cell<(Timestamp, Duration)>,
    /// The longest that an answer took from then on, without the time of calls.
    pub slowest: Cell<Duration>,
    /// Where the owner talks to a worker.
    pub thread: RefCell<Option<ReplyAddress>>,
    pub functions: Functions,
    /// The same with the embedded teams.
    embedded: Functions,
    embedded_teams: Cell<bool>,
}

impl Rig {
    pub fn new() -> Self {
        let clock = ManualClock::default();
        Self::on(clock.clone(), Arc::new(clock))
    }

    /// Whose waits go by another clock, which shows the same time.
    pub fn on(clock: ManualClock, waits: Arc<dyn Clock>) -> Self {
        let sim = Arc::new(Sim::new(&clock));
        let ports = ports(
            Arc::new(SimStore(sim.clone())),
            behind_gate(&sim, sim.queue.clone()),
            behind_gate(&sim, sim.chat.clone()),
            behind_gate(&sim, Arc::new(SimModel(sim.clone()))),
            (waits, sim.ids.clone()),
        );
        // The embedded teams have no tool that asks; this one has.
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

    /// A new world, with its people in it.
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
            register(&*self.sim.store(), self.sim.ids.uuid(), &somebody).await;
        }
        // Nobody's name changed at the moment of a message.
        self.clock.advance(Duration::from_secs(600));
    }

    /// The journal on the store itself, past all faults.
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

    /// Lets everything come to rest: queues first, then time and sweeps.
    ///
    /// # Errors
    /// When a run is stuck.
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

    /// To the sweep that serves the next timer, an hour at most.
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

    /// From here on everything should go well.
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

    /// A sweep, which must not touch a run that somebody may be working on.
    pub async fn sweep(&self) {
        let sweep = alfred_tests::sweep();
        // A failed one is followed by the next.
        for _ in 0..SWEEPS {
            let (before, strikes) = (self.at_work(), self.sim.gate.strikes());
            let ended = self.deliver(QueueName::Ingress, &sweep).await;
            self.sim.gate.delivered();
            // What was planned to come in between is no sweep's doing.
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

    /// The runs that don't wait for their owner, with the version of their rows.
    fn at_work(&self) -> AtWork {
        let ids = self.sim.world().runs.clone();
        let store = self.sim.store();
        let mut found = BTreeMap::new();
        for id in ids {
            // Nothing in the background gets ahead meanwhile.
            let row = block_on(store.get(&keys::run(&team(), &id))).unwrap();
            let Some(row) = row else { continue };
            let state = row.body["state"].to_string();
            if row.body["state"]["is"] != "asking" {
                found.insert(id, (row.version, state));
            }
        }
        found
    }

    /// The runs that neither ended nor wait for their owner, and what a sweep has still to do.
    async fn restless(&self) -> Vec<String> {
        let runs = self.runs().await;
        let asks = |run: &Run| matches!(run.state, RunState::Asking { shown: true });
        let rests = |run: &Run| match &run.state {
            RunState::Done { .. } => true,
            RunState::Waiting => runs
                .iter()
                .any(|child| child.parent.as_ref() == Some(&run.id) && asks(child)),
            _ => asks(run),
        };
        let mut restless: Vec<String> = runs
            .iter()
            .filter(|run| !rests(run))
            .map(|run| format!("{} {:?}", run.id, run.state))
            .collect();
        restless.extend(self.idle_timers().await);
        restless
    }

    /// Timers of approvals that are decided: the next sweep takes them away.
    async fn idle_timers(&self) -> Vec<String> {
        let timers = self.sim.world().timers.clone();
        let store = self.sim.store();
        let mut idle = Vec::new();
        for key in timers {
            let Some((_, id)) = key.range.split_once("#expire-") else {
                continue;
            };
            let found = park::load(&*store, &team(), &id.into()).await.unwrap();
            let waits = found.is_some_and(|(approval, _)| approval.status == Status::Pending);
            if !waits && store.get(&key).await.unwrap().is_some() {
                idle.push(format!("{key:?}"));
            }
        }
        idle
    }

    /// Others click on everything that waits for its owner; the owner clicks on a revision that no edit reaches.
    async fn foreign_clicks(&self) {
        let store = self.sim.store();
        let waiting = pending::pending(&*store, &team(), &"U1".into())
            .await
            .unwrap();
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
