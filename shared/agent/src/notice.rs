//! Short words that need no run, posted once.

use alfred_core::ports::{ChatError, Post};
use alfred_core::{ChannelId, Envelope, Failure, ReplyAddress, ResponseType};

use crate::ports::Ports;

/// Posts a notice, or else in the direct message. Unless this is the `first` attempt it is looked
/// for before.
///
/// # Errors
/// `Retry` when Slack doesn't answer, not before Slack's own wait; `Bug` when Slack takes it nowhere.
pub async fn post(
    ports: &Ports,
    envelope: &Envelope,
    here: Post,
    first: bool,
) -> Result<(), Failure> {
    let direct = here.clone().direct(&envelope.user);
    let mut refusal = String::new();
    for post in [here, direct] {
        if !first && is_there(ports, envelope, &post).await? {
            return Ok(());
        }
        match ports.chat.post(&post).await {
            Ok(_) => return Ok(()),
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(slack.error = code, slack.channel = %post.channel, "Slack refused a notice");
                refusal = code;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::bug(format!(
        "Slack refuses a notice, also in the direct message: {refusal}"
    )))
}

/// Words for where a reply to this address goes.
pub fn words(envelope: &Envelope, to: &ReplyAddress, text: impl Into<String>, key: String) -> Post {
    Post {
        channel: place(envelope, to),
        thread_ts: to.thread_ts.clone(),
        text: text.into(),
        blocks: Vec::new(),
        idempotency_key: key,
    }
}

/// Where a reply to this address goes.
fn place(envelope: &Envelope, to: &ReplyAddress) -> ChannelId {
    let direct = to.channel.as_str().starts_with('D');
    match to.response_type {
        ResponseType::Dm if !direct => ChannelId::from(envelope.user.as_str()),
        ResponseType::Dm | ResponseType::Thread | ResponseType::Channel => to.channel.clone(),
    }
}

async fn is_there(ports: &Ports, envelope: &Envelope, post: &Post) -> Result<bool, Failure> {
    match ports
        .chat
        .find(&post.look_since(envelope.received_at))
        .await
    {
        Ok(found) => Ok(found.is_some()),
        // A history that may not be read: a double is better than silence.
        Err(ChatError::Refused { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
