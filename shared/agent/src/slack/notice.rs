//! Posts short messages that need no run, at most once each.

use alfred_core::ports::{ChatError, Post};
use alfred_core::{ChannelId, Envelope, Failure, ReplyAddress, ResponseType};

use crate::store::ports::Ports;

/// Posts a notice, or sends it as direct message if that fails. Unless this is the `first` attempt, searches
/// for an earlier copy. Fails with `Retry` if Slack fails, after at least Slack's requested delay. `Bug` if
/// Slack refuses it everywhere.
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

/// A text message to a reply address.
pub fn words(envelope: &Envelope, to: &ReplyAddress, text: impl Into<String>, key: String) -> Post {
    Post {
        channel: place(envelope, to),
        thread_ts: to.thread_ts.clone(),
        text: text.into(),
        blocks: Vec::new(),
        idempotency_key: key,
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
    let look = post.look_since(envelope.received_at);
    match ports.chat.find(&look).await {
        Ok(found) => Ok(found.is_some()),
        // The history can't be read; a duplicate is better than no message.
        Err(ChatError::Refused { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
