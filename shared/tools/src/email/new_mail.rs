//! A new or forwarded mail, to be sent or saved as a draft.

use alfred_agent::tool::{Receipt, Settled};
use alfred_core::User;
use alfred_core::ports::{MailMessage, Mailbox, OutgoingMail, SentMail};
use async_trait::async_trait;

use super::attach::{self, Attach};
use super::doubt::mail_may_pretend;
use super::reply::MAX_TEXT;
use super::{LINE, addresses, contact, doubt, drafts, find, forward, reached};
use crate::account::{not_done, not_read};
use crate::calendar::people::one;
use crate::outward::{self, Outward};
use crate::prelude::*;
use crate::user::active;

pub const NAME: &str = "email_sendEmail";
/// People per list.
const MOST: usize = 50;
/// People per call who may be found through the mailbox; each search lists mails.
const FROM_MAIL: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Arguments {
    /// Up to 50 people: "@handle", full name, e-mail address or Slack id.
    to: Vec<String>,
    /// Who gets a copy, named likewise.
    cc: Option<Vec<String>>,
    /// What it is about, on one line. Only with forward it may be left out.
    subject: Option<String>,
    /// The whole e-mail, plain text. Only with forward it may be left out.
    text: Option<String>,
    /// Files that go along.
    attach: Option<Vec<Attach>>,
    /// Id of an e-mail that is forwarded below the text, with its files.
    forward: Option<String>,
    /// Whether it is kept as a draft instead; nothing is sent then.
    pub as_draft: Option<bool>,
}

pub struct NewMail {
    mail: OutgoingMail,
    /// Sources of the addresses found in the mailbox, for the card.
    origins: Vec<String>,
    /// The forwarded mail and its phishing signs.
    forwards: Option<(MailMessage, Option<String>)>,
}

struct Named {
    to: Vec<Mailbox>,
    cc: Vec<Mailbox>,
    origins: Vec<String>,
}

impl Named {
    async fn find(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let known = active(context).await?;
        let mut origins = Vec::new();
        let to = ("to", args.to.as_slice());
        let to = named(context, &known, (to, &[]), &mut origins).await?;
        if to.is_empty() {
            return Err(refused("to", "", "is empty. Name who gets it."));
        }
        let cc = ("cc", args.cc.as_deref().unwrap_or_default());
        let cc = named(context, &known, (cc, &to), &mut origins).await?;
        Ok(Self { to, cc, origins })
    }
}

/// Resolves the people of a list, without duplicates and without people of the other list.
async fn named(
    context: &ToolContext,
    known: &[User],
    ((field, given), others): ((&str, &[String]), &[Mailbox]),
    origins: &mut Vec<String>,
) -> Result<Vec<Mailbox>, ToolError> {
    if given.len() > MOST {
        let count = format!("{} people", given.len());
        return Err(refused(field, &count, "are too many: at most 50."));
    }
    let mut found: Vec<Mailbox> = Vec::new();
    for text in given {
        let contact = match origins.len() {
            0..FROM_MAIL => contact::find(context, known, field, text).await?,
            _ => None,
        };
        let mailbox = match contact {
            Some(contact) => {
                origins.push(contact.origin(context));
                contact.mailbox
            }
            None => one(context, known, field, text).await?,
        };
        let mut there = others.iter().chain(&found);
        if there.all(|known| known.address != mailbox.address) {
            found.push(mailbox);
        }
    }
    Ok(found)
}

fn said(field: &str, given: &str, most: usize) -> Result<String, ToolError> {
    let text = text_up_to(field, given, most).map_err(invalid)?;
    match text.is_empty() {
        true => Err(refused(field, "", "is empty. Write it.")),
        false => Ok(text),
    }
}

impl NewMail {
    pub fn kept_card(&self) -> Preview {
        let card = drafts::card("Keep a draft", &self.mail);
        self.explained(card)
    }

    /// Adds address sources, the forwarded mail and warnings.
    fn explained(&self, card: Preview) -> Preview {
        let card = card.any("⚠️ From your mail", self.origins.join("\n"));
        let Some((mail, doubt)) = &self.forwards else {
            return card;
        };
        let doubt = doubt.as_deref().map(mail_may_pretend);
        card.field("Forwards", super::named(&mail.summary))
            .any(text::CAREFUL, doubt.unwrap_or_default())
    }

    pub async fn keep(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let kept = drafts::keep(context, self.mail, &context.call.key).await?;
        let data = json!({"to": kept.to, "subject": kept.subject});
        drafts::output(context, data, &[kept])
    }
}

