//! The port itself.

use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, FILE_TOO_LARGE, Image, Live, LivePlace,
    Look, MessageBody, Post, Posted, Progress, Status,
};
use alfred_core::{ChannelId, FileId, TeamId, UserId};
use async_trait::async_trait;
use serde_json::Value;

use super::{Kept, RecordingChat, State};

const ALT_CHARACTERS: usize = 1_000;
const HOME_BLOCKS: usize = 100;
const HOME_BYTES: usize = 250_000;

/// The number of a timestamp, in microseconds, so that texts of different length compare.
fn micros(ts: &str) -> u64 {
    let (seconds, fraction) = ts.split_once('.').unwrap_or((ts, ""));
    let seconds: u64 = seconds.parse().unwrap_or(0);
    let fraction: u64 = format!("{fraction:0<6}").parse().unwrap_or(0);
    seconds * 1_000_000 + fraction
}

/// Posting to a person lands in their direct message.
pub(super) fn conversation(channel: &ChannelId) -> ChannelId {
    match channel.as_str().strip_prefix(['U', 'W']) {
        Some(rest) => ChannelId(format!("D{rest}")),
        None => channel.clone(),
    }
}

fn refused(method: &'static str, code: &str) -> ChatError {
    let code = code.to_owned();
    ChatError::Refused { method, code }
}

/// Whether every `slack_file` in these blocks was uploaded; Slack takes no other.
fn known_files(state: &State, part: &Value) -> bool {
    match part {
        Value::Array(parts) => parts.iter().all(|part| known_files(state, part)),
        Value::Object(fields) => fields.iter().all(|(name, part)| match name.as_str() {
            "slack_file" => {
                let mut uploads = state.uploads.iter();
                uploads.any(|(id, _)| part["id"] == id.as_str())
            }
            _ => known_files(state, part),
        }),
        _ => true,
    }
}

fn checked(state: &State, method: &'static str, blocks: &[Value]) -> Result<(), ChatError> {
    let is_known = blocks.iter().all(|block| known_files(state, block));
    let unknown = || refused(method, "invalid_blocks");
    is_known.then_some(()).ok_or_else(unknown)
}

#[async_trait]
impl Chat for RecordingChat {
    async fn team(&self) -> Result<TeamId, ChatError> {
        Ok("T1".into())
    }

    async fn direct_message(&self, user: &UserId) -> Result<ChannelId, ChatError> {
        Ok(conversation(&user.as_str().into()))
    }

    async fn post(&self, post: &Post) -> Result<Posted, ChatError> {
        let state = &mut *self.state();
        if post.text.is_empty() && post.blocks.is_empty() {
            return Err(refused("chat.postMessage", "no_text"));
        }
        checked(state, "chat.postMessage", &post.blocks)?;
        let posted = Posted {
            channel: conversation(&post.channel),
            ts: self.next_ts(state),
        };
        state.messages.push(Kept {
            channel: posted.channel.clone(),
            thread_ts: post.thread_ts.clone(),
            ts: posted.ts.clone(),
            user: None,
            text: post.text.clone(),
            blocks: post.blocks.clone(),
            idempotency_key: Some(post.idempotency_key.clone()),
        });
        Ok(posted)
    }

    async fn upload(&self, image: &Image) -> Result<FileId, ChatError> {
        let state = &mut *self.state();
        let method = "files.getUploadURLExternal";
        if image.name.is_empty() || image.png.is_empty() {
            return Err(refused(method, "missing_argument"));
        }
        if image.alt.chars().count() > ALT_CHARACTERS {
            return Err(refused(method, "alt_txt_too_large"));
        }
        let id = FileId(format!("F{}", state.uploads.len() + 1));
        state.uploads.push((id.clone(), image.clone()));
        Ok(id)
    }

    async fn download(&self, file: &FileId, most: u64) -> Result<Vec<u8>, ChatError> {
        let bytes = self.state().shared.get(file).cloned();
        let bytes = bytes.ok_or_else(|| refused("files.info", "file_not_found"))?;
        if bytes.len() as u64 > most {
            return Err(refused("files.info", FILE_TOO_LARGE));
        }
        Ok(bytes)
    }

    async fn update(&self, posted: &Posted, text: &str, blocks: &[Value]) -> Result<(), ChatError> {
        let state = &mut *self.state();
        checked(state, "chat.update", blocks)?;
        let is_it =
            |m: &&mut Kept| m.channel == posted.channel && m.ts == posted.ts && m.user.is_none();
        let Some(message) = state.messages.iter_mut().find(is_it) else {
            return Err(refused("chat.update", "message_not_found"));
        };
        text.clone_into(&mut message.text);
        message.blocks = blocks.to_vec();
        Ok(())
    }

    async fn ephemeral(&self, user: &UserId, post: &Post) -> Result<(), ChatError> {
        self.state().ephemerals.push((user.clone(), post.clone()));
        Ok(())
    }

    async fn set_status(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        status: &Status,
    ) -> Result<(), ChatError> {
        let words = match status {
            Status::Begins(words) | Status::GoesOn(words) => words.clone(),
            Status::Answered | Status::Stopped => String::new(),
        };
        let set = (channel.clone(), thread_ts.to_owned(), words);
        self.state().statuses.push(set);
        Ok(())
    }

