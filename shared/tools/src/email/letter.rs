//! A mail that is sent after its owner has seen it: new, forwarded, a reply, or a request to leave a list.

use alfred_agent::tool::{Receipt, Settled};
use alfred_core::ports::{MailStatus, MailSummary, OutgoingMail, SentMail};

use super::addresses;
use crate::account::{looked, not_done};
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    New,
    Forward,
    Reply,
    Unsubscribe,
}

impl Kind {
    fn receipt(self, to: &str) -> String {
        match self {
            Self::New => format!("Sent an e-mail to {to}"),
            Self::Forward => format!("Forwarded an e-mail to {to}"),
            Self::Reply => format!("Sent an e-mail reply to {to}"),
            Self::Unsubscribe => format!("Asked {to} to take you off its list"),
        }
    }

    fn output(
        self,
        context: &ToolContext,
        to: &str,
        sent: &SentMail,
    ) -> Result<ToolOutput, ToolError> {
        let mut data = json!({"sent": true, "to": to, "messageId": sent.message_id});
        match self {
            Self::New | Self::Forward => data["emailId"] = json!(sent.id),
            Self::Reply => data["action"] = "send_reply".into(),
            Self::Unsubscribe => data["action"] = "unsubscribe".into(),
        }
        let receipt = Receipt {
            what: self.receipt(to),
            provider_id: Some(sent.message_id.clone()),
            at: Some(sent.at.min(context.clock.now())),
            ..Receipt::default()
        };
        Ok(ToolOutput::data(&data)?.with_receipt(receipt))
    }
}

pub struct Letter {
    pub kind: Kind,
    pub mail: OutgoingMail,
    pub card: Preview,
    /// The mail that is answered, or that came from the list.
    pub about: Option<MailSummary>,
}

impl Letter {
    pub async fn send(&self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let sent = context.accounts.mail.send(&account, &self.mail, key).await;
        self.done(context, &sent.map_err(not_done)?).await
    }

    /// Builds the output, and marks an answered mail as processed.
    async fn done(&self, context: &ToolContext, sent: &SentMail) -> Result<ToolOutput, ToolError> {
        let to = addresses(&self.mail).join(", ");
        let mut output = self.kind.output(context, &to, sent)?;
        let Some(about) = &self.about else {
            return Ok(output);
        };
        let mut status = about.status;
        if self.kind == Kind::Reply && status != MailStatus::Archived {
            let (account, processed) = (context.account(), MailStatus::Processed);
            let mail = &context.accounts.mail;
            match mail.set_status(&account, &about.id, processed).await {
                Ok(_) => status = processed,
                // The reply is sent and needs its receipt; the output shows the unchanged status.
                Err(error) => tracing::warn!(error = %error, "an answered mail isn't marked"),
            }
        }
        output.data.insert("emailId".into(), json!(about.id));
        output.data.insert("status".into(), json!(status));
        Ok(output)
    }
}

/// Checks whether a mail was sent, after its result was lost. `to` names its recipients if the mail can't be
/// prepared any more, because the mail it is about is gone or a name means nobody now.
pub async fn settle(
    context: &ToolContext,
    tool: &str,
    (kind, to): (Kind, &str),
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
        Err(ToolError::Failed(_)) => kind.output(context, to, &sent)?,
        Err(other) => return Err(other),
    };
    Ok(Settled::Done(Box::new(output)))
}
