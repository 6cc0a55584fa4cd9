//! Alfred's real handlers over simulated ports, and the one who delivers: lets
//! processes die, messages come twice, and time pass.

use alfred_agent::approval::{Status, park, pending};
use alfred_agent::run::{Run, RunState};
use alfred_agent::{Deadline, Journal, Ports, users};
use alfred_classifier::Classifier;
use alfred_core::ports::{Accounts, Clock, Commit, Ids, Outgoing, QueueName, Store};
use alfred_core::{Config, Envelope, Failure, Payload, Preferences, Role, TeamId, User, keys};
use alfred_team_manager::TeamManager;
use alfred_testkit::{ManualClock, MemoryVault};
use alfred_utility_worker::UtilityWorker;
use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::faults::{Fault, Intrusion};
use crate::person;
use crate::ports::{Sim, World};
use crate::scenarios::Scenario;

/// How often a message is delivered before it is dead.
const DELIVERIES: u32 = 8;
/// A process that died holds its message so long.
const VISIBILITY: Duration = Duration::from_secs(180);
/// Polls after which a handler that neither ends nor calls anything hangs.
const POLLS: u32 = 1_000_000;
/// Minutes after which everything must have come to rest.
const PATIENCE: usize = 45;

const MARKETING: &str = "---\nname: manager\ntoolsets:\n  time: {}\n  slack: {}\nlimits:\n  max_iterations: 10\n---\nYou manage the marketing team.\n";

pub fn team() -> TeamId {
    "T1".into()
}

/// How a delivery ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Done,
    Failed(String),
    Crashed,
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
    /// Numbers events.
    pub events: Cell<u32>,
    /// Shuffles the queue, if there is one.
    pub dice: RefCell<Option<fastrand::Rng>>,
    classifier: Classifier,
    worker: UtilityWorker,
    teams: TeamManager,
}

impl Rig {
    pub fn new() -> Self {
        let clock = ManualClock::default();
        let sim = Arc::new(Sim::new(World::new(&clock, |_| unreachable!())));
        let config = Arc::new(Config::default());
        let ports = Ports {
            store: sim.clone(),
            queue: sim.clone(),
            chat: sim.clone(),
            accounts: Accounts::none(),
            model: sim.clone(),
            clock: Arc::new(clock.clone()),
            ids: sim.clone(),
            config: config.clone(),
            measure: Arc::new(()),
        };
        // The embedded teams have no tool that asks; this one has.
        let catalogue = alfred_workflows::catalogue();
        let manager = alfred_workers::from_text("marketing/manager", MARKETING, &catalogue);
        let managers = BTreeMap::from([("marketing".to_owned(), manager.unwrap())]);
        Self {
            classifier: Classifier::new(ports.clone(), Arc::new(MemoryVault::default())).unwrap(),
            worker: UtilityWorker::new(ports.clone()).unwrap(),
            teams: TeamManager::with(ports, managers),
            sim,
            clock,
            config,
            dead: RefCell::default(),
            approved: RefCell::default(),
            repeats: Cell::default(),
            clicked: RefCell::default(),
            events: Cell::default(),
            dice: RefCell::default(),
        }
    }

    /// A new world, with its people in it.
    pub async fn reset(&self, scenario: &Scenario) {
        self.clock.set(ManualClock::default().now());
        let mut world = World::new(&self.clock, scenario.model);
        world.lost_posts = scenario.lost_posts.iter().copied().collect();
        world.unreadable = scenario.unreadable;
        *self.sim.world() = world;
        self.sim.gate.plan(BTreeMap::new());
        self.dead.borrow_mut().clear();
        self.approved.borrow_mut().clear();
        self.clicked.borrow_mut().clear();
        self.repeats.set(0);
        self.events.set(0);
        *self.dice.borrow_mut() = None;
        for (id, name, role) in [
            ("U1", "Ana", Role::Member),
            ("U2", "Ben", Role::Member),
            ("U3", "Chiyo", Role::Admin),
        ] {
            self.register(id, name, role).await;
        }
        // Nobody's name changed at the moment of a message.
        self.clock.advance(Duration::from_secs(600));
    }

    async fn register(&self, id: &str, name: &str, role: Role) {
        let now = self.clock.now();
        let user = User {
            slack_user_id: id.into(),
            slack_username: name.to_lowercase(),
            email: format!("{}@example.com", name.to_lowercase()),
            name: name.into(),
            role,
            timezone: "Europe/Berlin".into(),
            is_active: true,
            preferences: Preferences::default(),
            created_at: now,
            updated_at: now,
        };
        let commit = Commit {
            id: self.sim.uuid(),
            writes: vec![users::write(&team(), &user, None).unwrap()],
        };
        self.sim.store().commit(&commit).await.unwrap();
    }

