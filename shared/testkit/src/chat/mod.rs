//! A Slack that keeps everything in memory. The strict stand-in is `alfred-slack-local`.

mod live;
mod port;

use alfred_core::envelope::quotes;
use alfred_core::ports::{ChatChannel, ChatMessage, ChatUser, Clock, Image, Post};
use alfred_core::{ChannelId, FileId, UserId};
use live::LiveKept;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    pub ts: String,
    /// Who wrote it; `None` for Alfred.
    pub user: Option<UserId>,
    pub text: String,
    pub blocks: Vec<Value>,
    pub idempotency_key: Option<String>,
}

impl Kept {
    /// Whether it is a thread's root or one of its replies.
    fn is_in(&self, root: &str) -> bool {
        self.ts == root || self.thread_ts.as_deref() == Some(root)
    }
}

impl From<&Kept> for ChatMessage {
    fn from(kept: &Kept) -> Self {
        Self {
            user: kept.user.clone(),
            from_app: kept.user.is_none(),
            text: kept.text.clone(),
            quotes: quotes(&kept.text, &Value::Array(kept.blocks.clone())),
            ts: kept.ts.clone(),
            key: kept.idempotency_key.clone(),
        }
    }
}

pub type Ephemeral = (UserId, Post);
/// A status: channel, thread, text. It is empty when Alfred ends it.
pub type ShownStatus = (ChannelId, String, String);

#[derive(Default)]
struct State {
    serial: u32,
    messages: Vec<Kept>,
    uploads: Vec<(FileId, Image)>,
    shared: BTreeMap<FileId, Vec<u8>>,
    ephemerals: Vec<Ephemeral>,
    statuses: Vec<ShownStatus>,
    people: BTreeMap<UserId, ChatUser>,
    channels: Vec<(ChatChannel, Vec<UserId>)>,
    views: BTreeMap<String, Value>,
    lives: Vec<LiveKept>,
    /// What happened to live messages, a line each.
    moments: Vec<String>,
    homes: BTreeMap<UserId, Vec<Value>>,
}

/// Keeps messages, and finds them by idempotency key. `Faults` before it count its calls and fail them.
pub struct RecordingChat {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

impl RecordingChat {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            state: Mutex::default(),
        }
    }

    pub fn add_user(&self, user: ChatUser) {
        self.state().people.insert(user.id.clone(), user);
    }

    /// A channel with these members, of whom a private one alone is known.
    pub fn add_channel(&self, channel: ChatChannel, members: &[&str]) {
        let members = members.iter().map(|&member| member.into()).collect();
        self.state().channels.push((channel, members));
    }

    /// A person writes; gives the message's timestamp.
    pub fn say(&self, channel: &ChannelId, root: Option<&str>, by: &UserId, text: &str) -> String {
        let mut state = self.state();
        let ts = self.next_ts(&mut state);
        state.messages.push(Kept {
            channel: channel.clone(),
            thread_ts: root.map(str::to_owned),
            ts: ts.clone(),
            user: Some(by.clone()),
            text: text.to_owned(),
            ..Kept::default()
        });
        ts
    }

    pub fn share(&self, id: &FileId, bytes: &[u8]) {
        self.state().shared.insert(id.clone(), bytes.to_owned());
    }

    pub fn messages(&self) -> Vec<Kept> {
        self.state().messages.clone()
    }

    pub fn posted(&self) -> Vec<Kept> {
        let mut messages = self.messages();
        messages.retain(|message| message.user.is_none());
        messages
    }

    /// Pictures in the order they were uploaded, shown or not.
    pub fn uploads(&self) -> Vec<(FileId, Image)> {
        self.state().uploads.clone()
    }

    pub fn ephemerals(&self) -> Vec<Ephemeral> {
        self.state().ephemerals.clone()
    }

    pub fn statuses(&self) -> Vec<ShownStatus> {
        self.state().statuses.clone()
    }

    pub fn view(&self, id: &str) -> Option<Value> {
        self.state().views.get(id).cloned()
    }

    /// What each person's Home tab shows.
    pub fn homes(&self) -> BTreeMap<UserId, Vec<Value>> {
        self.state().homes.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn next_ts(&self, state: &mut State) -> String {
        state.serial += 1;
        format!("{}.{:06}", self.clock.now().as_second(), state.serial)
    }

    pub fn clear(&self) {
        *self.state() = State::default();
    }

    /// Takes back what was posted with this key, as if it had never been.
    pub fn forget(&self, key: &str) {
        let is_it = |kept: &Kept| kept.idempotency_key.as_deref() == Some(key);
        self.state().messages.retain(|kept| !is_it(kept));
    }
}
