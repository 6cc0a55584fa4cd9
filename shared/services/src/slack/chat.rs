//! The `Chat` port on Slack's methods.

use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Image, Look, Post, Posted,
};
use alfred_core::{ChannelId, FileId, TeamId, UserId};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::VecDeque;

use super::SlackClient;
use super::wire::{
    AuthReply, ChannelPage, OpenReply, Page, PostMessage, PostedReply, UserReply, ViewReply,
};

/// Channels of one page, the most Slack gives: these methods are called rarely, and may be called rarely.
const CHANNEL_PAGE: &str = "999";
/// Messages of one page; Slack recommends no more than 200.
const PAGE: &str = "200";

fn refused_with(error: &ChatError, codes: &[&str]) -> bool {
    matches!(error, ChatError::Refused { code, .. } if codes.contains(&code.as_str()))
}

impl SlackClient {
    /// A user id's direct message: reading methods don't take user ids.
    async fn conversation(&self, channel: &ChannelId) -> Result<ChannelId, ChatError> {
        if !channel.as_str().starts_with(['U', 'W']) {
            return Ok(channel.clone());
        }
        let opened = self
            .write("conversations.open", &json!({"users": channel}))
            .await?;
        Ok(opened.parse::<OpenReply>()?.channel.id)
    }

    async fn page(
        &self,
        method: &'static str,
        fixed: &[(&str, &str)],
        cursor: Option<&str>,
    ) -> Result<Page, ChatError> {
        let mut form = fixed.to_vec();
        form.push(("limit", PAGE));
        form.extend(cursor.map(|cursor| ("cursor", cursor)));
        self.read(method, &form).await?.parse()
    }

    /// The last of all pages of a thread, which come oldest first.
    async fn newest(
        &self,
        method: &'static str,
        fixed: &[(&str, &str)],
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let mut newest = VecDeque::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut page = self.page(method, fixed, cursor.as_deref()).await?;
            cursor = page.next();
            newest.extend(page.messages.into_iter().map(ChatMessage::from));
            let surplus = newest.len().saturating_sub(limit);
            newest.drain(..surplus);
            if cursor.is_none() {
                return Ok(newest.into());
            }
        }
    }

    /// All pages of a list of channels.
    async fn all_channels(
        &self,
        method: &'static str,
        fixed: &[(&str, &str)],
    ) -> Result<Vec<ChatChannel>, ChatError> {
        let mut channels = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut form = fixed.to_vec();
            form.push(("exclude_archived", "true"));
            form.push(("limit", CHANNEL_PAGE));
            form.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let mut page: ChannelPage = self.read(method, &form).await?.parse()?;
            cursor = page.next();
            channels.extend(page.channels.into_iter().map(ChatChannel::from));
            if cursor.is_none() {
                return Ok(channels);
            }
        }
    }
}

#[async_trait]
impl Chat for SlackClient {
    async fn team(&self) -> Result<TeamId, ChatError> {
        let reply = self.read("auth.test", &[]).await?;
        Ok(reply.parse::<AuthReply>()?.team_id)
    }

    async fn post(&self, post: &Post) -> Result<Posted, ChatError> {
        let body = PostMessage::of(post);
        let reply = self
            .write_paced("chat.postMessage", post.channel.as_str(), &body)
            .await?;
        let posted: PostedReply = reply.parse()?;
        Ok(Posted {
            channel: ChannelId(posted.channel),
            ts: posted.ts,
        })
    }

    async fn upload(&self, image: &Image) -> Result<FileId, ChatError> {
        self.upload_image(image).await
    }

    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError> {
        // Without `blocks` Slack would keep the old ones.
        let body = json!({
            "channel": posted.channel,
            "ts": posted.ts,
            "text": text,
            "blocks": blocks,
            "parse": "none",
        });
        self.write("chat.update", &body).await.map(drop)
    }

    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError> {
        let mut body = json!({
            "channel": post.channel,
            "user": user,
            "text": post.text,
            "parse": "none",
        });
        if let Some(thread) = &post.thread_ts {
            body["thread_ts"] = thread.as_str().into();
        }
        if !post.blocks.is_empty() {
            body["blocks"] = post.blocks.clone().into();
        }
        self.write_paced("chat.postEphemeral", post.channel.as_str(), &body)
            .await
            .map(drop)
    }

    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &str,
    ) -> Result<(), ChatError> {
        let body = json!({"channel_id": channel, "thread_ts": thread_ts, "status": status});
        self.write("assistant.threads.setStatus", &body)
            .await
            .map(drop)
    }

    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError> {
        let channel = self.conversation(&look.channel).await?;
        let mut fixed = vec![
            ("channel", channel.as_str()),
            ("oldest", look.oldest.as_str()),
            ("inclusive", "true"),
            ("include_all_metadata", "true"),
        ];
        let method = match &look.thread_ts {
            Some(thread) => {
                fixed.push(("ts", thread));
                "conversations.replies"
            }
            None => "conversations.history",
        };
        let mut cursor: Option<String> = None;
        loop {
            let mut page = match self.page(method, &fixed, cursor.as_deref()).await {
                // The root is gone, and what was under it can't be read any more.
                Err(error) if refused_with(&error, &["thread_not_found"]) => return Ok(None),
                page => page?,
            };
            let found = page
                .messages
                .iter()
                .find(|m| m.has_key(&look.idempotency_key));
            if let Some(message) = found {
                let ts = message.ts.clone();
                return Ok(Some(Posted { channel, ts }));
            }
            cursor = page.next();
            if cursor.is_none() {
                return Ok(None);
            }
        }
    }

    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let fixed = [
            ("channel", channel.as_str()),
            ("ts", thread_ts),
            ("include_all_metadata", "true"),
        ];
        self.newest("conversations.replies", &fixed, limit).await
    }

    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let mut fixed = vec![
            ("channel", channel.as_str()),
            ("latest", ts),
            ("include_all_metadata", "true"),
        ];
        let Some(thread) = thread_ts else {
            let most = limit.to_string();
            fixed.push(("limit", &most));
            let page: Page = self.read("conversations.history", &fixed).await?.parse()?;
            return Ok(page.messages.into_iter().map(ChatMessage::from).collect());
        };
        fixed.push(("ts", thread));
        let mut said = self.newest("conversations.replies", &fixed, limit).await?;
        said.reverse();
        Ok(said)
    }

    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError> {
        match self.read("users.info", &[("user", user.as_str())]).await {
            Ok(reply) => Ok(Some(reply.parse::<UserReply>()?.into())),
            Err(error) if refused_with(&error, &["user_not_found", "user_not_visible"]) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError> {
        let public = [("types", "public_channel")];
        let mut channels = self.all_channels("conversations.list", &public).await?;
        // `conversations.list` would also give private channels of Alfred's in which this person isn't.
        let shared = [("types", "private_channel"), ("user", member.as_str())];
        let mut shared = self.all_channels("users.conversations", &shared).await?;
        for channel in &mut shared {
            // Slack leaves it out here: only channels that Alfred is in are given.
            channel.is_member = true;
        }
        channels.append(&mut shared);
        Ok(channels)
    }

    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError> {
        let body = json!({"trigger_id": trigger_id, "view": view});
        let reply = self.write("views.open", &body).await?;
        Ok(reply.parse::<ViewReply>()?.view.id)
    }

    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError> {
        let body = json!({"view_id": view_id, "view": view});
        self.write("views.update", &body).await.map(drop)
    }
}
