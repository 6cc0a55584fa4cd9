//! `email_sendEmail`: a new mail to people.

use alfred_agent::tool::{Receipt, Settled};
use alfred_core::User;
use alfred_core::ports::{Mailbox, OutgoingMail, SentMail};
use async_trait::async_trait;

use super::attach::{self, Attach};
use super::reply::MAX_TEXT;
use super::{LINE, TOOLSET, addresses, reached};
use crate::account::{not_done, not_read};
use crate::calendar::people::one;
use crate::outward::{self, Outward};
use crate::prelude::*;
use crate::user::active;

const NAME: &str = "email_sendEmail";
/// People of each list.
const MOST: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Up to 50 people: "@handle", full name, e-mail address or Slack id.
    to: Vec<String>,
    /// Who gets a copy, named likewise.
    cc: Option<Vec<String>>,
    /// What it is about, on one line.
    subject: String,
    /// The whole e-mail, plain text.
    text: String,
    /// Files of e-mails that go along.
    attach: Option<Vec<Attach>>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Sends a new e-mail. A card asks first. An answer: email_processEmail.",
    );
    outward::always_asked::<Prepared>(def.flow(Flow::UNKNOWN))
}

/// A call as it would be made now.
struct Prepared {
    mail: OutgoingMail,
}

/// The people a list names, each once; none of those who are on another list already.
async fn named(
    context: &ToolContext,
    known: &[User],
    (field, given): (&str, &[String]),
    others: &[Mailbox],
) -> Result<Vec<Mailbox>, ToolError> {
    if given.len() > MOST {
        let count = format!("{} people", given.len());
        return Err(refused(field, &count, "are too many: at most 50."));
    }
    let mut found: Vec<Mailbox> = Vec::new();
    for text in given {
        let one = one(context, known, field, text).await?;
        let mut there = others.iter().chain(&found);
        if there.all(|known| known.address != one.address) {
            found.push(one);
        }
    }
    Ok(found)
}

/// What must be said, within a length.
fn said(field: &str, given: &str, most: usize) -> Result<String, ToolError> {
    let text = text_up_to(field, given, most).map_err(invalid)?;
    match text.is_empty() {
        true => Err(refused(field, "", "is empty. Write it.")),
        false => Ok(text),
    }
}

fn done(context: &ToolContext, to: &str, sent: &SentMail) -> Result<ToolOutput, ToolError> {
    let receipt = Receipt {
        what: text::sent_mail(to),
        provider_id: Some(sent.message_id.clone()),
        at: Some(sent.at.min(context.clock.now())),
        ..Receipt::default()
    };
    let data = json!({"sent": true, "to": to, "messageId": sent.message_id});
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(_: &ToolContext, args: &Arguments) -> Result<Vec<String>, ToolError> {
        let copied = args.cc.iter().flatten();
        Ok(args.to.iter().chain(copied).cloned().collect())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let subject = args.subject.split_whitespace().collect::<Vec<_>>();
        let subject = said("subject", &subject.join(" "), LINE)?;
        let text = said("text", &args.text, MAX_TEXT)?;
        let known = active(context).await?;
        let to = named(context, &known, ("to", &args.to), &[]).await?;
        if to.is_empty() {
            return Err(refused("to", "", "is empty. Name who gets it."));
        }
        let cc = args.cc.as_deref().unwrap_or_default();
        let cc = named(context, &known, ("cc", cc), &to).await?;
        let mail = OutgoingMail {
            to,
            cc,
            subject,
            text,
            files: attach::files(context, args.attach.as_deref()).await?,
            ..OutgoingMail::default()
        };
        mail.check().map_err(not_read)?;
        Ok(Self { mail })
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        let preview = Preview::new(text::send_mail_title())
            .reaching(text::recipients_label(), reached(&self.mail))
            .field("Subject", &self.mail.subject);
        attach::shown(preview, &self.mail.files).body(&self.mail.text)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.idempotency_key);
        let sent = context.accounts.mail.send(&account, &self.mail, key).await;
        let to = addresses(&self.mail).join(", ");
        done(context, &to, &sent.map_err(not_done)?)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let (account, key) = (context.account(), &context.idempotency_key);
        let found = context.accounts.mail.find_sent(&account, key).await;
        let to = match Self::prepare(context, &args).await {
            Ok(prepared) => addresses(&prepared.mail),
            // A name means nobody any more; whether it was sent is what is asked.
            Err(ToolError::Failed(_)) => Self::recipients(context, &args).await?,
            Err(other) => return Err(other),
        };
        outward::settled(NAME, found, |sent| done(context, &to.join(", "), sent))
    }
}

#[cfg(test)]
#[path = "send_email_tests.rs"]
mod tests;
