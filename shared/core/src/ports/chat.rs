//! The Slack API, as far as Alfred uses it.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;

use crate::id::{ChannelId, FileId, TeamId, UserId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The channel. A user id means their direct message.
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    /// mrkdwn without automatic links. With blocks, the notification text.
    pub text: String,
    /// Block Kit blocks; may be empty.
    #[serde(default)]
    pub blocks: Vec<Value>,
    /// Stored in the message's metadata, so that a search finds it.
    pub idempotency_key: String,
}

/// Searches start this much earlier, because clocks differ.
const LOOK_BACK: SignedDuration = SignedDuration::from_mins(5);

impl Post {
    /// The message redirected to the person's direct message.
    pub fn direct(self, user: &UserId) -> Self {
        Self {
            channel: ChannelId::from(user.as_str()),
            thread_ts: None,
            ..self
        }
    }

    /// The search for this message, if it was posted at `since` or later.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    pub channel: ChannelId,
    pub ts: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MessageBody {
    /// mrkdwn.
    pub text: String,
    /// Block Kit blocks; may be empty.
    pub blocks: Vec<Value>,
}

/// A search for a message by its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    /// Slack timestamp of the oldest message to consider.
    pub oldest: String,
    pub idempotency_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// File name with extension, such as "day-2026-11-21.png".
    pub name: String,
    /// Text description, at most 1,000 characters.
    pub alt: String,
    pub png: Vec<u8>,
}

/// Error code of [`Chat::upload`] if Slack still processes the picture after the wait. Not a Slack code.
pub const FILE_NOT_PROCESSED: &str = "file_not_processed";

/// Error code of [`Chat::download`] for files larger than allowed. Not a Slack code.
pub const FILE_TOO_LARGE: &str = "file_too_large";
/// Error code of [`Chat::download`] for files that aren't hosted by Slack. Not a Slack code.
pub const FILE_ELSEWHERE: &str = "file_elsewhere";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The author. `None` for apps without a user.
    pub user: Option<UserId>,
    pub from_app: bool,
    /// mrkdwn.
    pub text: String,
    pub quotes: bool,
    pub ts: String,
    /// The idempotency key, if the message claims to be Alfred's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A person from Slack's `users.info`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatUser {
    pub id: UserId,
    pub username: String,
    pub name: String,
    /// Empty if Slack doesn't show it.
    pub email: String,
    /// IANA time zone, if set.
    pub timezone: Option<String>,
    /// False for bots and deleted accounts, which Alfred never serves.
    pub is_person: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ChatChannel {
    pub id: ChannelId,
    /// Without `#`.
    pub name: String,
    #[serde(default)]
    pub is_private: bool,
    /// Whether Alfred is a member, and so may post.
    #[serde(default)]
    pub is_member: bool,
}

/// Slack's codes for a token with which a call can't succeed, however often it is repeated.
const UNUSABLE_TOKEN: [&str; 9] = [
    "not_authed",
    "invalid_auth",
    "token_revoked",
    "token_expired",
    "account_inactive",
    "user_removed_from_team",
    "team_disabled",
    "not_allowed_token_type",
    "missing_scope",
];

/// Whether Slack's error code means that another token is needed.
pub fn refuses_token(code: &str) -> bool {
    UNUSABLE_TOKEN.contains(&code)
}

/// Where a live message goes, and how it is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePlace {
    pub team: TeamId,
    /// The person who asked.
    pub owner: UserId,
    /// The channel. A user id means their direct message.
    pub channel: ChannelId,
    pub thread_ts: Option<String>,
    /// [`Chat::find`] finds the message by this key until it is completed.
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

#[derive(Debug, Error)]
pub enum ChatError {
    /// The request wasn't sent; nothing happened.
    #[error("not sent: {detail}")]
    NotSent { detail: String },
    /// Too many requests; nothing happened. The delay is Slack's `Retry-After`.
    #[error("rate limited")]
    RateLimited { retry_after: Duration },
    /// The request got no answer, so it may have happened. Check before repeating.
    #[error("outcome unknown: {detail}")]
    Unknown { detail: String },
    /// Slack refused with an error code; nothing happened.
    #[error("slack refused {method}: {code}")]
    Refused { method: &'static str, code: String },
}

/// What Alfred does in a thread. The words follow its name: "is thinking…".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Begins(String),
    /// Replaces the words, which a message or two minutes may have removed.
    GoesOn(String),
    /// Its answer is in the thread.
    Answered,
    /// It stopped without a message in the thread.
    Stopped,
}

#[async_trait]
pub trait Chat: Send + Sync {
    /// The workspace of the token.
    async fn team(&self) -> Result<TeamId, ChatError>;
    /// The direct message with a person, opened if need be.
    async fn direct_message(&self, user: &UserId) -> Result<ChannelId, ChatError>;
    async fn post(&self, post: &Post) -> Result<Posted, ChatError>;
    /// Uploads a picture without posting it, and waits until Slack can show it. A message shows it in an
    /// `image` block, as `slack_file`. Uploading twice leaves one unused file that nobody sees. If it fails
    /// ([`FILE_NOT_PROCESSED`], missing scope), messages are posted without the picture.
    async fn upload(&self, image: &Image) -> Result<FileId, ChatError>;
    /// Downloads a shared file of at most `most` bytes. Larger files fail with [`FILE_TOO_LARGE`],
    /// files not hosted by Slack with [`FILE_ELSEWHERE`].
    async fn download(&self, file: &FileId, most: u64) -> Result<Vec<u8>, ChatError>;
    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError>;
    /// Shows a message to one person only, until they reload. It can't be found by its key.
    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError>;
    /// Shows in a thread whether Alfred works there.
    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &Status,
    ) -> Result<(), ChatError>;
    /// Posts a live message.
    async fn start_live(&self, place: &LivePlace, progress: &Progress) -> Result<Live, ChatError>;
    /// Shows `progress` instead of what was `shown` last. In a stream, a text that doesn't continue the shown one is
    /// added after it.
    async fn show_live(
        &self,
        live: &Live,
        shown: &Progress,
        progress: &Progress,
    ) -> Result<(), ChatError>;
    /// Turns a live message into this post, whose key it then has. May be repeated.
    async fn complete_live(&self, live: &Live, post: &Post) -> Result<(), ChatError>;
    /// Deletes a live message. Deleting a message that doesn't exist counts as success.
    async fn delete_live(&self, live: &Live) -> Result<(), ChatError>;
    /// The current content of a message; `None` if it was deleted.
    async fn message(
        &self,
        posted: &Posted,
        thread_ts: Option<&str>,
    ) -> Result<Option<MessageBody>, ChatError>;
    /// Finds a message by its idempotency key.
    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError>;
    /// The newest `limit` messages of a thread, oldest first.
    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError>;
    /// The newest `limit` messages before a timestamp, newest first, with keys. With `thread_ts`:
    /// of the thread and its root; without: outside all threads.
    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError>;
    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError>;
    /// The channels that this person may know of: public ones, and private ones with both them and
    /// Alfred. Archived channels are left out.
    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError>;
    /// Opens a modal and returns the view's id. The trigger expires after 3 seconds. `view` may have only these fields:
    /// `title`, `submit`, `close`, `callback_id`, `external_id`, `private_metadata` and `blocks`.
    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError>;
    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError>;
    /// Replaces what a person's Home tab shows: at most 100 blocks.
    async fn publish_home(&self, user: &UserId, blocks: &[Value]) -> Result<(), ChatError>;
}