    async fn start_live(&self, place: &LivePlace, progress: &Progress) -> Result<Live, ChatError> {
        Ok(self.begin_live(place, progress))
    }

    async fn show_live(
        &self,
        live: &Live,
        _: &Progress,
        progress: &Progress,
    ) -> Result<(), ChatError> {
        let state = &mut *self.state();
        let there = state.live(&live.at);
        there.ok_or_else(|| refused("chat.update", "message_not_found"))?;
        state.note("now", progress);
        Ok(())
    }

    async fn complete_live(&self, live: &Live, post: &Post) -> Result<(), ChatError> {
        let state = &mut *self.state();
        checked(state, "chat.update", &post.blocks)?;
        let completed = state.complete(live, post);
        completed.ok_or_else(|| refused("chat.update", "message_not_found"))
    }

    async fn delete_live(&self, live: &Live) -> Result<(), ChatError> {
        self.state().remove(&live.at);
        Ok(())
    }

    async fn message(
        &self,
        posted: &Posted,
        thread_ts: Option<&str>,
    ) -> Result<Option<MessageBody>, ChatError> {
        let state = &mut *self.state();
        let in_thread = |m: &Kept| m.thread_ts.as_deref() == thread_ts || Some(&*m.ts) == thread_ts;
        let is_it = |m: &&Kept| m.channel == posted.channel && m.ts == posted.ts && in_thread(m);
        let found = state.messages.iter().find(is_it);
        Ok(found.map(|m| MessageBody {
            text: m.text.clone(),
            blocks: m.blocks.clone(),
        }))
    }

    async fn find(&self, look: &Look) -> Result<Option<Posted>, ChatError> {
        let state = &mut *self.state();
        let channel = conversation(&look.channel);
        let found = state.messages.iter().find(|m| {
            m.channel == channel
                && m.thread_ts == look.thread_ts
                && micros(&m.ts) >= micros(&look.oldest)
                && m.idempotency_key.as_deref() == Some(&look.idempotency_key)
        });
        let found = found.map(|m| Posted {
            channel: m.channel.clone(),
            ts: m.ts.clone(),
        });
        Ok(found.or_else(|| state.live_by_key(&look.idempotency_key)))
    }

    async fn thread(
        &self,
        channel: &ChannelId,
        thread_ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let state = &mut *self.state();
        let here = state.messages.iter();
        let here = here.filter(|m| &m.channel == channel && m.is_in(thread_ts));
        let mut said: Vec<ChatMessage> = here.map(ChatMessage::from).collect();
        Ok(said.split_off(said.len().saturating_sub(limit)))
    }

    async fn before(
        &self,
        channel: &ChannelId,
        thread_ts: Option<&str>,
        ts: &str,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        let state = &mut *self.state();
        let (channel, end) = (conversation(channel), micros(ts));
        let mut said: Vec<&Kept> = state.messages.iter().collect();
        said.retain(|m| m.channel == channel && micros(&m.ts) < end);
        said.retain(|m| thread_ts.map_or(m.thread_ts.is_none(), |root| m.is_in(root)));
        said.sort_by_key(|m| std::cmp::Reverse(micros(&m.ts)));
        let newest = said.into_iter().take(limit);
        Ok(newest.map(ChatMessage::from).collect())
    }

    async fn user(&self, user: &UserId) -> Result<Option<ChatUser>, ChatError> {
        Ok(self.state().people.get(user).cloned())
    }

    async fn channels(&self, member: &UserId) -> Result<Vec<ChatChannel>, ChatError> {
        let state = &mut *self.state();
        let known = |(channel, members): &&(ChatChannel, Vec<UserId>)| {
            !channel.is_private || (channel.is_member && members.contains(member))
        };
        let channels = state.channels.iter().filter(known);
        Ok(channels.map(|(channel, _)| channel.clone()).collect())
    }

    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError> {
        let state = &mut *self.state();
        if trigger_id.is_empty() {
            return Err(refused("views.open", "invalid_trigger_id"));
        }
        let id = format!("V{}", state.views.len() + 1);
        state.views.insert(id.clone(), view.clone());
        Ok(id)
    }

    async fn update_view(&self, view_id: &str, view: &Value) -> Result<(), ChatError> {
        let state = &mut *self.state();
        let Some(open) = state.views.get_mut(view_id) else {
            return Err(refused("views.update", "not_found"));
        };
        *open = view.clone();
        Ok(())
    }

    async fn publish_home(&self, user: &UserId, blocks: &[Value]) -> Result<(), ChatError> {
        let state = &mut *self.state();
        checked(state, "views.publish", blocks)?;
        let size: usize = blocks.iter().map(|block| block.to_string().len()).sum();
        if blocks.len() > HOME_BLOCKS || size > HOME_BYTES {
            return Err(refused("views.publish", "view_too_large"));
        }
        state.homes.insert(user.clone(), blocks.to_vec());
        Ok(())
    }
}
