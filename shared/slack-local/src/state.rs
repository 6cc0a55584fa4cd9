//! The stand-in itself: opening it, its state, and what its parts share.

use alfred_core::ports::{Clock, Ids};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Notify, broadcast, watch};

use crate::db::{Db, Tx};
use crate::faults::Refusal;
use crate::seed::Seed;
use crate::socket::Sockets;
use crate::ts;
use crate::types::{Change, Ephemeral, Message};
use alfred_loopback::Faults;

/// Changes that are kept for a slow subscriber.
const CHANGES_KEPT: usize = 1024;

#[derive(Clone, Debug)]
pub struct Options {
    /// What exists from the start. Rows that the file already has stay as they are.
    pub seed: Seed,
    /// The SQLite file; `None` keeps everything in memory.
    pub path: Option<PathBuf>,
    /// One message a second in a channel, with a small burst.
    pub rate_limit: bool,
    /// Number of `files.info` calls that find a completed file unprocessed. The next one ends the processing; until
    /// then no message may show the file.
    pub file_looks: u32,
    /// Where the app takes events, clicks and commands. May be set later.
    pub request_url: Option<String>,
    /// The app's setting: all comes over its sockets, nothing to the request URL.
    pub socket_mode: bool,
    /// How long the app has to answer: 3 s in Slack.
    pub answer_within: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: Seed::default(),
            path: None,
            rate_limit: false,
            file_looks: 0,
            request_url: None,
            socket_mode: false,
            answer_within: Duration::from_secs(3),
        }
    }
}

#[derive(Debug, Error)]
#[error("cannot open Slack's local history at {path}: {source}; move the file away to start anew")]
pub struct OpenError {
    path: String,
    source: rusqlite::Error,
}

/// The stand-in. Cheap to clone; all clones are the same workspace.
#[derive(Clone)]
pub struct SlackLocal(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub seed: Seed,
    pub bot_token: Mutex<String>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub db: Mutex<Db>,
    pub last_ts: Mutex<String>,
    pub changes: broadcast::Sender<Change>,
    /// Counts changes and calls, so that `until` looks again.
    pub activity: watch::Sender<u64>,
    pub faults: Faults<Refusal>,
    pub request_url: Mutex<Option<String>>,
    pub sockets: Mutex<Sockets>,
    pub base_url: Mutex<String>,
    pub wake: Notify,
    /// Events that no repetition delivered.
    pub given_up: AtomicUsize,
    pub http: OnceLock<reqwest::Client>,
    pub ephemerals: Mutex<Vec<Ephemeral>>,
    pub triggers: Mutex<HashMap<String, Trigger>>,
    pub rates: Mutex<HashMap<String, i64>>,
    pub rate_limit: bool,
    /// The app's setting: whether it has a Home tab.
    pub home_enabled: Mutex<bool>,
    pub file_looks: u32,
    pub answer_within: Duration,
}

/// Lets an app open one view within 3 s.
pub(crate) struct Trigger {
    pub user: String,
    pub at_ms: i64,
    pub used: bool,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SlackLocal {
    /// Opens the workspace. Nothing is served or delivered until `serve`.
    pub fn open(
        options: Options,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Result<Self, OpenError> {
        let storage = |source| {
            let path = options.path.as_ref().map(|path| path.display().to_string());
            let path = path.unwrap_or_else(|| "memory".into());
            OpenError { path, source }
        };
        let db = Db::open(options.path.as_deref(), &options.seed).map_err(storage)?;
        let last_ts = db.read().last_ts().map_err(storage)?;
        Ok(Self(Arc::new(Inner {
            bot_token: Mutex::new(options.seed.bot_token.clone()),
            seed: options.seed,
            clock,
            ids,
            db: Mutex::new(db),
            last_ts: Mutex::new(last_ts),
            changes: broadcast::Sender::new(CHANGES_KEPT),
            activity: watch::Sender::new(0),
            faults: Faults::default(),
            request_url: Mutex::new(options.request_url),
            sockets: Mutex::new(Sockets::new(options.socket_mode)),
            base_url: Mutex::default(),
            wake: Notify::new(),
            given_up: AtomicUsize::new(0),
            http: OnceLock::new(),
            ephemerals: Mutex::default(),
            triggers: Mutex::default(),
            rates: Mutex::default(),
            rate_limit: options.rate_limit,
            home_enabled: Mutex::new(true),
            file_looks: options.file_looks,
            answer_within: options.answer_within,
        })))
    }

    pub fn seed(&self) -> &Seed {
        &self.0.seed
    }

    pub fn rotate_token(&self, token: impl Into<String>) {
        *lock(&self.0.bot_token) = token.into();
    }

    /// Changes the app's setting: without a Home tab none can be published or opened.
    pub fn enable_home(&self, enabled: bool) {
        *lock(&self.0.home_enabled) = enabled;
    }

    /// Sets where the app takes requests. Waiting events are delivered now.
    pub fn set_request_url(&self, url: impl Into<String>) {
        *lock(&self.0.request_url) = Some(url.into());
        self.0.wake.notify_one();
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.0.changes.subscribe()
    }

    /// Waits until `look` returns something. It is called again after every change and call.
    pub async fn until<T>(&self, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let mut activity = self.0.activity.subscribe();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            // The sender lives in self, so there always is a next one.
            drop(activity.changed().await);
        }
    }

    pub(crate) fn db(&self) -> MutexGuard<'_, Db> {
        lock(&self.0.db)
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0.clock.now().as_millisecond()
    }

    pub(crate) fn next_ts(&self) -> String {
        let mut last = lock(&self.0.last_ts);
        *last = ts::after(&last, self.0.clock.now());
        last.clone()
    }

    pub(crate) fn id(&self, prefix: &str) -> String {
        let uuid = self.0.ids.uuid().simple().to_string();
        format!("{prefix}{}", uuid.to_uppercase())
    }

    pub(crate) fn tell(&self, change: Change) {
        // Fails only without a subscriber.
        drop(self.0.changes.send(change));
        self.active();
    }

    pub(crate) fn active(&self) {
        self.0.activity.send_modify(|count| *count += 1);
    }

    pub(crate) fn slack_message(&self, message: &Message, with_metadata: bool) -> Value {
        message.to_slack(&self.0.seed.team_id, &self.0.seed.app_id, with_metadata)
    }

    /// Queues an event in the caller's transaction.
    pub(crate) fn enqueue(&self, tx: &Tx<'_>, event: Value) -> rusqlite::Result<()> {
        let seed = &self.0.seed;
        let now = self.0.clock.now();
        let envelope = json!({
            "token": "verification-token",
            "team_id": seed.team_id,
            "context_team_id": seed.team_id,
            "api_app_id": seed.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": self.id("Ev"),
            "event_time": now.as_second(),
            "authorizations": [{
                "enterprise_id": null,
                "team_id": seed.team_id,
                "user_id": seed.bot_user,
                "is_bot": true,
                "is_enterprise_install": false,
            }],
            "is_ext_shared_channel": false,
        });
        tx.enqueue(&envelope.to_string(), now.as_millisecond())
    }
}
