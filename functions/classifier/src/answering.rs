//! Short notices that need no run: to strangers, to empty messages.

use alfred_agent::Ports;
use alfred_agent::claim::{Claimed, claim};
use alfred_agent::notice::{self, Notice};
use alfred_core::ports::ChatError;
use alfred_core::{ChannelId, Envelope, Failure, ReplyAddress, ResponseType};
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
    text: String,
) -> Result<(), Failure> {
    notice_with(ports, envelope, to, text, Vec::new()).await
}

/// The same with blocks.
///
/// # Errors
/// As [`notice`].
pub async fn notice_with(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: String,
    blocks: Vec<Value>,
) -> Result<(), Failure> {
    let first = match claim(ports, &envelope.into(), None).await? {
        Claimed::First => true,
        Claimed::Again(_) => false,
        Claimed::Duplicate => return Ok(()),
    };
    let notice = Notice {
        text,
        blocks,
        idempotency_key: format!("notice:{}", envelope.trace_id),
    };
    notice::post(ports, envelope, to, notice, first).await
}

/// Shows a notice to the person alone; where Slack won't, it goes to the direct message.
///
/// # Errors
/// As [`notice`].
pub async fn privately(
    ports: &Ports,
    envelope: &Envelope,
    to: &ReplyAddress,
    text: String,
) -> Result<(), Failure> {
    let shown = ports.chat.ephemeral(&to.channel, &envelope.user, &text);
    match shown.await {
        Ok(()) => Ok(()),
        Err(ChatError::Refused { code, .. }) => {
            tracing::info!(
                slack.error = code,
                "Slack refused a private notice; sending it to the direct message"
            );
            let direct = ReplyAddress {
                channel: ChannelId::from(envelope.user.as_str()),
                thread_ts: None,
                response_type: ResponseType::Dm,
            };
            notice(ports, envelope, &direct, text).await
        }
        Err(error) => Err(error.into()),
    }
}
