//! `email_discardDrafts`: deletes drafts that nobody has edited.

use alfred_agent::tool::Receipt;
use alfred_core::ports::{Discarded, DraftRef};

use super::{TOOLSET, drafts};
use crate::account::not_read;
use crate::prelude::*;

/// Drafts per call.
const MOST: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As they were given when they were kept.
    drafts: Vec<DraftRef>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        drafts::DISCARD,
        "Deletes drafts that Alfred kept; those the person has edited stay.",
    )
    .flow(Flow::UNKNOWN)
    .effect(Effect::Destructive);
    tool::shown(def, preview, run)
}

fn check(args: &Arguments) -> Result<usize, ToolError> {
    match args.drafts.len() {
        count @ 1..=MOST => Ok(count),
        other => {
            let count = format!("{other} drafts");
            Err(refused(
                "drafts",
                &count,
                "is out of range: 1 to 50 drafts.",
            ))
        }
    }
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let count = check(&args)?;
    let preview = Preview::new(format!("Delete {}", drafts::in_words(count)));
    Ok(preview.body("Those you have edited since stay."))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    check(&args)?;
    let (account, port) = (context.account(), &context.accounts.mail);
    let (mut deleted, mut problems) = (0, Vec::new());
    for draft in &args.drafts {
        let reason = match port
            .discard_draft(&account, draft)
            .await
            .map_err(not_read)?
        {
            Discarded::Deleted => {
                deleted += 1;
                continue;
            }
            Discarded::Edited => "You have edited this draft since, so it stays.",
            Discarded::Gone => "This draft isn't there any more.",
        };
        problems.push(json!({"id": draft.id, "reason": reason}));
    }
    if deleted == 0
        && let Some(reason) = problems.first().and_then(|one| one["reason"].as_str())
    {
        return Err(ToolError::failed(reason));
    }
    let receipt = Receipt {
        what: format!("Deleted {}", drafts::in_words(deleted)),
        place: "your drafts".to_owned(),
        at: Some(context.now),
        ..Receipt::default()
    };
    let data = json!({"deleted": deleted, "problems": problems});
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}
