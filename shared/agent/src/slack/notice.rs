//! Posts messages at most once, in the direct message if their place refuses them.

use alfred_core::ports::{ChatError, Post, Posted};
use alfred_core::{ChannelId, Envelope, Failure, ReplyAddress, ResponseType, Result, UserId};
use jiff::Timestamp;

use crate::store::ports::Ports;

/// Posts a notice. Unless this is the `first` attempt, searches for an earlier copy. `Bug` if Slack refuses it everywhere.
pub async fn post(ports: &Ports, envelope: &Envelope, here: Post, first: bool) -> Result<()> {
    let since = (!first).then_some(envelope.received_at);
    let refused = once_or_directly(ports, here, &envelope.user, since).await?;
    let bug = |code| {
        Failure::bug(format!(
            "Slack refuses a notice, also in the direct message: {code}"
        ))
    };
    refused.map_or(Ok(()), |code| Err(bug(code)))
}

/// Posts a message, in the direct message if Slack refuses the place. Returns Slack's code if it refuses both.
pub(crate) async fn once_or_directly(
    ports: &Ports,
    here: Post,
    user: &UserId,
    since: Option<Timestamp>,
) -> Result<Option<String>> {
    match once(ports, &here, since).await? {
        Some(_) => once(ports, &here.direct(user), since).await,
        None => Ok(None),
    }
}

/// Posts a message, unless it was posted at `since` or later. Returns Slack's error code if Slack refuses it.
pub(crate) async fn once(
    ports: &Ports,
    post: &Post,
    since: Option<Timestamp>,
) -> Result<Option<String>> {
    if let Some(since) = since
        && find(ports, post, since).await?.is_some()
    {
        return Ok(None);
    }
    match ports.chat.post(post).await {
        Ok(_) => Ok(None),
        Err(ChatError::Refused { code, .. }) => {
            tracing::warn!(slack.error = code, slack.channel = %post.channel, "Slack refused a message");
            Ok(Some(code))
        }
        Err(error) => Err(error.into()),
    }
}

/// Finds a message. `None` also if the history can't be read, since a duplicate is better than no message.
pub(crate) async fn find(ports: &Ports, post: &Post, since: Timestamp) -> Result<Option<Posted>> {
    match ports.chat.find(&post.look_since(since)).await {
        Ok(found) => Ok(found),
        Err(ChatError::Refused { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub fn words(envelope: &Envelope, to: &ReplyAddress, text: impl Into<String>, key: String) -> Post {
    let direct = to.channel.as_str().starts_with('D');
    let channel = match to.response_type {
        ResponseType::Dm if !direct => ChannelId::from(envelope.user.as_str()),
        ResponseType::Dm | ResponseType::Thread | ResponseType::Channel => to.channel.clone(),
    };
    plain(channel, to.thread_ts.clone(), text.into(), key)
}

/// A message without blocks. A search finds it by the key.
pub fn plain(channel: ChannelId, thread_ts: Option<String>, text: String, key: String) -> Post {
    Post {
        channel,
        thread_ts,
        text,
        blocks: Vec::new(),
        idempotency_key: key,
    }
}
