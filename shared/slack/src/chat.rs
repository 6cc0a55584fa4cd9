//! Implements the `Chat` port.

use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Image, Live, LivePlace, Look, MessageBody,
    Post, Posted, Progress, Status,
};
use alfred_core::{ChannelId, FileId, TeamId, UserId};
use async_trait::async_trait;
use serde_json::{Value, json};
use slack_morphism::api::*;
use slack_morphism::blocks::SlackBlock;
use slack_morphism::{SlackConversationType, SlackMessageContent, SlackMessageMetadata};

use super::answers::{METADATA_TYPE, SlackMessage, person, text};
use super::live::posted_at;
use super::{Result, SlackClient};

/// Slack's maximum: these methods are called rarely and are strictly limited.
const CHANNEL_PAGE: u16 = 999;
/// Slack recommends at most 200.
const PAGE: u16 = 200;
/// Otherwise Slack turns bare addresses in a text into links.
pub(super) const PARSE: &str = "none";

/// Refusals that hold for good: the app lacks a scope or a feature.
pub(super) const NOT_OFFERED: [&str; 5] = [
    "missing_scope",
    "unknown_method",
    "not_allowed_token_type",
    "not_agent_app",
    "feature_not_enabled",
];

pub(super) fn refused_with(error: &ChatError, codes: &[&str]) -> bool {
    matches!(error, ChatError::Refused { code, .. } if codes.contains(&code.as_str()))
}

/// Blocks unchanged: the library's types would drop what they don't model.
fn verbatim(blocks: &[Value]) -> Vec<SlackBlock> {
    blocks.iter().cloned().map(SlackBlock::Unknown).collect()
}

fn content(post: &Post) -> SlackMessageContent {
    let blocks = (!post.blocks.is_empty()).then(|| verbatim(&post.blocks));
    SlackMessageContent::new()
        .with_text(post.text.clone())
        .opt_blocks(blocks)
}

/// The request for messages with metadata, which the library's type for replies can't express.
fn messages(channel: &ChannelId, thread_ts: Option<&str>) -> (&'static str, Value) {
    let mut request = json!({"channel": channel, "limit": PAGE, "include_all_metadata": true});
    let Some(ts) = thread_ts else {
        return ("conversations.history", request);
    };
    request["ts"] = ts.into();
    ("conversations.replies", request)
}

impl SlackClient {
    /// Opens the direct message of a user id: reading methods don't accept user ids.
    async fn conversation(&self, channel: &ChannelId) -> Result<ChannelId> {
        if !channel.as_str().starts_with(['U', 'W']) {
            return Ok(channel.clone());
        }
        // The library sends a list where Slack documents a string.
        let user = json!({"users": channel});
        let method = "conversations.open";
        let opened = self.calls().write(method, &user).await?;
        text(method, &opened, "/channel/id").map(ChannelId)
    }
}

#[async_trait]
impl Chat for SlackClient {
    async fn team(&self) -> Result<TeamId> {
        let reply = self.calls().read("auth.test", &json!({})).await?;
        text("auth.test", &reply, "/team_id").map(TeamId::from)
    }

    async fn direct_message(&self, user: &UserId) -> Result<ChannelId> {
        self.conversation(&user.as_str().into()).await
    }

    async fn post(&self, post: &Post) -> Result<Posted> {
        let key = ("key".to_owned(), post.idempotency_key.clone());
        let metadata =
            SlackMessageMetadata::new(METADATA_TYPE.into()).with_event_payload([key].into());
        let content = content(post).with_metadata(metadata);
        let channel = post.channel.as_str();
        let request = SlackApiChatPostMessageRequest::new(channel.into(), content)
            .opt_thread_ts(post.thread_ts.clone().map(Into::into))
            .with_parse(PARSE.into())
            .with_unfurl_links(false)
            .with_unfurl_media(false);
        let mut calls = self.paced(channel).await?;
        let method = "chat.postMessage";
        let posted = calls.write(method, &request).await?;
        posted_at(method, &posted)
    }

    async fn download(&self, file: &FileId, most: u64) -> Result<Vec<u8>> {
        self.download_file(file, most).await
    }

