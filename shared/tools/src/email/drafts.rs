//! Drafts in the provider's mailbox.

use alfred_agent::tool::Receipt;
use alfred_core::ports::{DraftRef, Mailbox, OutgoingMail};

use super::{attach, people};
use crate::account::not_read;
use crate::prelude::*;

pub const DISCARD: &str = "email_discardDrafts";

pub struct Kept {
    pub draft: DraftRef,
    /// Recipient addresses, joined with commas.
    pub to: String,
    pub subject: String,
}

pub fn in_words(count: usize) -> String {
    match count {
        1 => "1 draft".into(),
        more => format!("{more} drafts"),
    }
}

/// Saves the draft under this idempotency key; a repeat finds the same draft.
pub async fn keep(context: &ToolContext, mail: OutgoingMail, key: &str) -> Result<Kept, ToolError> {
    let port = &context.accounts.mail;
    let draft = port.save_draft(&context.account(), &mail, key).await;
    Ok(Kept {
        draft: draft.map_err(not_read)?,
        to: super::addresses(&mail).join(", "),
        subject: mail.subject,
    })
}

pub fn card(title: &str, mail: &OutgoingMail) -> Preview {
    let line = |boxes: &[Mailbox]| people(boxes).join(", ");
    let preview = Preview::new(title)
        .field("To", line(&mail.to))
        .any("Copy", line(&mail.cc))
        .field("Subject", &mail.subject);
    attach::shown(preview, &mail.files).body(&mail.text)
}

/// Builds the output and its undo from the saved drafts. Drafts that failed aren't in `kept`.
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
