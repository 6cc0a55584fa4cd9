//! An answer in the mail's thread, addressed by its `Reply-To`.

use alfred_core::ports::{MailMessage, Mailbox, OutgoingMail};
use alfred_planner::mail::subject_without_prefixes;

use super::attach::{self, Attach};
use super::letter::{Kind, Letter};
use super::{doubt, find, line, quote, reached, shown};
use crate::account::not_read;
use crate::prelude::*;

pub const MAX_TEXT: usize = 20_000;
/// Most recipients of an answer to the sender. The limit stops a sender from turning it into a mass mailing.
const MOST_TO: usize = 10;
/// Most recipients of an answer to all.
const MOST_TO_ALL: usize = 50;
/// References that are kept: the first and the last ones, by which mail programs build threads.
const REFERENCES: usize = 30;

pub struct Answer<'a> {
    /// The mail's id, or words that match only it.
    pub email_id: &'a str,
    pub text: &'a str,
    pub to_all: bool,
    /// Whether to quote the mail.
    pub quotes: bool,
    pub attach: Option<&'a [Attach]>,
}

pub struct Reply {
    pub original: MailMessage,
    pub mail: OutgoingMail,
    /// The person's text without the quote.
    pub text: String,
    /// Local time at which the original arrived.
    received: String,
}

impl Reply {
    /// Fails if the mail doesn't exist or can't be answered, or if the text is too long.
    pub async fn prepare(context: &ToolContext, answer: &Answer<'_>) -> Result<Self, ToolError> {
        let text = text_up_to("replyText", answer.text, MAX_TEXT).map_err(invalid)?;
        let original = find::one(context, "emailId", answer.email_id).await?;
        let own = match answer.to_all {
            true => own_addresses(context).await?,
            false => Vec::new(),
        };
        let (to, cc) = recipients(&original, answer.to_all, &own)?;
        let quote = answer.quotes.then(|| quote::of(&original, context.zone()));
        let mut whole = text.clone();
        if let Some(quote) = quote.flatten() {
            whole.push_str("\n\n");
            whole.push_str(&quote);
        }
        let subject = line(&original.summary.subject);
        let attach: Vec<&Attach> = answer.attach.iter().copied().flatten().collect();
        let mail = OutgoingMail {
            to,
            cc,
            subject: format!("Re: {}", subject_without_prefixes(&subject)),
            text: whole,
            in_reply_to: original.message_id.clone(),
            references: references(&original),
            files: attach::files(context, &attach).await?,
        };
        mail.check().map_err(not_read)?;
        let received = original.summary.received_at.to_zoned(context.zone());
        Ok(Self {
            received: received.strftime("%Y-%m-%d %H:%M").to_string(),
            original,
            mail,
            text,
        })
    }

    pub fn quotes(&self) -> bool {
        self.mail.text != self.text
    }

    /// Builds the mail and its card, with a warning if the original looks like phishing.
    pub async fn letter(self, context: &ToolContext) -> Result<Letter, ToolError> {
        let preview = doubt::shown(context, self.preview(), &self.original).await?;
        Ok(Letter {
            kind: Kind::Reply,
            preview,
            mail: self.mail,
            about: self.original.summary,
        })
    }

    fn preview(&self) -> Preview {
        let answered = &self.original.summary;
        let about = format!("\"{}\", {}", line(&answered.subject), self.received);
        let quotes = if self.quotes() {
            "the e-mail it answers, below your text, each line behind “>”"
        } else {
            ""
        };
        let preview = Preview::new("Send an e-mail reply")
            .reaching(text::RECIPIENTS_LABEL, reached(&self.mail))
            .field("Subject", &self.mail.subject)
            .field("Answers", format!("{about} from {}", shown(&answered.from)))
            .any("Quotes", quotes)
            .field("Then", "the e-mail is marked as processed");
        attach::shown(preview, &self.mail.files).body(&self.mail.text)
    }
}

/// The person's known mail addresses.
async fn own_addresses(context: &ToolContext) -> Result<Vec<String>, ToolError> {
    let mailbox = context.accounts.mail.address(&context.account()).await;
    let mailbox = mailbox.map_err(not_read)?;
    Ok(vec![mailbox.address, context.user.email.to_lowercase()])
}

/// Returns recipients and copies. An answer to all copies the original's other recipients (RFC 5322 §3.6.3).
fn recipients(
    mail: &MailMessage,
    to_all: bool,
    own: &[String],
) -> Result<(Vec<Mailbox>, Vec<Mailbox>), ToolError> {
    let too_many = |problem| refused("emailId", mail.summary.id.as_str(), problem);
    let mut to = addressees(mail);
    if to.len() > MOST_TO {
        let problem = "asks for answers to more than 10 people; answer it in your mailbox.";
        return Err(too_many(problem));
    }
    if !to_all {
        return Ok((to, Vec::new()));
    }
    let mut taken = own.to_vec();
    let mut others = |boxes: &[Mailbox]| -> Vec<Mailbox> {
        let mut found = Vec::new();
        for Mailbox { address, .. } in boxes {
            if !taken.contains(address) {
                taken.push(address.clone());
                found.push(Mailbox::new("", address));
            }
        }
        found
    };
    let sender = others(&to);
    let (first, copied) = (others(&mail.summary.to), others(&mail.cc));
    to.retain(|mailbox| sender.iter().any(|one| one.address == mailbox.address));
    let (to, cc) = match to.is_empty() {
        // The person sent the original themselves, so its recipients get the answer.
        true => (first, copied),
        false => (to, [first, copied].concat()),
    };
    match (to.len() + cc.len(), to.is_empty()) {
        (_, true) => {
            let problem = "went to nobody else. Leave replyAll out.";
            Err(too_many(problem))
        }
        (0..=MOST_TO_ALL, false) => Ok((to, cc)),
        _ => {
            let problem = "went to more than 50 people; answer it in your mailbox.";
            Err(too_many(problem))
        }
    }
}

/// Returns the `Reply-To` addresses, else the sender. Names in `Reply-To` are dropped, because a header can
/// give any name to an address.
fn addressees(mail: &MailMessage) -> Vec<Mailbox> {
    let from = &mail.summary.from;
    if mail.reply_to.is_empty() {
        return vec![Mailbox::new(line(&from.name), &from.address)];
    }
    let mut to: Vec<Mailbox> = Vec::new();
    for mailbox in &mail.reply_to {
        if to.iter().all(|known| known.address != mailbox.address) {
            to.push(Mailbox::new("", &mailbox.address));
        }
    }
    to
}

fn references(mail: &MailMessage) -> Vec<String> {
    let all = &mail.references;
    match all.len().checked_sub(REFERENCES) {
        None | Some(0) => all.clone(),
        Some(over) => {
            let last = all.iter().skip(over + 1);
            all.iter().take(1).chain(last).cloned().collect()
        }
    }
}
