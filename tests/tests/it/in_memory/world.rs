//! Alfred over in-memory ports, advanced step by step.

use alfred_agent::model::{ROW_VERSION, Session, Snapshot};
use alfred_agent::runner::give_up::give_up;
use alfred_agent::store::users;
use alfred_agent::{Deadline, Ports, Program, Run, RunState, Step};
use alfred_classifier::chats::Chats;
use alfred_core::ports::{Clock, Commit, Folders, Query, QueueName, Range, Spilling, Store, Write};
use alfred_core::redelivery::{self, Fate, Received};
use alfred_core::{
    ChannelId, Config, Envelope, Failure, ResponseType, Role, RunId, SessionId, SlackContext,
    Taint, User, UserId, WorkerOutput, keys,
};
use alfred_schedule::{Does, Job, JobState, When};
use alfred_testkit::{
    Faults, ManualClock, MemoryBlobs, MemoryQueue, MemoryStore, MemoryVault, RecordingChat,
    ScriptedModel, SequentialIds,
};
use alfred_tests::{Functions, on_the_wire, person, ports, register};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub use crate::in_memory::model::{by_progress, calling, script, simple, turns_taken};
pub use alfred_tests::{click, dm, in_thread, mention, message, shown, sweep, team};

const DELIVERIES: u32 = 8;

/// An active job that hasn't run yet, in a person's direct message. It says nothing, unless `does` is replaced.
pub fn active_job(user: &str, channel: &str, when: When, zone: &str, now: Timestamp) -> Job {
    let (team, user, channel) = (team(), UserId::from(user), ChannelId::from(channel));
    Job {
        v: ROW_VERSION,
        id: "sch_1".into(),
        name: String::new(),
        does: Does::Say {
            text: String::new(),
        },
        kind: None,
        when,
        zone: zone.into(),
        session: SessionId::new(&team, &user, &channel, None),
        place: SlackContext {
            channel_id: channel,
            thread_ts: None,
            response_type: ResponseType::Dm,
        },
        team,
        user,
        taint: Taint::default(),
        state: JobState::Active,
        next: None,
        last_run: None,
        last_run_at: None,
        runs: 0,
        failures: 0,
        last_error: None,
        told: BTreeMap::new(),
        created_at: now,
    }
}

pub struct World {
    /// Injected faults, and the number of calls per port.
    pub faults: Faults,
    /// Bypasses the faults, like the queue and the chat.
    pub store: Arc<MemoryStore>,
    pub queue: Arc<MemoryQueue>,
    pub chat: Arc<RecordingChat>,
    pub model: Arc<ScriptedModel>,
    pub clock: ManualClock,
    pub ports: Ports,
    pub vault: Arc<MemoryVault>,
    pub dead: Vec<(Envelope, String)>,
    pub deadline: Option<Duration>,
    /// Whether what fails for good ends its run with words, as in a deployment.
    pub gives_up: bool,
    /// The user whose runs the helpers inspect.
    pub owner: UserId,
    functions: Functions,
    triggers: u32,
}

impl World {
    pub async fn new(model: ScriptedModel) -> Self {
        let clock = ManualClock::default();
        Self::by(model, clock.clone(), Arc::new(clock)).await
    }

    /// Time advances with `clock`, while Alfred uses another one.
    pub async fn by(model: ScriptedModel, clock: ManualClock, shared: Arc<dyn Clock>) -> Self {
        let faults = Faults::default();
        let store = Arc::new(MemoryStore::new(shared.clone()));
        let queue = Arc::new(MemoryQueue::default());
        let chat = Arc::new(RecordingChat::new(shared.clone()));
        let model = Arc::new(model);
        let ports = ports(
            faults.before(store.clone()),
            faults.before(queue.clone()),
            faults.before(chat.clone()),
            faults.before(model.clone()),
            (shared, Arc::new(SequentialIds::default())),
        );
        let vault = Arc::new(MemoryVault::default());
        let world = Self {
            functions: Functions::new(ports.clone(), vault.clone()),
            faults,
            vault,
            store,
            queue,
            chat,
            model,
            clock,
            ports,
            dead: Vec::new(),
            deadline: None,
            gives_up: false,
            owner: "U1".into(),
            triggers: 0,
        };
        world.register("U1", "Ana", Role::Member).await;
        world
    }

    pub fn next_trigger(&mut self) -> String {
        self.triggers += 1;
        format!("call {}", self.triggers)
    }

