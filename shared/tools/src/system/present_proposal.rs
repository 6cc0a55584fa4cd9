//! `system_presentProposal`.

use alfred_agent::approval::Status;
use alfred_agent::tool::{self, Flow, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput};
use alfred_core::ApprovalId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TOOLSET, proposal};
use crate::approval::ApprovalView;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The one that waits when left out.
    proposal_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Presented {
    proposal_id: ApprovalId,
    revision: u32,
    status: Status,
    title: String,
    /// The whole of it, as the card has it.
    text: String,
    /// What can be left out.
    items: Vec<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "system_presentProposal",
        "Gives a workflow's proposal as text, with its parts. The person has it on a card.",
    )
    // What proposals are made of: titles and mails of others too.
    .flow(Flow::UNKNOWN);
    tool::full(def, present)
}

async fn present(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let approval = proposal::find(&context, args.proposal_id.as_deref()).await?;
    let items = approval.preview.items.iter();
    let presented = Presented {
        title: approval.preview.title.clone(),
        text: approval.preview.as_text(),
        items: items.map(|item| item.label.clone()).collect(),
        revision: approval.revision,
        status: ApprovalView::at(&approval, context.now).status,
        proposal_id: approval.id,
    };
    // A proposal is made of whatever was read for it.
    Ok(ToolOutput::data(&presented)?.bringing(Flow::of_stored(true)))
}

#[cfg(test)]
#[path = "present_proposal_tests.rs"]
mod tests;
