//! The ports over one world: the real SQLite store, a queue, a recording Slack
//! and a scripted model, each call behind the gate.

use alfred_core::ChannelId;
use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Clock, Commit, Delta, Ids, Image, Item,
    Key, Look, Model, ModelError, Outgoing, Page, Post, Posted, Query, Queue, QueueError, Store,
    StoreError, Turn, TurnRequest,
};
use alfred_core::{FileId, RunId, TeamId, UserId};
use alfred_embedded::SqliteStore;
use alfred_testkit::{ManualClock, RecordingChat, When};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use uuid::Uuid;

use crate::faults::{Fault, Gate, Pass, block_on};
use crate::mutations::Mutation;

/// The longest that a turn of a slow model takes.
const SLOWEST_TURN_SECS: u64 = 110;

/// A script's answer to a request.
pub type Script = fn(&TurnRequest) -> Turn;

/// What a schedule happens in; new for each.
pub struct World {
    pub store: Arc<SqliteStore>,
    pub chat: Arc<RecordingChat>,
    pub model: Script,
    pub waiting: Vec<Outgoing>,
    pub seen: BTreeSet<(&'static str, String)>,
    pub runs: BTreeSet<RunId>,
    /// Timers that were ever set.
    pub timers: BTreeSet<Key>,
    /// The next messages to others lose their answer so.
    pub lost_posts: VecDeque<When>,
    /// The histories of other people's messages can't be read.
    pub unreadable: bool,
    pub mutation: Option<Mutation>,
    /// Messages that a mutated Slack posts only if the process survives.
    pub later: Vec<Post>,
    /// The store is down until then.
    pub down: Option<(ManualClock, Timestamp)>,
    /// Says how long turns of the model take; at once without it.
    pub pace: Option<fastrand::Rng>,
    /// What calls have taken so far.
    pub calls_took: Duration,
    /// Turns that took too long.
    pub timed_out: usize,
    ids: u64,
}

impl World {
    pub fn new(clock: &ManualClock, model: Script) -> Self {
        let clock = Arc::new(clock.clone());
        Self {
            store: Arc::new(SqliteStore::in_memory(clock.clone()).unwrap()),
            chat: Arc::new(RecordingChat::new(clock)),
            model,
            waiting: Vec::new(),
            seen: BTreeSet::new(),
            runs: BTreeSet::new(),
            timers: BTreeSet::new(),
            lost_posts: VecDeque::new(),
            unreadable: false,
            mutation: None,
            later: Vec::new(),
            down: None,
            pace: None,
            calls_took: Duration::ZERO,
            timed_out: 0,
            ids: 0,
        }
    }
}

impl World {
    fn is_down(&self) -> bool {
        let down = self.down.as_ref();
        down.is_some_and(|(clock, until)| clock.now() < *until)
    }
}

/// All ports of one simulated Alfred. The world behind them is replaced, the handlers stay.
pub struct Sim {
    pub gate: Gate,
    world: Mutex<World>,
}

impl Sim {
    pub fn new(world: World) -> Self {
        Self {
            gate: Gate::default(),
            world: Mutex::new(world),
        }
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn store(&self) -> Arc<SqliteStore> {
        self.world().store.clone()
    }

    pub fn chat(&self) -> Arc<RecordingChat> {
        self.world().chat.clone()
    }

    async fn through<T, E>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, E>>,
        error: impl Fn(Fault) -> E,
    ) -> Result<T, E> {
        if name.starts_with("store.") && self.world().is_down() {
            return Err(error(Fault::LostBefore));
        }
        match self.gate.pass(name).await {
            Pass::Go => block_on(work),
            Pass::Fail(fault) => Err(error(fault)),
            Pass::Lose => {
                drop(block_on(work));
                Err(error(Fault::LostAfter))
            }
            Pass::Die => {
                drop(block_on(work));
                self.gate.die().await;
                Err(error(Fault::CrashAfter))
            }
        }
    }

    /// Lets a turn take its time.
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
            return Err(ModelError::Timeout {
                detail: "thinks for too long".into(),
            });
        }
        Ok(())
    }

    fn note(&self, commit: &Commit) {
        let mut world = self.world();
        for write in &commit.writes {
            let key = &write.key;
            if key.partition.starts_with("*#due#") {
                world.timers.insert(key.clone());
            }
            if let Some((_, run)) = key.partition.split_once("#run#") {
                world.runs.insert(RunId(run.to_owned()));
            }
        }
    }
}

fn store_error(fault: Fault) -> StoreError {
    let detail = format!("{fault:?}");
    match fault {
        Fault::Contended | Fault::Throttled => StoreError::Contended { detail },
        _ => StoreError::Unavailable { detail },
    }
}

fn chat_error(fault: Fault) -> ChatError {
    let detail = format!("{fault:?}");
    match fault {
        Fault::Contended => ChatError::NotSent { detail },
        Fault::Throttled => ChatError::RateLimited {
            retry_after: Duration::from_secs(25),
        },
        _ => ChatError::Unknown { detail },
    }
}

