use alfred_agent::Ports;
use alfred_agent::slack::notice;
use alfred_agent::store::claim::{Claimed, claim};
use alfred_core::ports::{ChatError, Post};
use alfred_core::{Envelope, ReplyAddress, Result};
use serde_json::Value;

/// Posts a notice once per event, in the direct message if Slack refuses the place. `Bug` if it refuses both.
pub async fn notice(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
) -> Result<()> {
    notice_with(ports, envelope, to, text, Vec::new()).await
}

pub async fn notice_with(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
    blocks: Vec<Value>,
) -> Result<()> {
    let key = format!("notice:{}", envelope.trace_id);
    let post = Post {
        blocks,
        ..notice::words(envelope, to, text, key)
    };
    noticed(ports, envelope, post).await
}

/// Shows a notice only to the person. It goes to the direct message if Slack refuses, and if `to` names the person and
/// no conversation, as after a click on the Home tab.
pub async fn privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
) -> Result<()> {
    all_privately(ports, envelope, to, &text.into(), vec![Vec::new()]).await
}

pub async fn all_privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: &str,
    messages: Vec<Vec<Value>>,
) -> Result<()> {
    for (at, blocks) in messages.into_iter().enumerate() {
        // With a single key, the second message would count as a repeat of the first.
        let key = format!("notice:{}:{at}", envelope.trace_id);
        let here = Post {
            channel: to.channel.clone(),
            blocks,
            ..notice::words(envelope, to, text.to_owned(), key)
        };
        if here.channel.as_str() != envelope.user.as_str() {
            match ports.chat.ephemeral(&envelope.user, &here).await {
                Ok(()) => continue,
                Err(ChatError::Refused { code, .. }) => {
                    let why = "Slack refused a private notice; sending it to the direct message";
                    tracing::info!(slack.error = code, "{why}");
                }
                Err(error) => return Err(error.into()),
            }
        }
        noticed(ports, envelope, here.direct(&envelope.user)).await?;
    }
    Ok(())
}

async fn noticed(ports: &Ports, envelope: &Envelope, here: Post) -> Result<()> {
    let first = match claim(ports, &envelope.into(), None).await? {
        Claimed::First => true,
        Claimed::Again(_) => false,
        Claimed::Duplicate => return Ok(()),
    };
    notice::post(ports, envelope, here, first).await
}