    /// Changes the ports that Alfred uses from now on.
    pub fn change_ports(&mut self, change: impl FnOnce(&mut Ports)) {
        change(&mut self.ports);
        self.functions = Functions::new(self.ports.clone(), self.vault.clone());
    }

    pub fn reconfigure(&mut self, change: impl FnOnce(&mut Config)) {
        self.change_ports(|ports| change(Arc::make_mut(&mut ports.config)));
    }

    pub fn work_in(&mut self, folders: impl Folders + 'static) {
        self.change_ports(|ports| ports.folders = Arc::new(folders));
    }

    /// Stores large values outside their rows, as every deployment does.
    pub fn spill(&mut self) {
        let blobs = Arc::new(MemoryBlobs::default());
        let spilling = Spilling::new(self.ports.store.clone(), blobs);
        self.change_ports(|ports| ports.store = Arc::new(spilling));
    }

    pub fn employ(&mut self, agent: impl Into<Program>) {
        self.functions = self.functions.clone().with_agent(agent);
    }

    pub fn found(&mut self, teams: impl IntoIterator<Item = (String, Snapshot)>) {
        let functions = self.functions.clone();
        self.functions = functions.with_teams(teams.into_iter().collect());
    }

    pub fn introduce(&mut self, chats: Chats) {
        self.functions = self.functions.clone().with_chats(chats);
    }

    /// Writes directly, bypassing the faults.
    pub async fn write(&self, writes: Vec<Write>) {
        let commit = Commit::new(&*self.ports.ids, writes);
        self.store.commit(&commit).await.unwrap();
    }

    pub async fn register(&self, id: &str, name: &str, role: Role) {
        let somebody = person(id, name, role, self.clock.now());
        register(&*self.store, &*self.ports.ids, &somebody).await;
    }

    pub async fn change_user(&self, id: &str, change: impl FnOnce(&mut User)) {
        let known = users::get(&*self.store, &team(), &id.into()).await;
        let mut known = known.unwrap().unwrap();
        change(&mut known.user);
        let write = users::write(&team(), &known.user, Some(known.version)).unwrap();
        self.write(vec![write]).await;
    }

    /// Delivers until nothing is left to do. Empties the queues before time passes.
    pub async fn settle(&mut self) {
        for _ in 0..60 {
            self.drain().await;
            if !self.unfinished().await {
                return;
            }
            self.clock.advance(Duration::from_secs(60));
            self.queue.forget_dedup();
            let _ = self.deliver(QueueName::Runs, &sweep()).await;
        }
        panic!("a run is stuck");
    }

    pub async fn sweep(&mut self) {
        self.deliver_until_done(QueueName::Runs, sweep()).await;
        self.drain().await;
    }

    /// Delivers everything queued; failed messages are redelivered.
    pub async fn drain(&mut self) {
        while let Some((queue, envelope)) = self.next() {
            self.deliver_until_done(queue, envelope).await;
        }
    }

    pub fn next(&self) -> Option<(QueueName, Envelope)> {
        let mut all = QueueName::ALL.into_iter();
        all.find_map(|queue| Some((queue, self.queue.take(queue)?.envelope)))
    }

    pub async fn deliver_until_done(&mut self, queue: QueueName, envelope: Envelope) {
        if self.gives_up {
            return self.deliver_or_give_up(queue, envelope).await;
        }
        for delivery in 1..=DELIVERIES {
            match self.deliver_again(queue, &envelope, delivery > 1).await {
                Ok(()) => return,
                Err(failure) if delivery == DELIVERIES => {
                    self.dead.push((envelope.clone(), failure.to_string()));
                }
                Err(_) => self.clock.advance(Duration::from_secs(1)),
            }
        }
    }

    async fn deliver_or_give_up(&mut self, queue: QueueName, envelope: Envelope) {
        let received = Received {
            id: "m",
            receives: 1,
            deaths: 0,
            until: self.ports.clock.now(),
        };
        let give_up = async |why: String| give_up(&self.ports, &envelope, &why).await;
        let work = |again| self.deliver_again(queue, &envelope, again);
        match redelivery::handle(&self.clock, received, work, give_up).await {
            Fate::Done | Fate::Rejected => {}
            Fate::Aside { reason } => self.dead.push((envelope, reason)),
            other => panic!("{other:?}"),
        }
    }

    pub async fn deliver(&self, queue: QueueName, envelope: &Envelope) -> Result<(), Failure> {
        self.deliver_again(queue, envelope, false).await
    }

