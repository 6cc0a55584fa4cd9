//! Short notices that need no run: to strangers, to empty messages.

use alfred_agent::Ports;
use alfred_agent::claim::{Claimed, claim};
use alfred_agent::notice;
use alfred_core::ports::{ChatError, Post};
use alfred_core::{Envelope, Failure, ReplyAddress};
use serde_json::Value;

/// Posts a notice where it was asked, or else in the direct message, once an event.
///
/// # Errors
/// `Retry` when Slack or the store doesn't answer, not before Slack's own wait;
/// `Bug` when Slack takes it nowhere.
pub async fn notice(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
) -> Result<(), Failure> {
    notice_with(ports, envelope, to, text, Vec::new()).await
}

/// The same with blocks.
pub async fn notice_with(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
    blocks: Vec<Value>,
) -> Result<(), Failure> {
    let key = format!("notice:{}", envelope.trace_id);
    let post = Post {
        blocks,
        ..notice::words(envelope, to, text, key)
    };
    noticed(ports, envelope, post).await
}

/// Shows a notice to the person alone; where Slack won't, it goes to the direct message.
pub async fn privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: impl Into<String>,
) -> Result<(), Failure> {
    all_privately(ports, envelope, to, &text.into(), vec![Vec::new()]).await
}

/// The same with blocks, in as many messages as there are.
pub async fn all_privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: &str,
    messages: Vec<Vec<Value>>,
) -> Result<(), Failure> {
    for (at, blocks) in messages.into_iter().enumerate() {
        // Each has a key of its own: in the direct message one would be taken for another.
        let key = format!("notice:{}:{at}", envelope.trace_id);
        let here = Post {
            channel: to.channel.clone(),
            blocks,
            ..notice::words(envelope, to, text.to_owned(), key)
        };
        match ports.chat.ephemeral(&envelope.user, &here).await {
            Ok(()) => {}
            Err(ChatError::Refused { code, .. }) => {
                tracing::info!(
                    slack.error = code,
                    "Slack refused a private notice; sending it to the direct message"
                );
                noticed(ports, envelope, here.direct(&envelope.user)).await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Posts a notice, or else to the direct message, once.
async fn noticed(ports: &Ports, envelope: &Envelope, here: Post) -> Result<(), Failure> {
    let first = match claim(ports, &envelope.into(), None).await? {
        Claimed::First => true,
        Claimed::Again(_) => false,
        Claimed::Duplicate => return Ok(()),
    };
    notice::post(ports, envelope, here, first).await
}
