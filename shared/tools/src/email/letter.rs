//! A mail that is sent after its owner has seen it: new, forwarded or a reply; or a request to leave a list, by mail or
//! to its page.

use alfred_core::ports::{MailStatus, MailSummary, OneClick, OutgoingMail, PageError, SentMail};

use super::addresses;
use crate::account::looked;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    New,
    Forward,
    Reply,
    Unsubscribe,
}

impl Kind {
    /// `sent` is missing for a request to a page.
    fn output(
        self,
        context: &ToolContext,
        to: &str,
        sent: Option<&SentMail>,
    ) -> Result<ToolOutput> {
        let mut data = json!({"sent": true, "to": to});
        match self {
            Self::New | Self::Forward => data["emailId"] = json!(sent.map(|sent| &sent.id)),
            Self::Reply => data["action"] = "send_reply".into(),
            Self::Unsubscribe => data["action"] = "unsubscribe".into(),
        }
        let message_id = sent.map(|sent| &sent.message_id);
        add(&mut data, "messageId", json!(message_id));
        let receipt = Receipt {
            what: match self {
                Self::New => format!("Sent an e-mail to {to}"),
                Self::Forward => format!("Forwarded an e-mail to {to}"),
                Self::Reply => format!("Sent an e-mail reply to {to}"),
                Self::Unsubscribe => format!("Asked {to} to take you off its list"),
            },
            provider_id: message_id.cloned(),
            at: sent.map(|sent| sent.at.min(context.clock.now())),
            ..Receipt::default()
        };
        Ok(ToolOutput::data(&data)?.with_receipt(receipt))
    }
}

pub struct Letter {
    pub kind: Kind,
    /// Empty for a request to a page.
    pub mail: OutgoingMail,
    /// The page of a list, which gets one request instead of a mail.
    pub page: Option<OneClick>,
    pub card: Preview,
    /// The mail that is answered, or that came from the list.
    pub about: Option<MailSummary>,
}

impl Letter {
    pub async fn send(&self, context: &ToolContext) -> Result<ToolOutput> {
        if let Some(page) = &self.page {
            request_page(context, page).await?;
            return self.done(context, None).await;
        }
        let (account, key) = (context.account(), &context.call.key);
        let sent = context.accounts.mail.send(&account, &self.mail, key).await;
        self.done(context, Some(&sent.map_err(not_done)?)).await
    }

    /// Builds the output, and marks an answered mail as processed.
    async fn done(&self, context: &ToolContext, sent: Option<&SentMail>) -> Result<ToolOutput> {
        let host = self.page.as_ref().map(|page| page.host.clone());
        let to = host.unwrap_or_else(|| addresses(&self.mail).join(", "));
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

async fn request_page(context: &ToolContext, page: &OneClick) -> Result<()> {
    let asked = context.web.pages.leave_list(&page.url).await;
    asked.map_err(|why| match why {
        PageError::Unanswered { detail } => ToolError::Unknown(detail),
        why => {
            tracing::info!(error = %why, "a list's page didn't take a request");
            ToolError::failed(list_not_left(&why)).kind(why.kind())
        }
    })
}

fn list_not_left(why: &PageError) -> &'static str {
    match why {
        PageError::Inward => "The page of this list lies in a private network, so I don't open it.",
        PageError::Status(_) | PageError::NotFound | PageError::TooManyRedirects => {
            "The list's page didn't confirm that you are unsubscribed. Try the link in the mail."
        }
        PageError::NotSetUp => "I can't open the pages of lists here. Use the link in the mail.",
        _ => "I can't reach the page of this list at the moment. Nothing was asked of it.",
    }
}

/// Checks whether a mail was sent, after its result was lost. `to` names its recipients if the mail can't be
/// prepared any more, because the mail it is about is gone or a name means nobody now.
pub async fn settle(
    context: &ToolContext,
    tool: &str,
    kind: Kind,
    to: &str,
    prepared: impl Future<Output = Result<Letter>> + Send,
) -> Result<Settled> {
    let (account, key) = (context.account(), &context.call.key);
    let found = context.accounts.mail.find_sent(&account, key).await;
    let sent = match looked(tool, found)? {
        Ok(sent) => sent,
        Err(nothing) => return Ok(nothing),
    };
    let output = match known(prepared.await)? {
        Some(letter) => letter.done(context, Some(&sent)).await?,
        None => kind.output(context, to, Some(&sent))?,
    };
    Ok(Settled::Done(Box::new(output)))
}
