//! A mail that a call about another mail sends: a reply, or a request to leave a mailing list.

use alfred_agent::tool::{Receipt, Settled};
use alfred_core::ports::{MailStatus, MailSummary, OutgoingMail, SentMail};

use super::addresses;
use crate::account::{looked, not_done};
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Reply,
    Unsubscribe,
}

impl Kind {
    fn action(self) -> &'static str {
        match self {
            Self::Reply => "send_reply",
            Self::Unsubscribe => "unsubscribe",
        }
    }

    fn receipt(self, to: &str) -> String {
        match self {
            Self::Reply => format!("Sent an e-mail reply to {to}"),
            Self::Unsubscribe => format!("Asked {to} to take you off its list"),
        }
    }
}

/// The outgoing mail with its card.
pub struct Letter {
    pub kind: Kind,
    pub mail: OutgoingMail,
    pub preview: Preview,
    pub about: MailSummary,
}

impl Letter {
    /// Fails if the mail differs from the approved preview or wasn't sent; `Unknown` if that is unclear.
    pub async fn send(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        context.ensure_unchanged_since_approval(&self.preview)?;
        let (account, key) = (context.account(), &context.call.key);
        let sent = context.accounts.mail.send(&account, &self.mail, key).await;
        self.done(context, &sent.map_err(not_done)?).await
    }

    /// Builds the output, and marks an answered mail as processed.
    async fn done(&self, context: &ToolContext, sent: &SentMail) -> Result<ToolOutput, ToolError> {
        let to = addresses(&self.mail).join(", ");
        let mut output = receipt(context, self.kind, &to, sent)?;
        let mut status = self.about.status;
        if self.kind == Kind::Reply && status != MailStatus::Archived {
            let processed = MailStatus::Processed;
            let account = context.account();
            let port = &context.accounts.mail;
            match port.set_status(&account, &self.about.id, processed).await {
                Ok(_) => status = processed,
                // The reply is sent and needs its receipt; the output shows the unchanged status.
                Err(error) => tracing::warn!(error = %error, "an answered mail isn't marked"),
            }
        }
        output.data.insert("emailId".into(), json!(self.about.id));
        output.data.insert("status".into(), json!(status));
        Ok(output)
    }
}

/// Checks whether the mail was sent, after its result was lost.
pub async fn settle(
    context: &ToolContext,
    (tool, kind): (&str, Kind),
    prepared: impl Future<Output = Result<Letter, ToolError>> + Send,
) -> Result<Settled, ToolError> {
    let (account, key) = (context.account(), &context.call.key);
    let found = context.accounts.mail.find_sent(&account, key).await;
    let sent = match looked(tool, found)? {
        Ok(sent) => sent,
        Err(nothing) => return Ok(nothing),
    };
    let output = match prepared.await {
        Ok(letter) => letter.done(context, &sent).await?,
        // The original mail is gone by now, but this mail was certainly sent.
        Err(ToolError::Failed(_)) => receipt(context, kind, "the sender", &sent)?,
        Err(other) => return Err(other),
    };
    Ok(Settled::Done(Box::new(output)))
}

fn receipt(
    context: &ToolContext,
    kind: Kind,
    to: &str,
    sent: &SentMail,
) -> Result<ToolOutput, ToolError> {
    let data = json!({
        "action": kind.action(),
        "sent": true,
        "to": to,
        "messageId": sent.message_id,
    });
    let receipt = Receipt {
        what: kind.receipt(to),
        provider_id: Some(sent.message_id.clone()),
        at: Some(sent.at.min(context.clock.now())),
        ..Receipt::default()
    };
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}
