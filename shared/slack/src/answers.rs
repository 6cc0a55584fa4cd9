//! The fields that are read of Slack's answers (docs.slack.dev/reference/methods): slack-morphism's types
//! reject or drop what they don't model.

use serde::Deserialize;
use serde_json::Value;

use alfred_core::envelope::quotes;
use alfred_core::ports::{ChatChannel, ChatMessage, ChatUser, MessageBody};
use alfred_core::{ChannelId, FileId, TeamId, UserId};

/// `event_type` of the metadata on Alfred's messages.
pub(super) const METADATA_TYPE: &str = "alfred_reply";

#[derive(Deserialize)]
pub(super) struct PostedReply {
    pub channel: String,
    pub ts: String,
}

#[derive(Deserialize)]
pub(super) struct Page<T> {
    #[serde(alias = "messages", alias = "channels")]
    pub items: Vec<T>,
    #[serde(default)]
    pub response_metadata: ResponseMetadata,
}

#[derive(Default, Deserialize)]
pub(super) struct ResponseMetadata {
    /// Empty at the end.
    #[serde(default)]
    pub next_cursor: String,
}

#[derive(Deserialize)]
pub(super) struct SlackChannel {
    id: ChannelId,
    name: String,
    #[serde(default)]
    is_private: bool,
    #[serde(default)]
    is_member: bool,
}

impl From<SlackChannel> for ChatChannel {
    fn from(channel: SlackChannel) -> Self {
        Self {
            id: channel.id,
            name: channel.name,
            is_private: channel.is_private,
            is_member: channel.is_member,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct SlackMessage {
    pub ts: String,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    bot_id: Option<String>,
    #[serde(default)]
    app_id: Option<String>,
    #[serde(default)]
    blocks: Value,
    #[serde(default)]
    metadata: Value,
}

impl SlackMessage {
    pub fn has_key(&self, key: &str) -> bool {
        self.key().as_deref() == Some(key)
    }

    /// The idempotency key, if Alfred posted the message.
    fn key(&self) -> Option<String> {
        let ours = self.bot_id.is_some() && self.metadata["event_type"] == METADATA_TYPE;
        let key = self.metadata["event_payload"]["key"].as_str();
        key.filter(|_| ours).map(str::to_owned)
    }
}

impl From<SlackMessage> for MessageBody {
    fn from(message: SlackMessage) -> Self {
        let blocks = match message.blocks {
            Value::Array(blocks) => blocks,
            _ => Vec::new(),
        };
        Self {
            text: message.text,
            blocks,
        }
    }
}

impl From<SlackMessage> for ChatMessage {
    fn from(message: SlackMessage) -> Self {
        Self {
            key: message.key(),
            quotes: quotes(&message.text, &message.blocks),
            user: message.user.map(UserId::from),
            from_app: message.bot_id.is_some() || message.app_id.is_some(),
            text: message.text,
            ts: message.ts,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct AuthReply {
    pub team_id: TeamId,
}

#[derive(Deserialize)]
pub(super) struct UserReply {
    user: SlackUser,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SlackUser {
    id: String,
    name: String,
    real_name: String,
    tz: Option<String>,
    deleted: bool,
    is_bot: bool,
    profile: Profile,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Profile {
    real_name: String,
    display_name: String,
    email: Option<String>,
}

impl From<UserReply> for ChatUser {
    fn from(reply: UserReply) -> Self {
        let user = reply.user;
        let profile = user.profile;
        let names = [
            profile.real_name,
            user.real_name,
            profile.display_name,
            user.name.clone(),
        ];
        // Slack doesn't flag Slackbot as a bot.
        let is_person = !user.is_bot && !user.deleted && user.id != "USLACKBOT";
        Self {
            id: UserId::from(user.id),
            username: user.name,
            name: names
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or_default(),
            email: profile.email.unwrap_or_default(),
            timezone: user.tz.filter(|zone| !zone.is_empty()),
            is_person,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct ViewReply {
    pub view: Opened<String>,
}

#[derive(Deserialize)]
pub(super) struct OpenReply {
    pub channel: Opened<ChannelId>,
}

#[derive(Deserialize)]
pub(super) struct Opened<Id> {
    pub id: Id,
}

#[derive(Deserialize)]
pub(super) struct UploadReply {
    pub upload_url: String,
    pub file_id: FileId,
}

#[derive(Deserialize)]
pub(super) struct FileReply {
    pub file: SlackFile,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct SlackFile {
    /// Empty until Slack has processed the file.
    pub mimetype: String,
    /// In bytes.
    pub size: u64,
    /// Needs the token.
    pub url_private_download: Option<String>,
    /// True for files that are only linked.
    pub is_external: bool,
}
