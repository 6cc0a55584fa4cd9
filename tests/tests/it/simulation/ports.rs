//! The ports of a simulated Alfred: the real SQLite store, a queue, a recording Slack and a scripted model. Every
//! call passes the gate.

use alfred_core::RunId;
use alfred_core::ports::{
    Call, ChatError, Clock, Commit, Ids, Intercept, Intercepted, Item, Key, Message, Model,
    ModelError, Page, Query, QueueError, Store, StoreError, ToolCall, Turn, TurnRequest, Usage,
};
use alfred_embedded::SqliteStore;
use alfred_testkit::{ManualClock, MemoryQueue, RecordingChat, SequentialIds, When};
use async_trait::async_trait;
use jiff::Timestamp;
use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::simulation::faults::{Fault, Gate, Pass, block_on};
use crate::simulation::mutations::Mutation;

const SLOWEST_TURN_SECS: u64 = 110;
const TIMERS: &str = "*#due#";

pub type Script = fn(&TurnRequest) -> Turn;

pub struct World {
    pub store: Arc<SqliteStore>,
    pub model: Script,
    pub runs: BTreeSet<RunId>,
    /// All timers ever set.
    pub timers: BTreeSet<Key>,
    /// How the next messages to others lose their answers.
    pub lost_posts: VecDeque<When>,
    /// The histories of others' messages can't be read.
    pub unreadable: bool,
    pub mutation: Option<Mutation>,
    /// Keys of messages that a mutated Slack removes if the process dies.
    pub held: Vec<String>,
    /// The store is down until this time.
    pub down: Option<(ManualClock, Timestamp)>,
    /// Chooses the duration of model turns; without it they take none.
    pub pace: Option<fastrand::Rng>,
    pub calls_took: Duration,
    pub timed_out: usize,
    /// Runs of which a power cut would lose a commit.
    pub unsynced: BTreeSet<RunId>,
    /// What is wrong about messages of such runs.
    pub early: Vec<String>,
    /// Price of a byte in millionths of a dollar.
    pub price: Option<u64>,
    /// Usage of all model turns, including lost answers.
    pub paid: Usage,
}

impl World {
    pub fn new(clock: &ManualClock, model: Script) -> Self {
        Self {
            store: Arc::new(SqliteStore::in_memory(Arc::new(clock.clone())).unwrap()),
            model,
            runs: BTreeSet::new(),
            timers: BTreeSet::new(),
            lost_posts: VecDeque::new(),
            unreadable: false,
            mutation: None,
            held: Vec::new(),
            down: None,
            pace: None,
            calls_took: Duration::ZERO,
            timed_out: 0,
            unsynced: BTreeSet::new(),
            early: Vec::new(),
            price: None,
            paid: Usage::default(),
        }
    }

    fn is_down(&self) -> bool {
        let down = self.down.as_ref();
        down.is_some_and(|(clock, until)| clock.now() < *until)
    }

    fn note(&mut self, commit: &Commit) {
        let unsynced = commit.defers_sync || self.mutation == Some(Mutation::Unsynced);
        if !unsynced {
            self.unsynced.clear();
        }
        for write in &commit.writes {
            let key = &write.key;
            if key.partition.starts_with(TIMERS) {
                self.timers.insert(key.clone());
            }
            if let Some((_, run)) = key.partition.split_once("#run#") {
                self.runs.insert(RunId(run.to_owned()));
                if unsynced {
                    self.unsynced.insert(RunId(run.to_owned()));
                }
            }
        }
    }
}

/// The state that all ports share. Each schedule replaces `World`.
pub struct Sim {
    pub gate: Gate,
    pub chat: Arc<RecordingChat>,
    pub queue: Arc<MemoryQueue>,
    pub ids: Arc<SequentialIds>,
    world: Mutex<World>,
}

impl Sim {
    pub fn new(clock: &ManualClock) -> Self {
        Self {
            gate: Gate::default(),
            chat: Arc::new(RecordingChat::new(Arc::new(clock.clone()))),
            queue: Arc::default(),
            ids: Arc::default(),
            world: Mutex::new(World::new(clock, |_| unreachable!())),
        }
    }

