//! Short notices that need no run: to strangers, to empty messages.

use alfred_agent::Ports;
use alfred_agent::claim::{Claimed, claim};
use alfred_core::ports::{ChatError, Look, Post};
use alfred_core::{ChannelId, Envelope, Failure, ReplyAddress, ResponseType};

/// Posts a notice where it was asked, once an event.
///
/// # Errors
/// `Retry` when Slack or the store doesn't answer.
pub async fn notice(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: String,
) -> Result<(), Failure> {
    let first = match claim(ports, &envelope.into(), None).await? {
        Claimed::First => true,
        Claimed::Again(_) => false,
        Claimed::Duplicate => return Ok(()),
    };
    let post = Post {
        channel: place(envelope, to),
        thread_ts: to.thread_ts.clone(),
        text,
        blocks: Vec::new(),
        idempotency_key: format!("notice:{}", envelope.trace_id),
    };
    if !first && is_there(ports, envelope, &post).await? {
        return Ok(());
    }
    match ports.chat.post(&post).await {
        Ok(_) => Ok(()),
        Err(ChatError::Refused { code, .. }) => {
            tracing::warn!(slack.error = code, "Slack refused a notice");
            Ok(())
        }
        Err(error) => Err(Failure::retry(error)),
    }
}

/// Shows a notice to the person alone.
///
/// # Errors
/// `Retry` when Slack doesn't answer.
pub async fn privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: String,
) -> Result<(), Failure> {
    match ports
        .chat
        .ephemeral(&to.channel, &envelope.user, &text)
        .await
    {
        Ok(()) => Ok(()),
        Err(ChatError::Refused { code, .. }) => {
            tracing::warn!(slack.error = code, "Slack refused a private notice");
            Ok(())
        }
        Err(error) => Err(Failure::retry(error)),
    }
}

fn place(envelope: &Envelope, to: &ReplyAddress) -> ChannelId {
    let direct = to.channel.as_str().starts_with('D');
    match to.response_type {
        ResponseType::Dm if !direct => ChannelId::from(envelope.user.as_str()),
        ResponseType::Dm | ResponseType::Thread | ResponseType::Channel => to.channel.clone(),
    }
}

async fn is_there(ports: &Ports, envelope: &Envelope, post: &Post) -> Result<bool, Failure> {
    let look = Look {
        channel: post.channel.clone(),
        thread_ts: post.thread_ts.clone(),
        oldest: format!("{}.000000", envelope.received_at.as_second() - 300),
        idempotency_key: post.idempotency_key.clone(),
    };
    match ports.chat.find(&look).await {
        Ok(found) => Ok(found.is_some()),
        Err(ChatError::Refused { .. }) => Ok(false),
        Err(error) => Err(Failure::retry(error)),
    }
}
