//! Mails that are kept as drafts at the provider. They reach nobody until their owner sends them.

use alfred_agent::tool::Receipt;
use alfred_core::ports::{DraftRef, Mailbox, OutgoingMail};

use super::{attach, people};
use crate::account::not_read;
use crate::prelude::*;

/// The tool that takes them back.
pub const DISCARD: &str = "email_discardDrafts";

/// A draft, and what it is.
pub struct Kept {
    pub draft: DraftRef,
    /// To whom it would go, by address.
    pub to: String,
    pub subject: String,
}

/// A number of drafts in words: "3 drafts".
pub fn in_words(count: usize) -> String {
    match count {
        1 => "1 draft".into(),
        more => format!("{more} drafts"),
    }
}

/// Keeps a mail as the draft of this key: a repeat finds it.
///
/// # Errors
/// What the mailbox says.
pub async fn keep(context: &ToolContext, mail: OutgoingMail, key: &str) -> Result<Kept, ToolError> {
    let port = &context.accounts.mail;
    let draft = port.save_draft(&context.account(), &mail, key).await;
    Ok(Kept {
        draft: draft.map_err(not_read)?,
        to: super::addresses(&mail).join(", "),
        subject: mail.subject,
    })
}

/// All of a draft, for its card.
pub fn card(title: &str, mail: &OutgoingMail) -> Preview {
    let line = |boxes: &[Mailbox]| people(boxes).join(", ");
    let preview = Preview::new(title)
        .field("To", line(&mail.to))
        .any("Copy", line(&mail.cc))
        .field("Subject", &mail.subject);
    attach::shown(preview, &mail.files).body(&mail.text)
}

/// What was kept, as the output with its way back; drafts that couldn't be kept aren't among them.
pub fn output(
    context: &ToolContext,
    mut data: Value,
    kept: &[Kept],
) -> Result<ToolOutput, ToolError> {
    data["sent"] = json!(false);
    let what = match kept {
        [] => return ToolOutput::data(&data),
        [one] => format!("Kept a draft to {}: \"{}\"", one.to, one.subject),
        more => {
            let to: Vec<&str> = more.iter().map(|one| &*one.to).collect();
            format!("Kept {} to {}", in_words(more.len()), to.join("; "))
        }
    };
    let drafts: Vec<&DraftRef> = kept.iter().map(|one| &one.draft).collect();
    data["drafts"] = json!(drafts);
    let receipt = Receipt {
        what,
        place: "your drafts".to_owned(),
        at: Some(context.now),
        ..Receipt::default()
    };
    let output = ToolOutput::data(&data)?.with_receipt(receipt);
    Ok(output.undone_by(DISCARD, [json!({"drafts": drafts})]))
}
