//! The request to leave the list that a mail came from, as its header asks for it (RFC 2369).

use alfred_core::ports::OutgoingMail;

use super::letter::{Kind, Letter};
use super::{doubt, find, named, reached};
use crate::account::not_read;
use crate::prelude::*;

/// What lists expect where they ask for nothing else.
const WORD: &str = "unsubscribe";

/// By a mail alone: nothing here opens a page that somebody else names.
///
/// # Errors
/// `Failed` for a mail that isn't there, or names no address to leave its list by.
pub async fn letter(context: &ToolContext, email_id: &str) -> Result<Letter, ToolError> {
    let original = find::one(context, "emailId", email_id).await?;
    let Some(asked) = &original.unsubscribe else {
        let problem = "names no address to leave its list by. Use the link in it.";
        return Err(refused("emailId", original.summary.id.as_str(), problem));
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
    let preview = Preview::new(text::unsubscribe_title())
        .reaching(text::recipients_label(), reached(&mail))
        .field("List", named(&original.summary))
        .field("Subject", &mail.subject)
        .body(&mail.text);
    Ok(Letter {
        kind: Kind::Unsubscribe,
        preview: doubt::shown(context, preview, &original).await?,
        mail,
        about: original.summary,
    })
}

#[cfg(test)]
#[path = "unsubscribe_tests.rs"]
mod tests;
