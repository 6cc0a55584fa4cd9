//! Drafts in the provider's mailbox, and `email_discardDrafts`, which deletes those that nobody has edited.

use alfred_core::ports::{Discarded, DraftRef, Mailbox, OutgoingMail};

use super::{TOOLSET, attach, people};
use crate::fields::counted;
use crate::prelude::*;

const DISCARD: &str = "email_discardDrafts";
/// Drafts per call.
const MOST: usize = 50;

pub struct Kept {
    draft: DraftRef,
    /// Recipient addresses, joined with commas.
    pub to: String,
    pub subject: String,
}

/// Saves the draft under this idempotency key; a repeat finds the same draft.
pub async fn keep(context: &ToolContext, mail: OutgoingMail, key: &str) -> Result<Kept> {
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
pub fn output(mut data: Value, kept: &[Kept]) -> Result<ToolOutput> {
    data["sent"] = json!(false);
    let what = match kept {
        [] => return ToolOutput::data(&data),
        [one] => format!("Kept a draft to {}: \"{}\"", one.to, one.subject),
        more => {
            let to: Vec<&str> = more.iter().map(|one| &*one.to).collect();
            format!("Kept {} to {}", counted(more.len(), "draft"), to.join("; "))
        }
    };
    let drafts: Vec<&DraftRef> = kept.iter().map(|one| &one.draft).collect();
    data["drafts"] = json!(drafts);
    let output = done(&data, what)?;
    Ok(output.undone_by(DISCARD, [json!({"drafts": drafts})]))
}

fn done(data: &Value, what: String) -> Result<ToolOutput> {
    let output = ToolOutput::data(data)?.with_effect(what, Vec::new());
    Ok(output.at_place("your drafts"))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Discard {
    /// As they were given when they were kept.
    drafts: Vec<DraftRef>,
}

pub fn discard() -> SharedTool {
    let description = "Deletes drafts that Alfred kept; those the person has edited stay.";
    let def = ToolDef::new(TOOLSET, DISCARD, description).effect(Effect::Destructive);
    tool::shown(def, discard_card, run_discard)
}

fn check(args: &Discard) -> Result<()> {
    check_count("drafts", args.drafts.len(), "drafts", 1..=MOST)
}

async fn discard_card(_: ToolContext, args: Discard) -> Result<Preview> {
    check(&args)?;
    let preview = Preview::new(format!("Delete {}", counted(args.drafts.len(), "draft")));
    Ok(preview.body("Those you have edited since stay."))
}

async fn run_discard(context: ToolContext, args: Discard) -> Result<ToolOutput> {
    check(&args)?;
    let (account, port) = (context.account(), &context.accounts.mail);
    let (mut deleted, mut gone, mut problems) = (0, 0, Vec::new());
    for draft in &args.drafts {
        let discarded = port.discard_draft(&account, draft).await;
        let reason = match discarded.map_err(not_read) {
            Ok(Discarded::Deleted) => {
                deleted += 1;
                continue;
            }
            Ok(Discarded::Edited) => "You have edited this draft since, so it stays.".to_owned(),
            Ok(Discarded::Gone) => {
                gone += 1;
                "This draft isn't there any more.".to_owned()
            }
            // The drafts that were deleted need their receipt.
            Err(ToolError::Failed(why)) if why.data.is_empty() || deleted + gone > 0 => why.said(),
            Err(other) => return Err(other),
        };
        problems.push(json!({"id": draft.id, "reason": reason}));
    }
    if deleted + gone == 0
        && let Some(reason) = problems.first().and_then(|one| one["reason"].as_str())
    {
        return Err(ToolError::failed(reason));
    }
    let data = json!({"deleted": deleted, "problems": problems});
    // A draft that is gone may have been deleted by an earlier attempt of this call.
    let what = match (deleted, gone) {
        (deleted, 0) => format!("Deleted {}", counted(deleted, "draft")),
        (0, gone) => format!("Found {} deleted", counted(gone, "draft")),
        _ => format!("Deleted {}, found {gone} gone", counted(deleted, "draft")),
    };
    done(&data, what)
}