    async fn upload(&self, image: &Image) -> Result<FileId> {
        self.upload_image(image).await
    }

    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<()> {
        // Without `blocks` Slack would keep the old ones.
        let content = SlackMessageContent::new()
            .with_text(text.to_owned())
            .with_blocks(verbatim(blocks));
        let (channel, ts) = (posted.channel.as_str(), posted.ts.as_str());
        let request = SlackApiChatUpdateRequest::new(channel.into(), content, ts.into())
            .with_parse(PARSE.into());
        self.calls().write("chat.update", &request).await.map(drop)
    }

    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<()> {
        let (channel, user) = (post.channel.as_str(), user.as_str());
        let request =
            SlackApiChatPostEphemeralRequest::new(channel.into(), user.into(), content(post))
                .opt_thread_ts(post.thread_ts.clone().map(Into::into))
                .with_parse(PARSE.into());
        let mut calls = self.paced(channel).await?;
        calls.write("chat.postEphemeral", &request).await.map(drop)
    }

    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &Status,
    ) -> Result<()> {
        let (state, words) = match status {
            Status::Begins(words) | Status::GoesOn(words) => ("processing", Some(&**words)),
            Status::Answered => ("active", None),
            Status::Stopped => ("active", Some("")),
        };
        let known = self.has_sessions.get();
        if known == Some(&true) && matches!(status, Status::GoesOn(_)) {
            return Ok(());
        }
        if known != Some(&false) {
            let request = json!({"channel_id": channel, "thread_ts": thread_ts, "status": state});
            let mut calls = self.calls();
            match calls.write("agents.sessions.setStatus", &request).await {
                Ok(_) => {
                    self.has_sessions.get_or_init(|| true);
                    return Ok(());
                }
                Err(error) if refused_with(&error, &NOT_OFFERED) => {
                    self.has_sessions.get_or_init(|| false);
                }
                Err(ChatError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // The older method, whose words a message in the thread removes.
        let Some(words) = words else { return Ok(()) };
        let request = SlackApiAssistantThreadsSetStatusRequest::new(
            channel.as_str().into(),
            words.to_owned(),
            thread_ts.into(),
        );
        let method = "assistant.threads.setStatus";
        self.calls().write(method, &request).await.map(drop)
    }

    async fn start_live(&self, place: &LivePlace, progress: &Progress) -> Result<Live> {
        self.start(place, progress).await
    }

    async fn show_live(&self, live: &Live, shown: &Progress, progress: &Progress) -> Result<()> {
        self.show(live, shown, progress).await
    }

    async fn complete_live(&self, live: &Live, post: &Post) -> Result<()> {
        self.complete(live, post).await
    }

    async fn delete_live(&self, live: &Live) -> Result<()> {
        self.delete(live).await
    }

    async fn message(
        &self,
        posted: &Posted,
        thread_ts: Option<&str>,
    ) -> Result<Option<MessageBody>> {
        let (method, mut request) = messages(&posted.channel, thread_ts);
        request["oldest"] = posted.ts.as_str().into();
        request["latest"] = posted.ts.as_str().into();
        request["inclusive"] = true.into();
        // For a thread, Slack also returns its root.
        let found: Option<Vec<SlackMessage>> = self.pages(method, &request)?.next().await?;
        let mut found = found.into_iter().flatten();
        Ok(found.find(|one| one.ts == posted.ts).map(MessageBody::from))
    }

    async fn find(&self, look: &Look) -> Result<Option<Posted>> {
        let channel = self.conversation(&look.channel).await?;
        let (method, mut request) = messages(&channel, look.thread_ts.as_deref());
        request["oldest"] = look.oldest.as_str().into();
        request["inclusive"] = true.into();
        let mut pages = self.pages(method, &request)?;
        loop {
            let messages: Vec<SlackMessage> = match pages.next().await {
                Ok(Some(messages)) => messages,
                Ok(None) => return Ok(None),
                // Without its root a thread can't be read.
                Err(error) if refused_with(&error, &["thread_not_found"]) => return Ok(None),
                Err(error) => return Err(error),
            };
            let mut messages = messages.into_iter();
            if let Some(message) = messages.find(|m| m.has_key(&look.idempotency_key)) {
                let ts = message.ts;
                return Ok(Some(Posted { channel, ts }));
            }
        }
    }

    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>> {
        let (method, request) = messages(channel, Some(thread_ts));
        self.pages(method, &request)?.newest(limit).await
    }

    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>> {
        let (method, mut request) = messages(channel, thread_ts);
        request["latest"] = ts.into();
        if thread_ts.is_some() {
            let mut said = self.pages(method, &request)?.newest(limit).await?;
            said.reverse();
            return Ok(said);
        }
        request["limit"] = limit.into();
        let said: Option<Vec<SlackMessage>> = self.pages(method, &request)?.next().await?;
        Ok(said.into_iter().flatten().map(ChatMessage::from).collect())
    }

    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>> {
        let request = SlackApiUsersInfoRequest::new(user.as_str().into());
        match self.calls().read("users.info", &request).await {
            Ok(reply) => {
                let id = text("users.info", &reply, "/user/id")?;
                Ok(Some(person(id.into(), &reply["user"])))
            }
            Err(error) if refused_with(&error, &["user_not_found", "user_not_visible"]) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>> {
        let public = SlackApiConversationsListRequest::new()
            .with_types(vec![SlackConversationType::Public])
            .with_exclude_archived(true)
            .with_limit(CHANNEL_PAGE);
        let public = self.pages("conversations.list", &public)?;
        let mut channels: Vec<ChatChannel> = public.all().await?;
        // `conversations.list` would also return private channels that this person isn't in.
        let shared = SlackApiUsersConversationsRequest::new()
            .with_types(vec![SlackConversationType::Private])
            .with_user(member.as_str().into())
            .with_exclude_archived(true)
            .with_limit(CHANNEL_PAGE);
        let shared = self.pages("users.conversations", &shared)?;
        for mut channel in shared.all::<ChatChannel>().await? {
            // Slack omits the field here, but only returns channels that Alfred is in.
            channel.is_member = true;
            channels.push(channel);
        }
        Ok(channels)
    }

    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String> {
        let request = json!({"trigger_id": trigger_id, "view": view});
        let opened = self.calls().write("views.open", &request).await?;
        text("views.open", &opened, "/view/id")
    }

    async fn update_view(&self, view_id: &str, view: &Value) -> Result<()> {
        let request = json!({"view_id": view_id, "view": view});
        self.calls().write("views.update", &request).await.map(drop)
    }

    async fn publish_home(&self, user: &UserId, blocks: &[Value]) -> Result<()> {
        let view = json!({"type": "home", "blocks": blocks});
        let request = json!({"user_id": user, "view": view});
        let method = "views.publish";
        self.calls().write(method, &request).await.map(drop)
    }
}