    /// The journal on the store itself, past all faults.
    pub fn journal(&self) -> Journal {
        let clock = Arc::new(self.clock.clone());
        Journal::new(self.sim.store(), clock, self.sim.clone(), &self.config)
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

    fn handle<'a>(
        &'a self,
        queue: QueueName,
        envelope: &'a Envelope,
    ) -> LocalBoxFuture<'a, Result<(), Failure>> {
        match queue {
            QueueName::Ingress => Box::pin(self.classifier.handle(envelope, Deadline::none())),
            QueueName::Utility => Box::pin(self.worker.handle(envelope, Deadline::none())),
            QueueName::Team => Box::pin(self.teams.handle(envelope, Deadline::none())),
        }
    }

    /// Delivers a message once, and does what the plan has for its calls.
    pub fn deliver<'a>(
        &'a self,
        queue: QueueName,
        envelope: &'a Envelope,
    ) -> LocalBoxFuture<'a, Ended> {
        Box::pin(async move {
            let gate = &self.sim.gate;
            let mut handler = Some(self.handle(queue, envelope));
            let mut other: Option<LocalBoxFuture<'a, Ended>> = None;
            let mut ended = Vec::new();
            let mut polls = 0_u32;
            while handler.is_some() || other.is_some() {
                polls += 1;
                assert!(
                    polls < POLLS,
                    "a handler hangs ({}, {}): {envelope:?}",
                    handler.is_some(),
                    other.is_some()
                );
                if let Some(work) = &mut handler {
                    let end = match futures_util::poll!(work) {
                        Poll::Ready(Ok(()) | Err(Failure::Reject { .. })) => Some(Ended::Done),
                        Poll::Ready(Err(failure)) => Some(Ended::Failed(failure.to_string())),
                        Poll::Pending if gate.take_crash() => Some(Ended::Crashed),
                        Poll::Pending => None,
                    };
                    if let Some(end) = end {
                        handler = None;
                        self.process_ended(&end).await;
                        ended.push(end);
                    }
                }
                if let Some((call, intrusion)) = gate.take_intrusion() {
                    match intrusion {
                        Intrusion::SecondWorker => ended.push(self.deliver(queue, envelope).await),
                        Intrusion::SideBySide => {
                            gate.side_by_side(true);
                            other = Some(self.deliver(queue, envelope));
                        }
                        Intrusion::ForeignClicks => self.foreign_clicks().await,
                        Intrusion::Stop => {
                            let stop = person::stop(self);
                            self.deliver_until_done(QueueName::Ingress, &stop).await;
                        }
                    }
                    gate.release(call);
                }
                if let Some(work) = &mut other
                    && let Poll::Ready(end) = futures_util::poll!(work)
                {
                    gate.side_by_side(false);
                    other = None;
                    ended.push(end);
                }
                tokio::task::yield_now().await;
            }
            // Whoever handled it took it off the queue.
            let done = ended
                .iter()
                .position(|end| *end == Ended::Done)
                .unwrap_or(0);
            ended.swap_remove(done)
        })
    }

    /// What a mutated Slack held back is posted, unless the process died.
    async fn process_ended(&self, end: &Ended) {
        use alfred_core::ports::Chat;
        let later = std::mem::take(&mut self.sim.world().later);
        if *end != Ended::Crashed {
            let chat = self.sim.chat();
            for post in later {
                chat.post(&post).await.unwrap();
            }
        }
    }

    /// Delivers a message until it is handled, or dead.
    pub async fn deliver_until_done(&self, queue: QueueName, envelope: &Envelope) {
        for delivery in 1..=DELIVERIES {
            let ended = self.deliver(queue, envelope).await;
            match self.sim.gate.take_again() {
                Some(Fault::RedeliveredLate) => self.sim.world().waiting.push(Outgoing::new(
                    queue,
                    envelope.clone(),
                    "late".into(),
                    "late".into(),
                )),
                Some(_) => drop(self.deliver(queue, envelope).await),
                None => {}
            }
            match ended {
                Ended::Done => return,
                Ended::Crashed => self.clock.advance(VISIBILITY),
                Ended::Failed(why) if delivery == DELIVERIES => self.dead.borrow_mut().push(why),
                Ended::Failed(_) => self.clock.advance(Duration::from_secs(5)),
            }
        }
    }

    fn next(&self) -> Option<Outgoing> {
        let mut world = self.sim.world();
        if world.waiting.is_empty() {
            return None;
        }
        let at = match &mut *self.dice.borrow_mut() {
            Some(dice) => dice.usize(..world.waiting.len()),
            None => 0,
        };
        Some(world.waiting.remove(at))
    }

    /// Delivers everything that is queued; time does not pass but for retries.
    pub async fn drain(&self) {
        while let Some(message) = self.next() {
            // The contract on the wire is JSON; what doesn't survive it is lost.
            let text = serde_json::to_string(&message.envelope).unwrap();
            let envelope = serde_json::from_str(&text).unwrap();
            self.deliver_until_done(message.queue, &envelope).await;
        }
    }

    /// Lets everything come to rest: queues first, then time and sweeps.
    ///
    /// # Errors
    /// When a run is stuck.
    pub async fn settle(&self) -> Result<(), String> {
        for _ in 0..PATIENCE {
            self.drain().await;
            let restless = self.restless().await;
            if restless.is_empty() {
                return Ok(());
            }
            self.clock.advance(Duration::from_secs(60));
            self.sim.world().seen.clear();
            self.sweep().await;
        }
        Err(format!("stuck: {:?}", self.restless().await))
    }

    pub async fn sweep(&self) {
        let sweep = Envelope {
            identity: "sweep".into(),
            payload: Payload::Sweep {},
            ..person::blank("U1")
        };
        self.deliver_until_done(QueueName::Ingress, &sweep).await;
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

    /// Others click on everything that waits for its owner.
    async fn foreign_clicks(&self) {
        let store = self.sim.store();
        let waiting = pending::of(&*store, &team(), &"U1".into()).await.unwrap();
        for approval in waiting {
            for (user, action) in [
                ("U2", "approval_approve"),
                ("U3", "approval_approve"),
                ("U3", "approval_reject"),
            ] {
                let value = format!("{}:{}", approval.id, approval.revision);
                let click = person::click(self, user, action, &value, None);
                self.deliver_until_done(QueueName::Ingress, &click).await;
            }
            let forged = format!("{}:{}", approval.id, approval.revision + 1);
            let click = person::click(self, "U1", "approval_approve", &forged, None);
            self.deliver_until_done(QueueName::Ingress, &click).await;
        }
    }
}