    pub fn reset(&self, world: World) {
        *self.world() = world;
        self.chat.clear();
        self.queue.clear();
        self.ids.restart();
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn store(&self) -> Arc<SqliteStore> {
        self.world().store.clone()
    }

    /// A mutated Slack loses its held messages if the process dies.
    pub fn process_ended(&self, died: bool) {
        for key in std::mem::take(&mut self.world().held) {
            if died {
                self.chat.forget(&key);
            }
        }
    }

    /// Performs a call, with the story's own losses and defects.
    async fn effect<T, E: 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        if !reaches_others(call.about) {
            return work.await;
        }
        let (unreadable, mutation) = {
            let world = self.world();
            (world.unreadable, world.mutation)
        };
        match call.name {
            "chat.find" if unreadable => Err(typed(ChatError::Refused {
                method: "conversations.history",
                code: "missing_scope".into(),
            })),
            "chat.post" if mutation == Some(Mutation::EffectLater) => {
                let done = work.await?;
                let posted = self.chat.posted();
                let key = posted.last().and_then(|kept| kept.idempotency_key.clone());
                self.world().held.extend(key);
                Ok(done)
            }
            "chat.post" => {
                let lost = self.world().lost_posts.pop_front();
                match lost {
                    None => work.await,
                    Some(When::Before) => Err(error(call.name, Fault::LostBefore)),
                    Some(When::After) => {
                        work.await?;
                        Err(error(call.name, Fault::LostAfter))
                    }
                }
            }
            _ => work.await,
        }
    }

    /// Notes the last message if a power cut would lose a commit of the run in its key.
    fn check_synced(&self) {
        let posted = self.chat.posted();
        let key = posted.last().and_then(|kept| kept.idempotency_key.clone());
        let key = key.unwrap_or_default();
        let mut world = self.world();
        if world.unsynced.iter().any(|run| key.contains(run.as_str())) {
            world.early.push(format!("{key} before a sync"));
        }
    }

    async fn think(&self, timeout: Duration) -> Result<(), ModelError> {
        let time = {
            let mut world = self.world();
            let Some(pace) = &mut world.pace else {
                return Ok(());
            };
            let time = Duration::from_secs(pace.u64(0..=SLOWEST_TURN_SECS));
            if time > timeout {
                world.timed_out += 1;
            }
            world.calls_took += time.min(timeout);
            time
        };
        self.gate.take(time.min(timeout)).await;
        if time > timeout {
            let detail = "thinks for too long".into();
            return Err(ModelError::Timeout { detail });
        }
        Ok(())
    }
}

impl Intercept for Sim {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let name = match call.name {
            // Called at most once a day, for the audit digests.
            "chat.team" => return work.await,
            "store.query" if call.about.starts_with(TIMERS) => "store.query (timers)",
            name => name,
        };
        if name.starts_with("store.") && self.world().is_down() {
            return Err(error(name, Fault::LostBefore));
        }
        let work = async {
            let done = self.effect(call, work).await;
            if name == "chat.post" && done.is_ok() {
                self.check_synced();
            }
            done
        };
        match self.gate.pass(name).await {
            Pass::Go => block_on(work),
            Pass::Fail(fault) => Err(error(name, fault)),
            Pass::Lose => {
                drop(block_on(work));
                Err(error(name, Fault::LostAfter))
            }
            Pass::Die => {
                drop(block_on(work));
                self.gate.die().await;
                Err(error(name, Fault::CrashAfter))
            }
        }
    }

    async fn turn(
        &self,
        request: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> Result<Turn, ModelError> {
        self.think(request.timeout).await?;
        let call = Call {
            name: "model.turn",
            about: "",
        };
        self.call(call, work).await
    }
}

/// Converts an error to the called port's error type.
fn typed<E: 'static>(error: impl Any) -> E {
    let error: Box<dyn Any> = Box::new(error);
    *error.downcast().expect("a port has errors of one type")
}

