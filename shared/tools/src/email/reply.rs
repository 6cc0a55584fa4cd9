//! An answer to a mail: addressed as its sender asks, in its thread.

use alfred_core::ports::{MailMessage, Mailbox, OutgoingMail};
use alfred_planner::mail::subject_without_prefixes;

use super::{addressee, find, line, shown};
use crate::prelude::*;

/// Characters of an answer.
pub const MAX_TEXT: usize = 20_000;
/// People an answer goes to at most: a sender can't make it a mailing.
const MOST_TO: usize = 10;
/// References a thread keeps; the first and the last ones are what programs thread by.
const REFERENCES: usize = 30;

/// An answer, ready to be sent.
pub struct Reply {
    pub original: MailMessage,
    pub mail: OutgoingMail,
    /// When the original came, where the person is.
    received: String,
}

impl Reply {
    /// To a mail.
    ///
    /// # Errors
    /// `Failed` for a mail that isn't there or can't be answered, or a text that is too long.
    pub async fn prepare(
        context: &ToolContext,
        email_id: &str,
        reply_text: &str,
    ) -> Result<Self, ToolError> {
        let text = text_up_to("replyText", reply_text, MAX_TEXT).map_err(invalid)?;
        let original = find::one(context, "emailId", email_id).await?;
        let to = addressees(&original);
        if to.len() > MOST_TO {
            let problem = "asks for answers to more than 10 people; answer it in your mailbox.";
            return Err(refused("emailId", original.summary.id.as_str(), problem));
        }
        let subject = line(&original.summary.subject);
        let mail = OutgoingMail {
            to,
            cc: Vec::new(),
            subject: format!("Re: {}", subject_without_prefixes(&subject)),
            text,
            in_reply_to: original.message_id.clone(),
            references: references(&original),
        };
        mail.check().map_err(crate::account::not_read)?;
        let received = original.summary.received_at.to_zoned(context.zone());
        Ok(Self {
            received: received.strftime("%Y-%m-%d %H:%M").to_string(),
            original,
            mail,
        })
    }

    /// To whom, by address.
    pub fn addresses(&self) -> Vec<String> {
        let to = self.mail.to.iter();
        to.map(|mailbox| mailbox.address.clone()).collect()
    }

    /// All that is sent, and what it answers.
    pub fn preview(&self) -> Preview {
        let answered = &self.original.summary;
        let about = format!("\"{}\", {}", line(&answered.subject), self.received);
        let to = self.mail.to.iter().map(addressee);
        let preview = Preview::new(text::send_reply_title())
            .reaching(text::recipients_label(), to.collect())
            .field("Subject", &self.mail.subject)
            .field("Answers", format!("{about} from {}", shown(&answered.from)))
            .field("Then", text::then_processed());
        preview.body(&self.mail.text)
    }
}

/// Where its sender wants answers. Names are dropped but for the sender's own:
/// what a header calls an address is shown, and sent, as the address alone.
fn addressees(mail: &MailMessage) -> Vec<Mailbox> {
    let from = &mail.summary.from;
    if mail.reply_to.is_empty() {
        // As the card shows it.
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
