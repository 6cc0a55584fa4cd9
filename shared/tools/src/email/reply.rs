//! An answer in the mail's thread, addressed by its `Reply-To`.

use alfred_core::ports::{MailMessage, Mailbox, OutgoingMail};

use super::attach::{self, Attach};
use super::letter::{Kind, Letter};
use super::{MAX_TEXT, doubt, find, line, quote, reached, shown};
use crate::prelude::*;

/// Most recipients of an answer to the sender. The limit stops a sender from turning it into a mass mailing.
const MOST_TO: usize = 10;
/// Most recipients of an answer to all.
const MOST_TO_ALL: usize = 50;
/// References that are kept: the first and the last ones, by which mail programs build threads.
const REFERENCES: usize = 30;

#[derive(Default)]
pub struct Answer<'a> {
    /// The mail's id, or words that match only it.
    pub email_id: &'a str,
    pub text: &'a str,
    pub to_all: bool,
    pub quotes: bool,
    pub attach: Option<&'a [Attach]>,
}

pub struct Reply {
    pub original: MailMessage,
    pub mail: OutgoingMail,
    /// The person's text without the quote.
    pub text: String,
}

impl Reply {
    /// The addresses of an answer, without preparing the rest of it.
    pub async fn recipients(context: &ToolContext, answer: &Answer<'_>) -> Result<Vec<String>> {
        let original = find::one(context, "emailId", answer.email_id).await?;
        let (to, cc) = addressed(context, &original, answer.to_all).await?;
        Ok(to.into_iter().chain(cc).map(|one| one.address).collect())
    }

    /// Fails if the mail doesn't exist or can't be answered, or if the text is too long.
    pub async fn prepare(context: &ToolContext, answer: &Answer<'_>) -> Result<Self> {
        let text = text_up_to("replyText", answer.text, MAX_TEXT).map_err(invalid)?;
        let original = find::one(context, "emailId", answer.email_id).await?;
        let (to, cc) = addressed(context, &original, answer.to_all).await?;
        let mut whole = text.clone();
        if answer.quotes {
            whole += &quote::quoted(&original, &context.zone());
        }
        let mail = OutgoingMail {
            to,
            cc,
            subject: quote::subject("Re", &original),
            text: whole,
            in_reply_to: original.message_id.clone(),
            references: references(&original),
            files: attach::files(context, answer.attach.unwrap_or_default()).await?,
        };
        mail.check().map_err(not_read)?;
        Ok(Self {
            original,
            mail,
            text,
        })
    }

    pub fn quotes(&self) -> bool {
        self.mail.text != self.text
    }

    /// Builds the mail and its card, with a warning if the original looks like phishing.
    pub async fn letter(self, context: &ToolContext) -> Result<Letter> {
        let card = doubt::shown(context, self.card(context), &self.original).await?;
        Ok(Letter {
            kind: Kind::Reply,
            card,
            mail: self.mail,
            page: None,
            about: Some(self.original.summary),
        })
    }

    fn card(&self, context: &ToolContext) -> Preview {
        let original = &self.original.summary;
        let received = short_moment(original.received_at, &context.zone());
        let (subject, from) = (line(&original.subject), shown(&original.from));
        let quotes = "the original e-mail, below your text";
        let card = Preview::new("Send an e-mail reply")
            .reaching(text::RECIPIENTS_LABEL, reached(&self.mail))
            .field("Subject", &self.mail.subject)
            .field("Answers", format!("\"{subject}\", {received} from {from}"))
            .any("Quotes", if self.quotes() { quotes } else { "" })
            .field("Then", "the e-mail is marked as processed");
        attach::shown(card, &self.mail.files).body(&self.mail.text)
    }
}

/// Returns recipients and copies. An answer to all copies the original's other recipients (RFC 5322 §3.6.3).
async fn addressed(
    context: &ToolContext,
    mail: &MailMessage,
    to_all: bool,
) -> Result<(Vec<Mailbox>, Vec<Mailbox>)> {
    let wrong = |problem| find::wrong("emailId", &mail.summary.id, problem);
    let mut to = addressees(mail);
    if to.len() > MOST_TO {
        let problem = "asks for answers to more than 10 people; answer it in your mailbox.";
        return Err(wrong(problem));
    }
    if !to_all {
        return Ok((to, Vec::new()));
    }
    let own = find::own_address(context).await?;
    let mut taken = vec![own, context.user.email.to_lowercase()];
    to.retain(|mailbox| !taken.contains(&mailbox.address));
    taken.extend(to.iter().map(|mailbox| mailbox.address.clone()));
    let first = others(&mail.summary.to, &mut taken);
    let copied = others(&mail.cc, &mut taken);
    let (to, cc) = if to.is_empty() {
        // The person sent the original themselves, so its recipients get the answer.
        (first, copied)
    } else {
        (to, [first, copied].concat())
    };
    Err(wrong(match to.len() + cc.len() {
        _ if to.is_empty() => "went to nobody else. Leave replyAll out.",
        0..=MOST_TO_ALL => return Ok((to, cc)),
        _ => "went to more than 50 people; answer it in your mailbox.",
    }))
}

/// Returns the `Reply-To` addresses, else the sender.
fn addressees(mail: &MailMessage) -> Vec<Mailbox> {
    let from = &mail.summary.from;
    if mail.reply_to.is_empty() {
        vec![Mailbox::new(line(&from.name), &from.address)]
    } else {
        others(&mail.reply_to, &mut Vec::new())
    }
}

/// Returns those whose addresses aren't taken yet, and takes these. Drops their names, because a header can give
/// any name to an address.
fn others(boxes: &[Mailbox], taken: &mut Vec<String>) -> Vec<Mailbox> {
    let mut found = Vec::new();
    for Mailbox { address, .. } in boxes {
        if !taken.contains(address) {
            taken.push(address.clone());
            found.push(Mailbox::new("", address));
        }
    }
    found
}

fn references(mail: &MailMessage) -> Vec<String> {
    let dropped = mail.references.len().saturating_sub(REFERENCES);
    let ids = mail.references.iter().enumerate();
    let kept = ids.filter(|(at, _)| *at == 0 || *at > dropped);
    kept.map(|(_, id)| id.clone()).collect()
}
