//! Slack's JSON, as far as it is read (docs.slack.dev/reference/methods).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use alfred_core::envelope::quotes;
use alfred_core::ports::{ChatChannel, ChatMessage, ChatUser, Post};
use alfred_core::{ChannelId, FileId, TeamId, UserId};

/// `event_type` of the metadata on Alfred's messages.
pub(super) const METADATA_TYPE: &str = "alfred_reply";

#[derive(Serialize)]
pub(super) struct PostMessage<'a> {
    channel: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_ts: Option<&'a str>,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    blocks: &'a [Value],
    metadata: Value,
    /// Without it Slack makes links of bare addresses in `text`.
    parse: &'static str,
    unfurl_links: bool,
    unfurl_media: bool,
}

impl<'a> PostMessage<'a> {
    pub fn of(post: &'a Post) -> Self {
        Self {
            channel: post.channel.as_str(),
            text: &post.text,
            thread_ts: post.thread_ts.as_deref(),
            blocks: &post.blocks,
            metadata: json!({
                "event_type": METADATA_TYPE,
                "event_payload": {"key": post.idempotency_key},
            }),
            parse: "none",
            unfurl_links: false,
            unfurl_media: false,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct PostedReply {
    pub channel: String,
    pub ts: String,
}

#[derive(Deserialize)]
pub(super) struct Page {
    pub messages: Vec<SlackMessage>,
    #[serde(default)]
    response_metadata: ResponseMetadata,
}

#[derive(Default, Deserialize)]
struct ResponseMetadata {
    #[serde(default)]
    next_cursor: String,
}

impl ResponseMetadata {
    fn next(&mut self) -> Option<String> {
        let cursor = std::mem::take(&mut self.next_cursor);
        (!cursor.is_empty()).then_some(cursor)
    }
}

impl Page {
    /// The cursor of the next page, if there is one.
    pub fn next(&mut self) -> Option<String> {
        self.response_metadata.next()
    }
}

#[derive(Deserialize)]
pub(super) struct ChannelPage {
    pub channels: Vec<SlackChannel>,
    #[serde(default)]
    response_metadata: ResponseMetadata,
}

impl ChannelPage {
    /// The cursor of the next page, if there is one.
    pub fn next(&mut self) -> Option<String> {
        self.response_metadata.next()
    }
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
    /// Whether Alfred posted it under this key.
    pub fn has_key(&self, key: &str) -> bool {
        self.key().as_deref() == Some(key)
    }

    /// The key under which Alfred posted it.
    fn key(&self) -> Option<String> {
        let ours = self.bot_id.is_some() && self.metadata["event_type"] == METADATA_TYPE;
        let key = self.metadata["event_payload"]["key"].as_str();
        key.filter(|_| ours).map(str::to_owned)
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

#[derive(Deserialize)]
struct SlackUser {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    real_name: String,
    #[serde(default)]
    tz: Option<String>,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    is_bot: bool,
    #[serde(default)]
    profile: Profile,
}

#[derive(Default, Deserialize)]
struct Profile {
    #[serde(default)]
    real_name: String,
    #[serde(default)]
    display_name: String,
    #[serde(default)]
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
        // Slackbot is no bot to Slack, though nobody's colleague.
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
    pub view: OpenedView,
}

#[derive(Deserialize)]
pub(super) struct OpenedView {
    pub id: String,
}

#[derive(Deserialize)]
pub(super) struct OpenReply {
    pub channel: OpenedChannel,
}

#[derive(Deserialize)]
pub(super) struct OpenedChannel {
    pub id: ChannelId,
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

#[derive(Deserialize)]
pub(super) struct SlackFile {
    /// Empty until Slack has processed the file.
    #[serde(default)]
    pub mimetype: String,
}
