//! A message that shows what a request does and becomes its reply.

use serde::{Deserialize, Serialize};

use super::Posted;
use crate::id::{ChannelId, TeamId, UserId};

/// Where a live message goes, and how it is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePlace {
    pub team: TeamId,
    /// The person who asked.
    pub owner: UserId,
    /// The channel. A user id means their direct message.
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    /// [`super::Chat::find`] finds the message by this key until it is completed.
    pub key: String,
}

/// A live message in Slack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub at: Posted,
    /// The channel of its place, which may be a user id.
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    /// Whether it is one of Slack's streams, to which text can only be added.
    pub streams: bool,
}

/// What a live message shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub tasks: Vec<LiveTask>,
    /// The beginning of the answer, in Markdown.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveTask {
    pub id: String,
    pub title: String,
    pub state: TaskState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    InProgress,
    Complete,
    Error,
}