fn done(
    context: &ToolContext,
    (to, forwards): (&str, bool),
    sent: &SentMail,
) -> Result<ToolOutput, ToolError> {
    let receipt = Receipt {
        what: if forwards {
            format!("Forwarded an e-mail to {to}")
        } else {
            format!("Sent an e-mail to {to}")
        },
        provider_id: Some(sent.message_id.clone()),
        at: Some(sent.at.min(context.clock.now())),
        ..Receipt::default()
    };
    let data = json!({
        "sent": true,
        "to": to,
        "emailId": sent.id,
        "messageId": sent.message_id,
    });
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}

/// Builds the mail from the arguments and the forwarded mail, if any.
async fn composed(
    context: &ToolContext,
    args: &Arguments,
) -> Result<(Option<MailMessage>, OutgoingMail), ToolError> {
    let original = match args.forward.as_deref() {
        Some(id) => Some(find::one(context, "forward", id).await?),
        None => None,
    };
    let words = args.subject.as_deref().unwrap_or_default();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let subject = match &original {
        Some(mail) if words.is_empty() => forward::subject(mail),
        _ => said("subject", &words, LINE)?,
    };
    let own = args.text.as_deref().unwrap_or_default();
    let text = match &original {
        None => said("text", own, MAX_TEXT)?,
        Some(mail) => {
            let own = text_up_to("text", own, MAX_TEXT).map_err(invalid)?;
            let below = forward::of(mail, context.zone());
            format!("{own}\n\n{below}").trim_start().to_owned()
        }
    };
    let with_files = original.iter().filter(|mail| !mail.attachments.is_empty());
    let passed_on: Vec<Attach> = with_files.map(Attach::all_of).collect();
    let files = passed_on.iter().chain(args.attach.iter().flatten());
    let files: Vec<&Attach> = files.collect();
    let mail = OutgoingMail {
        subject,
        text,
        files: attach::files(context, &files).await?,
        ..OutgoingMail::default()
    };
    Ok((original, mail))
}

#[async_trait]
impl Outward for NewMail {
    type Arguments = Arguments;

    /// Mailbox contacts count by address, because their names could later match someone else.
    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>, ToolError> {
        let known = active(context).await?;
        let given = args.to.iter().map(|text| ("to", text));
        let given = given.chain(args.cc.iter().flatten().map(|text| ("cc", text)));
        let (mut recipients, mut found) = (Vec::new(), 0);
        for (field, text) in given {
            let contact = match found {
                0..FROM_MAIL => contact::find(context, &known, field, text).await?,
                _ => None,
            };
            found += usize::from(contact.is_some());
            recipients.push(contact.map_or_else(|| text.clone(), |one| one.mailbox.address));
        }
        Ok(recipients)
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let (original, composed) = composed(context, args).await?;
        let Named { to, cc, origins } = Named::find(context, args).await?;
        let mail = OutgoingMail { to, cc, ..composed };
        mail.check().map_err(not_read)?;
        let forwards = match original {
            Some(original) => {
                let doubt = doubt::of(context, &original).await?;
                Some((original, doubt))
            }
            None => None,
        };
        Ok(Self {
            mail,
            origins,
            forwards,
        })
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        let title = match self.forwards {
            Some(_) => "Forward an e-mail",
            None => "Send an e-mail",
        };
        let preview = Preview::new(title)
            .reaching(text::RECIPIENTS_LABEL, reached(&self.mail))
            .field("Subject", &self.mail.subject);
        let preview = self.explained(preview);
        attach::shown(preview, &self.mail.files).body(&self.mail.text)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let sent = context.accounts.mail.send(&account, &self.mail, key).await;
        let to = addresses(&self.mail).join(", ");
        let whom = (&*to, self.forwards.is_some());
        done(context, whom, &sent.map_err(not_done)?)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let found = context.accounts.mail.find_sent(&account, key).await;
        let to = match Self::prepare(context, &args).await {
            Ok(prepared) => addresses(&prepared.mail),
            // The names no longer resolve, but the question is only whether the mail was sent.
            Err(ToolError::Failed(_)) => [args.to, args.cc.unwrap_or_default()].concat(),
            Err(other) => return Err(other),
        };
        let whom = (&*to.join(", "), args.forward.is_some());
        outward::settled(NAME, found, |sent| done(context, whom, sent))
    }
}