    pub async fn deliver_again(
        &self,
        queue: QueueName,
        envelope: &Envelope,
        again: bool,
    ) -> Result<(), Failure> {
        let deadline = match self.deadline {
            Some(left) => Deadline::after(self.clock.now(), left),
            None => Deadline::none(),
        };
        let (envelope, deadline) = (on_the_wire(envelope), deadline.repeated(again));
        self.functions.handle(queue, &envelope, deadline).await
    }

    /// Runs only the classifier on a message.
    pub async fn receive(&self, envelope: &Envelope) {
        self.deliver(QueueName::Ingress, envelope).await.unwrap();
    }

    /// Loses what the classifier sends for a message.
    pub async fn receive_and_lose(&self, envelope: &Envelope) {
        self.receive(envelope).await;
        self.next().expect("its message, which is lost here");
    }

    /// Delivers a message and everything that follows.
    pub async fn say(&mut self, envelope: Envelope) {
        self.deliver_until_done(QueueName::Ingress, envelope).await;
        self.settle().await;
    }

    async fn unfinished(&self) -> bool {
        let runs = self.runs().await;
        runs.iter()
            .any(|run| !matches!(run.state, RunState::Done { .. }))
    }

    pub async fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for id in self.run_ids(&self.owner, self.clock.now()).await {
            runs.push(self.run(&id).await.unwrap());
        }
        runs
    }

    /// The person's runs of that month.
    async fn run_ids(&self, user: &UserId, at: Timestamp) -> Vec<RunId> {
        let index = Query::state(keys::user_runs(&team(), user, at), Range::All);
        let page = self.store.query(&index).await.unwrap();
        let ids = page.items.into_iter().map(|item| RunId(item.key.range));
        ids.collect()
    }

    /// `None` if its row can't be read.
    async fn run(&self, id: &RunId) -> Option<Run> {
        let row = self.store.get(&keys::run(&team(), id)).await.ok()??;
        serde_json::from_value(row.body).ok()
    }

    /// Whether a request of the last two months is neither answered nor waits for its owner, or can't be read.
    pub async fn is_at_work(&self, users: impl Iterator<Item = UserId>) -> bool {
        let now = self.clock.now();
        let month_before = now - SignedDuration::from_hours(24 * 31);
        let (mut asks, mut waits) = (false, false);
        for user in users {
            let mut ids = self.run_ids(&user, now).await;
            ids.extend(self.run_ids(&user, month_before).await);
            for id in ids {
                match self.run(&id).await.map(|run| run.state) {
                    Some(RunState::Done { .. }) => {}
                    Some(RunState::Asking { shown: true }) => asks = true,
                    Some(RunState::Waiting) => waits = true,
                    _ => return true,
                }
            }
        }
        waits && !asks
    }

    pub async fn root(&self) -> Run {
        let mut roots = self.runs().await;
        roots.retain(|run| run.parent.is_none());
        assert_eq!(roots.len(), 1, "one root run");
        roots.remove(0)
    }

    pub async fn steps(&self, run: &RunId) -> Vec<Step> {
        let loaded = self.ports.journal().load(&team(), run).await.unwrap();
        loaded.unwrap().steps
    }

    pub async fn output(&self) -> WorkerOutput {
        self.root().await.output().unwrap().clone()
    }

    pub async fn session(&self, id: &str) -> Session {
        let id = SessionId(id.into());
        let session = Session::load(&*self.store, &team(), &"U1".into(), &id).await;
        session.unwrap()
    }

    pub async fn tasks(&self, user: &str) -> usize {
        let tasks = Query::state(keys::tasks(&team(), &user.into()), Range::All);
        self.store.query(&tasks).await.unwrap().items.len()
    }

    pub fn answers(&self) -> Vec<String> {
        let posted = self.chat.posted().into_iter();
        let answers = posted.map(|kept| shown(&kept.text, &kept.blocks));
        answers.collect()
    }

    /// Like `answers`, without the "nothing changed" ledger.
    pub fn said(&self) -> Vec<String> {
        let ledger = format!("\n{}", alfred_core::text::NOTHING_CHANGED);
        let answers = self.answers().into_iter();
        let said = answers.map(|said| said.strip_suffix(&ledger).unwrap_or(&said).to_owned());
        said.collect()
    }
}

/// The tool results a model was shown, as JSON.
pub fn results(steps: &[Step]) -> Vec<serde_json::Value> {
    let results = steps.iter().filter_map(Step::result);
    results.map(|result| result.output.clone()).collect()
}