#[async_trait]
impl Store for Sim {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let store = self.store();
        let item = self
            .through("store.get", store.get(key), store_error)
            .await?;
        let mutation = self.world().mutation;
        Ok(item.map(|item| Mutation::read(mutation, item)))
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        let store = self.store();
        let name = if query.partition.starts_with("*#due#") {
            "store.query (timers)"
        } else {
            "store.query"
        };
        let mut page = self.through(name, store.query(query), store_error).await?;
        let mutation = self.world().mutation;
        page.items = page
            .items
            .into_iter()
            .map(|item| Mutation::read(mutation, item))
            .collect();
        Ok(page)
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        let mutation = self.world().mutation;
        for part in Mutation::parts(mutation, commit, &*self) {
            self.note(&part);
            let store = self.store();
            self.through("store.commit", store.commit(&part), store_error)
                .await?;
        }
        Ok(())
    }

    async fn add(
        &self,
        key: &Key,
        field: &str,
        n: i64,
        ceiling: Option<i64>,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, StoreError> {
        let store = self.store();
        let work = store.add(key, field, n, ceiling, expires_at);
        self.through("store.add", work, store_error).await
    }
}

#[async_trait]
impl Queue for Sim {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        let work = async {
            let mut world = self.world();
            if world
                .seen
                .insert((message.queue.as_str(), message.dedup.clone()))
            {
                world.waiting.push(message.clone());
            }
            Ok(())
        };
        let error = |fault| QueueError::Unavailable {
            detail: format!("{fault:?}"),
        };
        self.through("queue.send", work, error).await
    }
}

/// Whether a message goes to somebody who isn't the owner.
pub fn reaches_others(channel: &ChannelId) -> bool {
    matches!(channel.as_str(), "U2" | "D2" | "U3" | "D3")
}

#[async_trait]
impl Chat for Sim {
    /// Asked once a day at most, for the digests of the audit: no part of any story.
    async fn team(&self) -> Result<TeamId, ChatError> {
        Ok("T1".into())
    }

    async fn post(&self, post: &Post) -> Result<Posted, ChatError> {
        let chat = self.chat();
        let outward = reaches_others(&post.channel);
        if outward && self.world().mutation == Some(Mutation::EffectLater) {
            self.through("chat.post", async { Ok(()) }, chat_error)
                .await?;
            self.world().later.push(post.clone());
            let ts = format!("{}.999999", post.idempotency_key.len());
            return Ok(Posted {
                channel: post.channel.clone(),
                ts,
            });
        }
        let work = async {
            let lost = if outward {
                self.world().lost_posts.pop_front()
            } else {
                None
            };
            match lost {
                None => chat.post(post).await,
                Some(When::Before) => Err(chat_error(Fault::LostBefore)),
                Some(When::After) => {
                    chat.post(post).await?;
                    Err(chat_error(Fault::LostAfter))
                }
            }
        };
        self.through("chat.post", work, chat_error).await
    }

    async fn upload(&self, image: &Image) -> Result<FileId, ChatError> {
        let chat = self.chat();
        self.through("chat.upload", chat.upload(image), chat_error)
            .await
    }

    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError> {
        let chat = self.chat();
        let work = chat.update(posted, text, blocks);
        self.through("chat.update", work, chat_error).await
    }

    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError> {
        let chat = self.chat();
        let work = chat.ephemeral(user, post);
        self.through("chat.ephemeral", work, chat_error).await
    }

    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let chat = self.chat();
        let work = chat.before(channel, thread_ts, ts, limit);
        self.through("chat.before", work, chat_error).await
    }

    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &str,
    ) -> Result<(), ChatError> {
        let chat = self.chat();
        let work = chat.set_status(channel, thread_ts, status);
        self.through("chat.set_status", work, chat_error).await
    }

    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError> {
        let chat = self.chat();
        let unreadable = self.world().unreadable && reaches_others(&look.channel);
        let work = async {
            if unreadable {
                let code = "missing_scope".into();
                return Err(ChatError::Refused {
                    method: "conversations.history",
                    code,
                });
            }
            chat.find(look).await
        };
        self.through("chat.find", work, chat_error).await
    }

    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let chat = self.chat();
        let work = chat.thread(channel, thread_ts, limit);
        self.through("chat.thread", work, chat_error).await
    }

    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError> {
        let chat = self.chat();
        self.through("chat.user", chat.user(user), chat_error).await
    }

    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError> {
        let chat = self.chat();
        let work = chat.channels(member);
        self.through("chat.channels", work, chat_error).await
    }

    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError> {
        let chat = self.chat();
        let work = chat.open_view(trigger_id, view);
        self.through("chat.open_view", work, chat_error).await
    }

    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError> {
        let chat = self.chat();
        let work = chat.update_view(view_id, view);
        self.through("chat.update_view", work, chat_error).await
    }
}

#[async_trait]
impl Model for Sim {
    async fn turn(
        &self,
        request: &TurnRequest,
        _: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError> {
        let script = self.world().model;
        let error = |fault| {
            let detail = format!("{fault:?}");
            match fault {
                Fault::Throttled => ModelError::RateLimited {
                    retry_after: Some(Duration::from_secs(30)),
                    detail,
                },
                Fault::Contended => ModelError::Unavailable { detail },
                _ => ModelError::Timeout { detail },
            }
        };
        self.think(request.timeout).await?;
        self.through("model.turn", async { Ok(script(request)) }, error)
            .await
    }

    fn name(&self) -> String {
        "scripted:model".into()
    }
}

impl Ids for Sim {
    fn uuid(&self) -> Uuid {
        let mut world = self.world();
        world.ids += 1;
        Uuid::from_u128((0x7000 << 64) | (0x8 << 60) | u128::from(world.ids))
    }
}
