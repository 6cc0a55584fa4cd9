//! Asks to leave a mailing list as the mail's headers specify: with one request to its page (RFC 8058) if the
//! mail's server signed it, else by mail (RFC 2369).

use alfred_core::ports::{MailMessage, OutgoingMail};
use std::future::ready;

use super::letter::{self, Kind, Letter};
use super::{doubt, find, named, reached};
use crate::prelude::*;

/// The usual request text if the header gives none.
const WORD: &str = "unsubscribe";

/// Prepares the request. Fails if the mail doesn't exist or names no way to unsubscribe.
pub async fn prepare(context: &ToolContext, email_id: &str) -> Result<Letter> {
    let original = find::one(context, "emailId", email_id).await?;
    let card = Preview::new("Ask to leave a mailing list").field("List", named(&original.summary));
    let page = original.one_click.clone().filter(|page| page.signed);
    let (mail, card) = match &page {
        Some(page) => {
            let how = format!("one request to {}; nothing on the page is read", page.host);
            let card = card.field("Address", &page.url).field("How", how);
            (OutgoingMail::default(), card)
        }
        None => {
            let mail = request(&original)?;
            let card = card
                .reaching(text::RECIPIENTS_LABEL, reached(&mail))
                .field("Subject", &mail.subject)
                .body(&mail.text);
            (mail, card)
        }
    };
    Ok(Letter {
        kind: Kind::Unsubscribe,
        card: doubt::shown(context, card, &original).await?,
        mail,
        page,
        about: Some(original.summary),
    })
}

/// Checks whether the request was made, after its result was lost. For a page request this can't be checked.
pub async fn settle(context: &ToolContext, tool: &str, email_id: &str) -> Result<Settled> {
    let prepared = match prepare(context, email_id).await {
        Ok(letter) if letter.page.is_some() => return Ok(Settled::Unknown),
        prepared @ (Ok(_) | Err(ToolError::Failed(_))) => prepared,
        Err(other) => return Err(other),
    };
    let is_gone = prepared.is_err();
    let prepared = ready(prepared);
    match letter::settle(context, tool, Kind::Unsubscribe, "the sender", prepared).await? {
        // The mail is gone, so the request may have been a page request.
        Settled::NotDone if is_gone => Ok(Settled::Unknown),
        settled => Ok(settled),
    }
}

fn request(original: &MailMessage) -> Result<OutgoingMail> {
    let Some(asked) = &original.unsubscribe else {
        let problem = match original.one_click {
            Some(_) => {
                "has an unsubscribe page, but I can't verify that it comes from the sender. Use the link in the mail if you trust it."
            }
            None => "names no way to leave its list. You could ask its sender.",
        };
        return Err(find::wrong("emailId", &original.summary.id, problem));
    };
    let or_word = |said: &str| match said.trim() {
        "" => WORD.to_owned(),
        said => said.to_owned(),
    };
    let mail = OutgoingMail {
        to: vec![asked.to.clone()],
        subject: or_word(&asked.subject),
        text: or_word(&asked.text),
        ..OutgoingMail::default()
    };
    mail.check().map_err(not_read)?;
    Ok(mail)
}
