//! Slack, as far as Alfred needs it.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;

use crate::id::{ChannelId, FileId, TeamId, UserId};

/// A message to post (`chat.postMessage`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The conversation; a user id opens their direct message.
    pub channel: ChannelId,
    /// The thread.
    pub thread_ts: Option<String>,
    /// mrkdwn, in which no bare address becomes a link; with blocks, the text of the notification.
    pub text: String,
    /// Block Kit blocks, may be empty.
    #[serde(default)]
    pub blocks: Vec<Value>,
    /// Goes into the message's metadata, so that a look finds it again.
    pub idempotency_key: String,
}

/// A look goes back a little before the moment it is about: clocks differ.
const LOOK_BACK: SignedDuration = SignedDuration::from_mins(5);

impl Post {
    /// The same in the direct message with this person, which their id opens.
    pub fn direct(self, user: &UserId) -> Self {
        Self {
            channel: ChannelId::from(user.as_str()),
            thread_ts: None,
            ..self
        }
    }

    /// The look that finds this message, if it was posted at `since` or later.
    pub fn look_since(&self, since: Timestamp) -> Look {
        let oldest = since.saturating_sub(LOOK_BACK).unwrap_or(since);
        Look {
            channel: self.channel.clone(),
            thread_ts: self.thread_ts.clone(),
            oldest: format!("{}.000000", oldest.as_second()),
            idempotency_key: self.idempotency_key.clone(),
        }
    }
}

/// A message that was posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// The conversation it landed in.
    pub channel: ChannelId,
    /// Its timestamp.
    pub ts: String,
}

/// What stands in a message.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageBody {
    /// mrkdwn.
    pub text: String,
    /// Block Kit blocks, may be empty.
    pub blocks: Vec<Value>,
}

/// A look for a message by its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The conversation.
    pub channel: ChannelId,
    /// The thread it would be in.
    pub thread_ts: Option<String>,
    /// Not older than this Slack timestamp.
    pub oldest: String,
    /// The key.
    pub idempotency_key: String,
}

/// A picture for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// With its extension: "day-2026-11-21.png".
    pub name: String,
    /// What it shows, for those who don't see it; at most 1,000 characters.
    pub alt: String,
    /// The file's bytes (PNG).
    pub png: Vec<u8>,
}

/// The code with which [`Chat::upload`] refuses a picture that Slack still processes when the
/// wait for it is over. It is no code of Slack's.
pub const FILE_NOT_PROCESSED: &str = "file_not_processed";

/// The code with which [`Chat::download`] refuses a file of more bytes than wanted. It is no code of Slack's.
pub const FILE_TOO_LARGE: &str = "file_too_large";
/// The code with which it refuses a file that is only linked from Slack, or whose address isn't Slack's. Neither is this one.
pub const FILE_ELSEWHERE: &str = "file_elsewhere";

/// A message as read from a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who wrote it; `None` for apps without a user.
    pub user: Option<UserId>,
    /// Whether an app wrote it.
    pub from_app: bool,
    /// mrkdwn.
    pub text: String,
    /// Whether some of the text is a quotation.
    pub quotes: bool,
    /// Its timestamp.
    pub ts: String,
    /// The idempotency key, of a message that says it is Alfred's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A person as Slack's `users.info` knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatUser {
    /// Their id.
    pub id: UserId,
    /// Their handle.
    pub username: String,
    /// Their name.
    pub name: String,
    /// Empty when Slack doesn't show it.
    pub email: String,
    /// IANA zone, if set.
    pub timezone: Option<String>,
    /// Bots and deleted accounts are never people Alfred serves.
    pub is_person: bool,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatChannel {
    /// Its id.
    pub id: ChannelId,
    /// Without `#`.
    pub name: String,
    /// Whether only its members know of it.
    pub is_private: bool,
    /// Whether Alfred is in it, and so may write.
    pub is_member: bool,
}

/// Why Slack said no.
#[derive(Debug, Error)]
pub enum ChatError {
    /// It never left: nothing happened in Slack.
    #[error("not sent: {detail}")]
    NotSent {
        /// For the log.
        detail: String,
    },
    /// Too many requests; nothing happened.
    #[error("rate limited")]
    RateLimited {
        /// Slack's `Retry-After`.
        retry_after: Duration,
    },
    /// It was sent and no answer came: it may have happened. Look before repeating.
    #[error("outcome unknown: {detail}")]
    Unknown {
        /// For the log.
        detail: String,
    },
    /// Slack refused it with one of its error codes; nothing happened.
    #[error("slack refused {method}: {code}")]
    Refused {
        /// The method.
        method: &'static str,
        /// Slack's error code.
        code: String,
    },
}

/// Slack's Web API.
#[async_trait]
pub trait Chat: Send + Sync {
    /// The workspace that the token is of.
    async fn team(&self) -> Result<TeamId, ChatError>;
    /// Posts a message.
    async fn post(&self, post: &Post) -> Result<Posted, ChatError>;
    /// Uploads a picture that no message shows yet, and gives the file's id once Slack can show it:
    /// a message names it in an `image` block as `slack_file`. Uploading twice leaves one file unused, and nobody sees it.
    /// Where Slack refuses it, a missing scope included, or is slow with it ([`FILE_NOT_PROCESSED`]),
    /// a message does without it.
    async fn upload(&self, image: &Image) -> Result<FileId, ChatError>;
    /// The content of a file that people shared, of at most so many bytes: larger ones are refused as
    /// [`FILE_TOO_LARGE`], and those that Slack doesn't keep itself as [`FILE_ELSEWHERE`].
    async fn download(&self, file: &FileId, most: u64) -> Result<Vec<u8>, ChatError>;
    /// Replaces a message.
    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError>;
    /// Shows a message to one person only, until they reload. Its key is of no use: nothing finds it again.
    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError>;
    /// Shows "Alfred …" while it works; an empty status clears it. Slack clears it after 2 minutes.
    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &str,
    ) -> Result<(), ChatError>;
    /// A message as it stands now, in its thread if it is in one; `None` when it is gone.
    async fn message(
        &self,
        posted: &Posted,
        thread_ts: Option<&str>,
    ) -> Result<Option<MessageBody>, ChatError>;
    /// Looks for a message by its idempotency key.
    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError>;
    /// What was said in a thread, oldest first, at most `limit` messages, the newest kept.
    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError>;
    /// What was said in a conversation before this timestamp, newest first, at most `limit` messages, with keys:
    /// in a thread, its root included; without one, outside of all threads.
    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError>;
    /// A person.
    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError>;
    /// The channels this person may know of: the public ones, and those private
    /// ones in which both they and Alfred are. Archived ones are left out.
    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError>;
    /// Opens a modal for a trigger, which lives 3 seconds; gives the view's id. It is of `title`, `submit`, `close`,
    /// `callback_id`, `external_id`, `private_metadata` and `blocks`: with another field it isn't sent.
    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError>;
    /// Replaces an open view.
    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError>;
}