fn error<E: 'static>(name: &str, fault: Fault) -> E {
    let detail = format!("{fault:?}");
    let (port, _) = name.split_once('.').unwrap();
    match (port, fault) {
        ("store", Fault::Contended | Fault::Throttled) => typed(StoreError::Contended { detail }),
        ("store", _) => typed(StoreError::Unavailable { detail }),
        ("queue", _) => typed(QueueError::Unavailable { detail }),
        ("chat", Fault::Contended) => typed(ChatError::NotSent { detail }),
        ("chat", Fault::Throttled) => typed(ChatError::RateLimited {
            retry_after: Duration::from_secs(25),
        }),
        ("chat", _) => typed(ChatError::Unknown { detail }),
        ("model", Fault::Throttled) => typed(ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(30)),
            detail,
        }),
        ("model", Fault::Contended) => typed(ModelError::Unavailable { detail }),
        ("model", _) => typed(ModelError::Timeout { detail }),
        (port, _) => panic!("{port} isn't simulated"),
    }
}

/// Whether the channel belongs to somebody other than the owner.
pub fn reaches_others(channel: &str) -> bool {
    matches!(channel, "U2" | "D2" | "U3" | "D3")
}

/// The current world's store behind the gate, with its defects.
pub struct SimStore(pub Arc<Sim>);

impl SimStore {
    fn behind_gate(&self) -> Intercepted<SqliteStore, Arc<Sim>> {
        Intercepted {
            by: self.0.clone(),
            port: self.0.store(),
        }
    }

    fn mutation(&self) -> Option<Mutation> {
        self.0.world().mutation
    }
}

#[async_trait]
impl Store for SimStore {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let item = self.behind_gate().get(key).await?;
        Ok(item.map(|item| Mutation::read(self.mutation(), item)))
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        let mut page = self.behind_gate().query(query).await?;
        let items = page.items.into_iter();
        let mutation = self.mutation();
        page.items = items.map(|item| Mutation::read(mutation, item)).collect();
        Ok(page)
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        let ids: &dyn Ids = &*self.0.ids;
        for part in Mutation::parts(self.mutation(), commit, ids) {
            // Noted when it is done: another worker may commit while this one waits, or this one may be refused.
            let work = async {
                self.0.store().commit(&part).await?;
                self.0.world().note(&part);
                Ok::<_, StoreError>(())
            };
            let (name, about) = ("store.commit", "");
            self.0.call(Call { name, about }, work).await?;
        }
        Ok(())
    }
}

/// Usage of a turn if each byte is a token.
fn priced(request: &TurnRequest, turn: &Turn, price: u64) -> Usage {
    let called = |calls: &[ToolCall]| calls.iter().map(|call| call.arguments.len()).sum::<usize>();
    let read = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => {
            text.len()
        }
        Message::Assistant { text, tool_calls } => text.len() + called(tool_calls),
        Message::Files { .. } => 0,
    });
    let read = read.sum::<usize>() as u64;
    let written = turn.text.len() + called(&turn.tool_calls);
    let written = (written as u64).min(request.max_output_tokens.into());
    Usage {
        input_tokens: read,
        output_tokens: written,
        cost_micros: Some(price * (read + written)),
        ..Usage::default()
    }
}

pub struct SimModel(pub Arc<Sim>);

#[async_trait]
impl Model for SimModel {
    async fn turn(&self, request: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
        let mut world = self.0.world();
        let mut turn = (world.model)(request);
        if let Some(price) = world.price {
            turn.usage = priced(request, &turn, price);
        }
        world.paid = world.paid.plus(&turn.usage);
        Ok(turn)
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        let world = self.0.world();
        let price = match world.mutation {
            Some(Mutation::Free) => 0,
            _ => world.price?,
        };
        Some(price * (usage.input_tokens + usage.output_tokens))
    }

    fn name(&self) -> String {
        "scripted:model".into()
    }
}
