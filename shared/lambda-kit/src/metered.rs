//! Ports that count and time their calls into the metrics of the request at hand.

use alfred_agent::ports::Measure;
use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Clock, Commit, Delta, Image, Item, Key,
    Look, Model, ModelError, Outgoing, Page, Post, Posted, Query, Queue, QueueError, Store,
    StoreError, Turn, TurnRequest,
};
use alfred_core::{ChannelId, FileId, TeamId, UserId};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

use crate::metrics::{
    CHAT_CALLS, COST_MICROS, MODEL_CALLS, MODEL_TIME, Metric, Metrics, QUEUE_SENDS, STORE_CALLS,
    TOKENS_INPUT, TOKENS_OUTPUT, TOOL_CALLS, TOOL_TIME,
};

/// The metrics of the request at hand. A Lambda handles one message at a time.
#[derive(Clone, Default)]
pub struct Meter(Arc<Mutex<Metrics>>);

impl Meter {
    /// From now on everything counts into these.
    pub fn count_into(&self, metrics: Metrics) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = metrics;
    }

    fn add(&self, metric: Metric, value: f64) {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.add(metric, value);
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "2^53 tokens or milliseconds aren't met"
)]
fn float(n: u64) -> f64 {
    n as f64
}

impl Measure for Meter {
    fn tool(&self, _name: &str, ms: u64) {
        self.add(TOOL_CALLS, 1.0);
        self.add(TOOL_TIME, float(ms));
    }
}

/// A port with its meter.
pub struct Metered<P: ?Sized> {
    pub meter: Meter,
    pub clock: Arc<dyn Clock>,
    pub port: Arc<P>,
}

#[async_trait]
impl Store for Metered<dyn Store> {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        self.meter.add(STORE_CALLS, 1.0);
        self.port.get(key).await
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        self.meter.add(STORE_CALLS, 1.0);
        self.port.query(query).await
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        self.meter.add(STORE_CALLS, 1.0);
        self.port.commit(commit).await
    }

    async fn add(
        &self,
        key: &Key,
        field: &str,
        n: i64,
        ceiling: Option<i64>,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, StoreError> {
        self.meter.add(STORE_CALLS, 1.0);
        self.port.add(key, field, n, ceiling, expires_at).await
    }
}

#[async_trait]
impl Queue for Metered<dyn Queue> {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        self.meter.add(QUEUE_SENDS, 1.0);
        self.port.send(message).await
    }
}

#[async_trait]
impl Model for Metered<dyn Model> {
    async fn turn(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError> {
        let began = self.clock.now();
        let turn = self.port.turn(request, deltas).await;
        let took = self.clock.now().duration_since(began).as_millis();
        self.meter.add(MODEL_CALLS, 1.0);
        self.meter
            .add(MODEL_TIME, float(u64::try_from(took).unwrap_or(0)));
        if let Ok(turn) = &turn {
            self.meter.add(TOKENS_INPUT, float(turn.usage.input_tokens));
            self.meter
                .add(TOKENS_OUTPUT, float(turn.usage.output_tokens));
            self.meter
                .add(COST_MICROS, float(turn.usage.cost_micros.unwrap_or(0)));
        }
        turn
    }

    fn name(&self) -> String {
        self.port.name()
    }
}

#[async_trait]
impl Chat for Metered<dyn Chat> {
    async fn team(&self) -> Result<TeamId, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.team().await
    }

    async fn post(&self, post: &Post) -> Result<Posted, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.post(post).await
    }

    async fn upload(&self, image: &Image) -> Result<FileId, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.upload(image).await
    }

    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.update(posted, text, blocks).await
    }

    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.ephemeral(user, post).await
    }

    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.before(channel, thread_ts, ts, limit).await
    }

    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &str,
    ) -> Result<(), ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.set_status(channel, thread_ts, status).await
    }

    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.find(look).await
    }

    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.thread(channel, thread_ts, limit).await
    }

    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.channels(member).await
    }

    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.user(user).await
    }

    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.open_view(trigger_id, view).await
    }

    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError> {
        self.meter.add(CHAT_CALLS, 1.0);
        self.port.update_view(view_id, view).await
    }
}
